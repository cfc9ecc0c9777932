/**
 * However `npm start` and `npm run worker` are ended, in a terminal or without one: all processes
 * end in order, and none is left.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { serverEnvironment } from '../installation.ts';
import {
  type ByNpm,
  type Layer,
  pidOf,
  startByNpm,
  untilNothingIsLeft,
  type Where,
} from './by-npm.ts';
import { killAll } from './processes.ts';

const dir = await mkdtemp(join(tmpdir(), 'cogworks-ending-'));
const started: ByNpm[] = [];
after(async () => {
  for (const { child } of started) if (child.exitCode === null) child.kill('SIGKILL');
  await killAll(dir);
  await rm(dir, { recursive: true, force: true });
});

async function start(where: Where) {
  const env = { ...serverEnvironment(dir), PORT: '0', LOCAL_WORKER: 'off' };
  const one = await startByNpm('start', env, where, /is ready at/);
  started.push(one);
  return one;
}

async function assertAllEnds() {
  await untilNothingIsLeft(dir);
  // PostgreSQL removes this file when it shuts down normally.
  assert.ok(!existsSync(join(dir, 'postgres/data/postmaster.pid')), 'the database was killed');
}

describe('npm start in a terminal', () => {
  it('ends by Ctrl-C, also when it is pressed again', async () => {
    const { type, exited } = await start('terminal');

    type('\x03');
    type('\x03');

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
  const cases: [Layer, NodeJS.Signals][] = [
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

      process.kill(await pidOf(layer, dir), signal);

      await exited;
      await assertAllEnds();
    });
  }
});
