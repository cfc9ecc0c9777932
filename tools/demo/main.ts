/**
 * `npm run demo`: shows all features with real input, against a running server. It signs in, starts
 * a private registry, registers nodes, uploads documents and pictures, runs a workflow over them
 * and saves the results. One document is broken on purpose: the run reports it and continues.
 * Output and transfers use the command line's modules (cli/); this has only what is specific to the
 * demo.
 */
import { randomUUID } from 'node:crypto';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Cli } from '@cogworks/cli/command';
import { inWords } from '@cogworks/cli/errors';
import { showRun } from '@cogworks/cli/following';
import { outcomeLines, outputsOf } from '@cogworks/cli/outcome';
import { UsageProblem } from '@cogworks/cli/problem';
import { saveOutputs } from '@cogworks/cli/run-outputs';
import { openAnswer, openPages, openScreen } from '@cogworks/cli/terminal';
import type { WorkflowRun } from '@cogworks/sdk/contract.gen';
import { definitionsFor } from './nodes/definitions.ts';
import { getTools, openRegistry } from './private-registry.ts';
import {
  publishWorkflow,
  registerNodes,
  storeCredentials,
  uploadInputs,
  waitForWorker,
} from './set-up.ts';
import { dataDirOf, findServer, revokeKey, signIn } from './sign-in.ts';
import { timesOf } from './times.ts';
import { demoGraph } from './workflow.ts';

const usage = `Usage: npm run demo -- [options]

  --no-previews    leave out the branch that draws first pages
  --width N        width of the thumbnails (280)
  --into FOLDER    where results are saved, in a folder per run (demo-results)
  --keep           leave the registry running until Ctrl-C, where no npm start keeps it

COGWORKS_URL     the server (http://127.0.0.1:8080), with a worker on this machine: the registry listens here only
COGWORKS_API_KEY a key of a tenant admin; without it one is made by the operator's command line`;

type Settings = { baseUrl: string; into: string; width: number; previews: boolean; keep: boolean };

/** Clean-up at the end, however the demo ends; last registered, first run. */
const cleanup = new AsyncDisposableStack();
process.stdout.on('error', () => process.exit(1));
const screen = openScreen(process.stdout, process.env);
const stop = new AbortController();
/** Ctrl-C is a failure until everything is done; with `--keep` it then ends the demo normally. */
let interruptCode = 130;
const longestCleanup_ms = 8000;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
process.exitCode = await main();

async function main(): Promise<number> {
  let baseUrl = '';
  try {
    const settings = readSettings(process.argv.slice(2), process.env);
    if (!settings) return 0;
    baseUrl = settings.baseUrl;
    return await demonstrate(settings);
  } catch (error) {
    // Work interrupted by Ctrl-C fails, but needs no message.
    if (stop.signal.aborted) return interruptCode;
    screen.note(`\n${screen.paint('red', 'The demo stopped.')} ${inWords(error, baseUrl)}\n`);
    return 1;
  } finally {
    await cleanup.disposeAsync();
    screen.close();
  }
}

/**
 * One Ctrl-C may arrive several times: from the terminal, and forwarded by npm and tools/run.mjs.
 */
function interrupt() {
  if (stop.signal.aborted) return;
  stop.abort();
  screen.note('\nStopping what the demo started …');
  setTimeout(() => process.exit(interruptCode), longestCleanup_ms).unref();
}

async function demonstrate(settings: Settings): Promise<number> {
  const { baseUrl } = settings;
  const { step, note, paint, isLive } = screen;
  note(`\n${paint('bold', 'Cogworks demo')}\n`);
  await step('Server', async () => ({
    words: `${baseUrl}/app/`,
    value: await findServer(baseUrl),
  }));
  const built = await step('Tools', async (say) => ({
    value: await getTools(isLive ? say : (text) => note(`  ${text}`)),
    words: 'podman, docker-registry, an image with poppler and imagemagick',
  }));
  const cli = await step('Sign-in', () => signInFor(settings));
  const { client } = cli;
  await step('Worker', () => waitForWorker(client));

  const { registry, image, digest, isKept } = await step('Registry', async () => {
    const opened = await openRegistry(built, dataDirOf(process.env));
    cleanup.defer(opened.stop);
    return { words: `${opened.words}, behind a password`, value: opened };
  });
  await step('Credentials', () => storeCredentials(client, registry));
  const ids = await step('Nodes', () => registerNodes(client, definitionsFor(image, digest)));
  const version_id = await step('Workflow', () => publishWorkflow(client, demoGraph(ids)));
  const cogs = await uploadInputs(cli);

  const cog_ids = cogs.map(({ id }) => id);
  const run = await runWorkflow(cli, version_id, cog_ids, settings);
  return showOutcome(cli, run, settings, isKept);
}

async function signInFor({ baseUrl }: Settings) {
  const { client, email, ownKey } = await signIn(baseUrl, process.env);
  if (ownKey) {
    cleanup.defer(() =>
      revokeKey(client, ownKey).catch(() => screen.note('The API key could not be revoked.')),
    );
  }
  const how = ownKey ? 'a key made for this demo, exchanged for a token' : 'COGWORKS_API_KEY';
  const output = process.stdout;
  const answer = openAnswer(output, process.env);
  const answerPages = openPages(output, process.env);
  const cli: Cli = {
    ...{ client, baseUrl, dir: process.cwd(), signal: stop.signal },
    ...{ screen, answer, answerPages, output },
  };
  return { words: `${email}, by ${how}`, value: cli };
}

async function runWorkflow(
  cli: Cli,
  version_id: number,
  cog_ids: number[],
  { width, previews }: Settings,
): Promise<WorkflowRun> {
  const { client } = cli;
  const extra_variables = { width, make_previews: previews };
  const { workflow_run_id: run_id } = await client.startRun({
    path: { version_id },
    body: { cog_ids, extra_variables },
    idempotencyKey: randomUUID(),
  });
  if (!screen.isLive) screen.note(`\nRun ${run_id}`);
  let hasEnded = false;
  cleanup.defer(async () => {
    if (hasEnded) return;
    const body = { reason: 'The demo was stopped.' };
    const signal = AbortSignal.timeout(3000);
    await client.cancelRun({ path: { run_id }, body, signal }).catch(() => undefined);
  });
  const run = await showRun(cli, run_id);
  hasEnded = true;
  return run;
}

async function showOutcome(
  cli: Cli,
  run: WorkflowRun,
  { into, keep, baseUrl }: Settings,
  isKept: boolean,
): Promise<number> {
  const { note, paint } = screen;
  const folder = join(into, String(run.id));
  const saved = await saveOutputs(cli, run, { into: folder, overwrite: true });
  if (saved.length < outputsOf(run).length) return 1;
  note('');
  for (const line of outcomeLines(run, baseUrl, paint)) note(line);
  note('');
  for (const line of timesOf(run)) note(line);
  note('');
  note(`The results   ${relative(process.cwd(), folder) || '.'}/`);
  note(`The report    ${relative(process.cwd(), join(folder, 'report.html'))}`);
  if (run.output_folder_id) note(`Its files     ${baseUrl}/app/files/${run.output_folder_id}`);
  note('');
  if (run.status !== 'partial_success') {
    note(`One broken file should have made this a partial_success, not ${run.status}.\n`);
    return 1;
  }
  note('broken-scan.pdf is broken on purpose; everything that does not depend on it was made.');
  note('Next: open the report, look at the run, try npm run demo -- --no-previews --width 160.');
  if (isKept) {
    note('The registry runs on beside the server: “Run again” works in the dashboard.\n');
  } else if (keep) {
    await keepRegistry();
  } else {
    note('The registry ends with the demo, so “Run again” cannot work in the dashboard: start the');
    note('server with npm start, which keeps it, or the demo with --keep.\n');
  }
  return 0;
}

/** Until Ctrl-C. */
function keepRegistry(): Promise<never> {
  interruptCode = 0;
  screen.note('The registry runs until Ctrl-C, so the workflow can be started in the dashboard.\n');
  // A timer, because a promise alone would not keep the process.
  const timer = setInterval(() => {}, 60_000);
  return new Promise((_, reject) => {
    stop.signal.addEventListener('abort', () => {
      clearInterval(timer);
      reject(stop.signal.reason);
    });
  });
}

/** @returns undefined when help is asked for. @throws UsageProblem */
function readSettings(args: string[], env: NodeJS.ProcessEnv): Settings | undefined {
  const values = parsed(args);
  if (values.help) {
    console.log(usage);
    return undefined;
  }
  const width = Number(values.width);
  if (!Number.isInteger(width)) throw new UsageProblem('--width must be a whole number.');
  return {
    baseUrl: (env.COGWORKS_URL || 'http://127.0.0.1:8080').replace(/\/+$/, ''),
    into: resolve(values.into),
    width,
    previews: values.previews,
    keep: values.keep,
  };
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        help: { type: 'boolean', short: 'h' },
        previews: { type: 'boolean', default: true },
        width: { type: 'string', default: '280' },
        into: { type: 'string', default: join(import.meta.dirname, '../../demo-results') },
        keep: { type: 'boolean', default: false },
      },
      allowNegative: true,
    }).values;
  } catch (error) {
    throw new UsageProblem(`${(error as Error).message}\n\n${usage}`);
  }
}
