/**
 * `cogworks`: files, runs and results from a terminal, through the public API only. Each command is
 * a file in commands/; this one finds the command, passes it what it needs, and turns errors into a
 * message and an exit code.
 */
import { setFlagsFromString } from 'node:v8';
import { createClient } from '@cogworks/sdk/client';
import { exchangeApiKey } from '@cogworks/sdk/tokens';
import manifest from '../package.json' with { type: 'json' };
import type { Action, Cli, Command } from './command.ts';
import { cancel } from './commands/cancel.ts';
import { cp } from './commands/cp.ts';
import { get } from './commands/get.ts';
import { ls } from './commands/ls.ts';
import { mkdir } from './commands/mkdir.ts';
import { mv } from './commands/mv.ts';
import { put } from './commands/put.ts';
import { restore } from './commands/restore.ts';
import { rm } from './commands/rm.ts';
import { run } from './commands/run.ts';
import { runs } from './commands/runs.ts';
import { share } from './commands/share.ts';
import { trash } from './commands/trash.ts';
import { trigger } from './commands/trigger.ts';
import { triggers } from './commands/triggers.ts';
import { url } from './commands/url.ts';
import { versions } from './commands/versions.ts';
import { watch } from './commands/watch.ts';
import { whoami } from './commands/whoami.ts';
import { Interrupted, inWords } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { UsageProblem } from './problem.ts';
import { readSettings } from './settings.ts';
import { openAnswer, openPages, openScreen } from './terminal.ts';

const commands: Record<string, Command> = {
  ...{ ls, put, get, versions },
  ...{ mkdir, mv, cp, rm, share, trash, restore, url },
  ...{ run, runs, watch, cancel, triggers, trigger, whoami },
};

// `fetch` of Node reads answers by a large function in WebAssembly, which V8 optimizes after four
// requests: that takes 160 ms of a processor and 40 MB, a quarter of what a short command takes in
// all. It is worth that after some thirty.
setFlagsFromString('--wasm-tiering-budget=200000000');

const longestCleanup_ms = 5000;
const screen = openScreen(process.stderr, process.env);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
// In `cogworks ls | head` the reader closes the pipe when it has enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  screen.note(inWords(error, ''));
  process.exit(exitCodes.failed);
});
// Nobody reads the progress any more, as in `cogworks get /Documents 2>&1 | head`; the work goes on.
process.stderr.on('error', () => {});
process.exitCode = await main(process.argv.slice(2));

async function main([word, ...args]: string[]): Promise<number> {
  if (word === undefined) return refuse('Say what to do.', usage());
  if (word === 'help' || word === '--help' || word === '-h') return tell(usage());
  if (word === '--version' || word === '-v') return tell(manifest.version);
  const command = findCommand(word);
  if (!command) {
    return refuse(`There is no command “${word}”.`, '`cogworks --help` lists the commands.');
  }
  if (asksForHelp(args)) return tell(usageOf(command));
  const action = readArguments(command, args);
  return typeof action === 'number' ? action : act(action);
}

function findCommand(word: string): Command | undefined {
  if (Object.hasOwn(commands, word)) return commands[word];
  return Object.values(commands).find(({ alias }) => alias === word);
}

function readArguments(command: Command, args: string[]): Action | number {
  try {
    return command.read(args);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!(error instanceof UsageProblem) && !code.startsWith('ERR_PARSE_ARGS')) throw error;
    return refuse((error as Error).message, usageOf(command));
  }
}

async function act(action: Action): Promise<number> {
  let baseUrl = '';
  try {
    const settings = readSettings(process.env, process.cwd());
    baseUrl = settings.baseUrl;
    return await action(open(settings));
  } catch (error) {
    screen.close();
    // Work interrupted by Ctrl-C fails, but needs no message.
    if (stop.signal.aborted) return exitCodes.interrupted;
    screen.note(inWords(error, baseUrl));
    return error instanceof UsageProblem ? exitCodes.usage : exitCodes.failed;
  } finally {
    screen.close();
  }
}

function open({ baseUrl, apiKey, dir, silence_ms }: ReturnType<typeof readSettings>): Cli {
  const client = createClient({ baseUrl, token: exchangeApiKey(baseUrl, apiKey), silence_ms });
  const output = process.stdout;
  const answers = {
    answer: openAnswer(output, process.env),
    answerPages: openPages(output, process.env),
  };
  return { client, baseUrl, dir, screen, ...answers, output, signal: stop.signal };
}

/**
 * One Ctrl-C may arrive several times: from the terminal, and forwarded by npm and tools/run.mjs.
 */
function interrupt() {
  if (stop.signal.aborted) return;
  stop.abort(new Interrupted());
  setTimeout(() => {
    screen.close();
    process.exit(exitCodes.interrupted);
  }, longestCleanup_ms).unref();
}

function asksForHelp(args: string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
}

function refuse(why: string, how: string): number {
  screen.note(`${why}\n\n${how}`);
  return exitCodes.usage;
}

function tell(text: string): number {
  process.stdout.write(`${text}\n`);
  return exitCodes.ok;
}

function usageOf({ usage, help }: Command): string {
  return `Usage: cogworks ${usage}\n\n${help}\n  --json   machine-readable output on stdout`;
}

function usage(): string {
  const rows = Object.values(commands).map(
    ({ usage, help }) => `  ${usage}\n      ${help.split('\n')[0]}`,
  );
  return `Usage: cogworks COMMAND …

${rows.join('\n')}

Every command takes --help, and --json for machine-readable output on stdout.
--version says which release this is.
PATH is a path of names below the root, such as /Documents/a.pdf.

COGWORKS_URL       the server, http://127.0.0.1:8080 unless given
COGWORKS_API_KEY   an API key, from Settings › API keys in the dashboard
COGWORKS_TIMEOUT   seconds without a byte after which a transfer is tried again, 60 unless given

Exit codes: 0 done; 1 failed, also a run that did; 2 typed wrongly; 3 a run that succeeded in part.`;
}
