import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { restartPause, supervise } from './supervisor.ts';

const idle = () =>
  spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });

describe('a supervised process', () => {
  it('is started again with pauses that double, up to half a minute', () => {
    const pauses = [1, 2, 3, 4, 8, 9, 1000].map(restartPause);
    assert.deepEqual(pauses, [250, 500, 1000, 2000, 30_000, 30_000, 30_000]);
  });

  it('is started again whatever ended it: a signal, its own end, a start that fails', async () => {
    const started: ChildProcess[] = [];
    const told: [string, number][] = [];
    const missing = () => spawn('/no/such/program', { stdio: 'ignore' });
    const next = [
      () => spawn(process.execPath, ['-e', 'process.exit(3)'], { stdio: 'ignore' }),
      missing,
      () => {
        throw new Error('no process left');
      },
      idle,
    ];
    const last = Promise.withResolvers<ChildProcess>();
    const first = idle();
    const supervised = supervise(
      first,
      () => {
        const child = (next.shift() ?? idle)();
        started.push(child);
        if (next.length === 0) last.resolve(child);
        return child;
      },
      (reason, pause_ms) => told.push([reason, pause_ms]),
    );

    first.kill('SIGKILL');
    const running = await last.promise;
    await supervised.stop('SIGTERM');

    assert.equal(running.signalCode, 'SIGTERM');
    assert.deepEqual(told, [
      ['SIGKILL', 250],
      ['exit code 3', 500],
      ['spawn /no/such/program ENOENT', 1000],
      ['no process left', 2000],
    ]);
  });

  it('waits longer after each start that fails, however long it ran before', async () => {
    let now_ms = 0;
    const pauses: number[] = [];
    const failed = Promise.withResolvers<void>();
    const first = idle();
    const supervised = supervise(
      first,
      () => {
        throw new Error('no process left');
      },
      (_reason, pause_ms) => {
        pauses.push(pause_ms);
        if (pauses.length === 3) failed.resolve();
      },
      () => now_ms,
    );
    await once(first, 'spawn');

    now_ms = 61_000;
    first.kill('SIGKILL');
    await failed.promise;
    await supervised.stop('SIGTERM');

    assert.deepEqual(pauses, [250, 500, 1000]);
  });

  it('stays stopped, also in the pause before its next start', async () => {
    const first = idle();
    const ended = Promise.withResolvers<void>();
    const supervised = supervise(
      first,
      () => assert.fail('started again'),
      () => ended.resolve(),
    );
    await once(first, 'spawn');
    first.kill('SIGKILL');
    await ended.promise;

    await supervised.stop('SIGTERM');
    await supervised.stop('SIGTERM');
  });
});
