/**
 * One call of the engine's program, never through a shell: takes arguments, returns the exit code
 * and bounded output.
 */
import { spawn } from 'node:child_process';

export type CommandResult = {
  /** Null if a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
};

export type CommandOptions = {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  signal?: AbortSignal;
  timeout_ms?: number;
};

const mostText = 4 * 1024 * 1024;

/** Rejects only if the program cannot be started or the signal is aborted. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { env, cwd, signal, timeout_ms: timeout } = options;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    // Its own process group: Ctrl-C reaches only the worker, which ends it in order.
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      killSignal: 'SIGKILL',
      ...(env && { env }),
      ...(cwd && { cwd }),
      ...(signal && { signal }),
    });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (text: string) => {
        texts[name] = (texts[name] + text).slice(-mostText);
      });
    }
    // Not spawn's own `timeout`: its timer outlives a program that could not be started.
    const timer = timeout && setTimeout(() => child.kill('SIGKILL'), timeout);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, ...texts });
    });
  });
}

/** The engine's program with the settings that every call needs. */
export type Program = {
  command: string;
  /** Placed before the arguments of a call. */
  settings: readonly string[];
  env: NodeJS.ProcessEnv;
};

export const callProgram = (
  { command, settings, env }: Program,
  args: readonly string[],
  options: Omit<CommandOptions, 'env'> = {},
): Promise<CommandResult> => runCommand(command, [...settings, ...args], { ...options, env });

/** The last non-empty line, where engines report errors. */
export const lastLine = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .at(-1)
    ?.replace(/^Error: /, '')
    .trim() ?? '';
