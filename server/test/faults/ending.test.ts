/**
 * Whatever ends `npm start` and `npm run worker`, in a terminal or without one: all of it ends, in
 * order, and nothing is left.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { serverEnvironment, until } from '../installation.ts';
import { killAll, processesOf } from './processes.ts';

const root = join(import.meta.dirname, '../../..');
const dir = await mkdtemp(join(tmpdir(), 'cogworks-ending-'));
const started: ChildProcess[] = [];
after(async () => {
  for (const child of started) if (child.exitCode === null) child.kill('SIGKILL');
  await killAll(dir);
  await rm(dir, { recursive: true, force: true });
});

const env = {
  ...serverEnvironment(dir),
  PORT: '0',
  LOCAL_WORKER: 'off',
  npm_config_update_notifier: 'false',
};

/** `npm start` as somebody types it in a terminal, or as a script starts it in the background. */
async function start(where: 'terminal' | 'background') {
  const lines: string[] = [];
  const [command, ...args] =
    where === 'terminal'
      ? ['script', '--quiet', '--command', 'npm start', '/dev/null']
      : ['npm', 'start'];
  const child = spawn(command as string, args, {
    cwd: root,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  started.push(child);
  const exited = once(child, 'exit');
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  await until(
    'the server is ready',
    () => {
      if (child.exitCode !== null) throw new Error(lines.join('\n'));
      return lines.some((line) => /is ready at/.test(line));
    },
    120_000,
  );
  return { child, exited, lines };
}

/** The processes between the terminal and the database, from the outside in. */
const layers = {
  npm: /^npm start/,
  script: /^\S*node \S*tools\/run\.mjs/,
  server: /^\S*node \S*tools\/start\.ts/,
} as const;

async function pidOf(layer: keyof typeof layers): Promise<number> {
  const found = (await processesOf(dir)).find(({ command }) => layers[layer].test(command));
  assert.ok(found, `${layer} runs`);
  return found.pid;
}

async function assertAllEnds() {
  await until('nothing is left', async () => (await processesOf(dir)).length === 0, 60_000).catch(
    async (error: Error) => {
      const left = (await processesOf(dir)).map(({ pid, command }) => `${pid} ${command}`);
      throw new Error(`${error.message}\n${left.join('\n')}`);
    },
  );
  // PostgreSQL removes it when it has ended in order.
  assert.ok(!existsSync(join(dir, 'postgres/data/postmaster.pid')), 'the database was killed');
}

describe('npm start in a terminal', () => {
  it('ends by Ctrl-C, also when it is pressed again', async () => {
    const { child, exited } = await start('terminal');

    child.stdin?.write('\x03');
    child.stdin?.write('\x03');

    await exited;
    await assertAllEnds();
  });

  it('ends when the terminal is closed', async () => {
    const { child } = await start('terminal');

    child.kill('SIGKILL');

    await assertAllEnds();
  });
});

describe('npm start in the background', () => {
  const cases: [keyof typeof layers, NodeJS.Signals][] = [
    ['npm', 'SIGTERM'],
    ['npm', 'SIGINT'],
    ['npm', 'SIGHUP'],
    ['npm', 'SIGKILL'],
    ['script', 'SIGTERM'],
    ['script', 'SIGKILL'],
    ['server', 'SIGTERM'],
    ['server', 'SIGHUP'],
  ];
  for (const [layer, signal] of cases) {
    it(`ends by ${signal} to ${layer}`, async () => {
      const { exited } = await start('background');

      process.kill(await pidOf(layer), signal);

      await exited;
      await assertAllEnds();
    });
  }
});
