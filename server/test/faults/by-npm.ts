/** Programs started as users start them: by npm, in a terminal or in the background. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '../until.ts';
import { processesOf } from './processes.ts';

const root = join(import.meta.dirname, '../../..');

export type Where = 'terminal' | 'background';

export type ByNpm = {
  /** npm itself, or the terminal it runs in. */
  child: ChildProcess;
  exited: Promise<unknown>;
  lines: string[];
  /** Presses keys; in a terminal only. */
  type(keys: string): void;
};

/** Resolves once the program has written something like `isReady`. */
export async function startByNpm(
  script: string,
  env: Record<string, string>,
  where: Where,
  isReady: RegExp,
): Promise<ByNpm> {
  const [command = '', ...args] =
    where === 'terminal'
      ? ['script', '--quiet', '--command', `npm ${script}`, '/dev/null']
      : ['npm', ...script.split(' ')];
  const child = spawn(command, args, {
    cwd: root,
    env: { ...env, npm_config_update_notifier: 'false' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const exited = once(child, 'exit');
  exited.catch(() => undefined);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  const ready = () => {
    if (child.exitCode !== null) throw new Error(lines.join('\n'));
    return lines.some((line) => isReady.test(line));
  };
  await until(`npm ${script} is ready`, ready, 120_000);
  return { child, exited, lines, type: (keys) => void child.stdin.write(keys) };
}

/** The processes from the terminal down to the program, outermost first. */
const layers = {
  npm: /^npm (start|run)/,
  script: /^\S*node \S*tools\/run\.mjs/,
  server: /^\S*node (--\S+ )*\S*tools\/start\.ts/,
} as const;

export type Layer = keyof typeof layers;

/** The process of this layer that works on `dir`. */
export async function pidOf(layer: Layer, dir: string): Promise<number> {
  const found = (await processesOf(dir)).find(({ command }) => layers[layer].test(command));
  if (!found) throw new Error(`There is no ${layer} for ${dir}.`);
  return found.pid;
}

/** Waits until no process works on `dir` any more. @throws Error that names those left. */
export async function untilNothingIsLeft(dir: string): Promise<void> {
  const isEmpty = async () => (await processesOf(dir)).length === 0;
  await until('nothing is left', isEmpty).catch(async (error: Error) => {
    const left = (await processesOf(dir)).map(({ pid, command }) => `${pid} ${command}`);
    throw new Error(`${error.message}\n${left.join('\n')}`);
  });
}
