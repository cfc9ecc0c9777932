/**
 * `npm run demo`: the whole story on real input against a running server. It signs in, brings a
 * private registry, registers nodes, uploads documents and pictures, runs a workflow over them and
 * takes the results home. One of the documents is broken on purpose: the run says so and goes on.
 */
import { randomUUID } from 'node:crypto';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Client } from '@cogworks/sdk/client';
import type { WorkflowRun } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { definitionsFor } from './nodes/definitions.ts';
import { downloadResults, failureReasons, fileTable, timesOf } from './outcome.ts';
import { getTools, openRegistry } from './private-registry.ts';
import { Problem } from './problem.ts';
import {
  publishWorkflow,
  registerNodes,
  storeCredentials,
  uploadInputs,
  waitForWorker,
} from './set-up.ts';
import { dataDirOf, findServer, revokeKey, signIn } from './sign-in.ts';
import { openTerminal } from './terminal.ts';
import { watchRun } from './watch.ts';
import { demoGraph } from './workflow.ts';

const usage = `Usage: npm run demo -- [options]

  --no-previews    leave out the branch that draws first pages
  --width N        width of the thumbnails (280)
  --into FOLDER    where results are saved, in a folder per run (demo-results)
  --keep           leave the registry running until Ctrl-C, where no npm start keeps it

COGWORKS_URL     the server (http://127.0.0.1:8080), with a worker on this machine: the registry listens here only
COGWORKS_API_KEY a key of a tenant admin; without it one is made by the operator's command line`;

type Settings = { baseUrl: string; into: string; width: number; previews: boolean; keep: boolean };

/** What is undone at the end, whichever way the demo ends; the last first. */
const cleanup = new AsyncDisposableStack();
process.stdout.on('error', () => process.exit(1));
const terminal = openTerminal(process.stdout, process.env);
let isInterrupted = false;
/** Ctrl-C is a failure until the story is told; with `--keep` it is then how one leaves. */
let interruptCode = 130;
const longestCleanup_ms = 8000;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void interrupt());
}
process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const settings = readSettings();
    if (!settings) return 0;
    return await tell(settings);
  } catch (error) {
    // What is underway when Ctrl-C comes fails; that is no news.
    if (isInterrupted) return interruptCode;
    terminal.say(`\n  ${terminal.paint('red', 'The demo stopped.')} ${inWords(error)}\n`);
    return 1;
  } finally {
    if (!isInterrupted) await cleanup.disposeAsync();
    terminal.close();
  }
}

async function interrupt() {
  // One Ctrl-C arrives several times: from the terminal, and handed on by npm and tools/run.mjs.
  if (isInterrupted) return;
  isInterrupted = true;
  setTimeout(() => process.exit(interruptCode), longestCleanup_ms).unref();
  terminal.say('\n  Stopping what the demo started …');
  await cleanup.disposeAsync().catch(() => undefined);
  terminal.close();
  process.exit(interruptCode);
}

async function tell(settings: Settings): Promise<number> {
  const { baseUrl } = settings;
  const { step, say, paint, isLive } = terminal;
  say(`\n  ${paint('bold', 'Cogworks demo')}\n`);
  await step('Server', async () => ({
    words: `${baseUrl}/app/`,
    value: await findServer(baseUrl),
  }));
  const built = await step('Tools', async (note) => ({
    value: await getTools(isLive ? note : (text) => say(`      ${text}`)),
    words: 'podman, docker-registry, an image with poppler and imagemagick',
  }));
  const client = await step('Sign-in', () => signInFor(settings));
  await step('Worker', () => waitForWorker(client));

  const { registry, image, digest, isKept } = await step('Registry', async () => {
    const opened = await openRegistry(built, dataDirOf(process.env));
    cleanup.defer(opened.stop);
    return { words: `${opened.words}, behind a password`, value: opened };
  });
  await step('Credentials', () => storeCredentials(client, registry));
  const ids = await step('Nodes', () => registerNodes(client, definitionsFor(image, digest)));
  const version_id = await step('Workflow', () => publishWorkflow(client, demoGraph(ids)));
  const cogs = await step('Files', (note) => uploadInputs(client, note));

  const cog_ids = cogs.map(({ id }) => id);
  const run = await followRun(client, version_id, cog_ids, settings);
  return tellOutcome(client, run, settings, isKept);
}

async function signInFor({ baseUrl }: Settings) {
  const { client, email, ownKey } = await signIn(baseUrl, process.env);
  if (ownKey) {
    cleanup.defer(() =>
      revokeKey(client, ownKey).catch(() => terminal.say('  The API key could not be revoked.')),
    );
  }
  const how = ownKey ? 'a key made for this demo, exchanged for a token' : 'COGWORKS_API_KEY';
  return { words: `${email}, by ${how}`, value: client };
}

async function followRun(
  client: Client,
  version_id: number,
  cog_ids: number[],
  { width, previews }: Settings,
): Promise<WorkflowRun> {
  const extra_variables = { width, make_previews: previews };
  const { workflow_run_id: run_id } = await client.startRun({
    path: { version_id },
    body: { cog_ids, extra_variables },
    idempotencyKey: randomUUID(),
  });
  if (!terminal.isLive) terminal.say(`\n  Run ${run_id}`);
  let hasEnded = false;
  cleanup.defer(async () => {
    if (hasEnded) return;
    const body = { reason: 'The demo was stopped.' };
    await client.cancelRun({ path: { run_id }, body, signal: AbortSignal.timeout(3000) });
  });
  const run = await watchRun(client, terminal, run_id);
  hasEnded = true;
  return run;
}

async function tellOutcome(
  client: Client,
  run: WorkflowRun,
  settings: Settings,
  isKept: boolean,
): Promise<number> {
  const { say, paint } = terminal;
  const { baseUrl, into, keep } = settings;
  const isExpected = run.status === 'partial_success';
  const folder = join(into, String(run.id));
  const outputs = await downloadResults(client, run, folder);
  const colour = isExpected ? 'yellow' : 'red';
  say(`\n  ${paint(colour, run.status)}  ${run.error_message ?? ''}\n`);
  for (const line of fileTable(run, failureReasons(run), paint)) say(line);
  say();
  for (const line of timesOf(run)) say(line);
  say();
  say(`  ${outputs.length} results    ${relative(process.cwd(), folder) || '.'}/`);
  say(`  The report   ${relative(process.cwd(), join(folder, 'report.html'))}`);
  say(`  The run      ${baseUrl}/app/runs/${run.id}`);
  if (run.output_folder_id) say(`  Its files    ${baseUrl}/app/files/${run.output_folder_id}`);
  say();
  if (!isExpected) {
    say(`  One broken file should have made this a partial_success, not ${run.status}.\n`);
    return 1;
  }
  say('  broken-scan.pdf is broken on purpose; everything that does not depend on it was made.');
  say('  Next: open the report, look at the run, try npm run demo -- --no-previews --width 160.');
  if (isKept) {
    say('  The registry runs on beside the server: “Run again” works in the dashboard.\n');
  } else if (keep) {
    await keepRegistry();
  } else {
    say(
      '  The registry ends with the demo, so “Run again” cannot work in the dashboard: start the',
    );
    say('  server with npm start, which keeps it, or the demo with --keep.\n');
  }
  return 0;
}

function keepRegistry(): Promise<never> {
  interruptCode = 0;
  terminal.say(
    '  The registry runs until Ctrl-C, so the workflow can be started in the dashboard.\n',
  );
  return new Promise(() => undefined);
}

function readSettings(): Settings | undefined {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      previews: { type: 'boolean', default: true },
      width: { type: 'string', default: '280' },
      into: { type: 'string', default: join(import.meta.dirname, '../../demo-results') },
      keep: { type: 'boolean', default: false },
    },
    allowNegative: true,
  });
  if (values.help) {
    console.log(usage);
    return undefined;
  }
  const width = Number(values.width);
  if (!Number.isInteger(width)) throw new Problem('--width must be a whole number.');
  return {
    baseUrl: (process.env.COGWORKS_URL || 'http://127.0.0.1:8080').replace(/\/+$/, ''),
    into: resolve(values.into),
    width,
    previews: values.previews,
    keep: values.keep,
  };
}

function inWords(error: unknown): string {
  if (error instanceof Problem) return error.message;
  if (error instanceof ApiError) return `The server refused (${error.status}): ${error.detail}`;
  if (error instanceof Error && /^ERR_PARSE_ARGS/.test((error as NodeJS.ErrnoException).code ?? ''))
    return `${error.message}\n\n${usage}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
