/** One call of the engine's program: arguments in, exit code and bounded texts out; never a shell. */
import { spawn } from 'node:child_process';

export interface CommandResult {
  /** Null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  signal?: AbortSignal;
  timeout_ms?: number;
}

const TEXT_LIMIT = 4 * 1024 * 1024;

/** Rejects only when the program cannot be started or the signal was aborted. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { env, cwd, signal, timeout_ms: timeout } = options;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    // Its own process group: Ctrl-C on a terminal is the worker's to handle, and a half-done pull is not.
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      killSignal: 'SIGKILL',
      ...(env && { env }),
      ...(cwd && { cwd }),
      ...(signal && { signal }),
      ...(timeout && { timeout }),
    });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (text: string) => {
        texts[name] = (texts[name] + text).slice(-TEXT_LIMIT);
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}

/** The last line with something on it: where engines say what went wrong. */
export const lastLine = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .at(-1)
    ?.replace(/^Error: /, '')
    .trim() ?? '';
