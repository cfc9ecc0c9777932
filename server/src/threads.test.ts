import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { examples } from '../test/thread-examples.ts';
import { DomainError, mostFaults } from './errors.ts';
import { openThreads } from './threads.ts';

const file = new URL('../test/thread-examples.ts', import.meta.url);
const open = (options = {}) => {
  const threads = openThreads<typeof examples>(file, options);
  after(() => threads.close());
  return threads;
};

describe('work on threads', () => {
  it('gives what the task returns, and throws what it throws', async () => {
    const threads = open();
    assert.deepEqual(await threads.run(1, 'double', { of: [1, 2] }), [2, 4]);
    await assert.rejects(
      threads.run(1, 'refuse', { faults: mostFaults + 5 }),
      (error) =>
        error instanceof DomainError &&
        error.problem === 'unprocessable' &&
        error.fields?.length === mostFaults &&
        error.more_faults === 5,
    );
    await assert.rejects(threads.run(1, 'break', null), /TypeError: broken/);
  });

  it('ends a task that takes too long, and goes on with the next', async () => {
    const threads = open({ count: 1, timeout_ms: 1000, patience: 1000 });
    const endless = threads.run(1, 'spin', null);
    const next = threads.run(1, 'double', { of: [4] });
    await assert.rejects(endless, (error: DomainError) => error.fields?.[0]?.type === 'too_costly');
    assert.deepEqual(await next, [8]);
  });

  it('ends a task that gets no core, and does not say that it was at fault', async () => {
    const threads = open({ count: 1, timeout_ms: 1000, patience: 1 });
    await assert.rejects(
      threads.run(1, 'spin', null),
      (error: DomainError) => error.problem === 'unavailable' && error.code === 'took_too_long',
    );
    assert.deepEqual(await threads.run(1, 'double', { of: [4] }), [8]);
  });

  it('ends a task that takes too much memory, and goes on', async () => {
    const threads = open({ count: 1, memory_mb: 16 });
    await assert.rejects(
      threads.run(1, 'fill', null),
      (error: DomainError) => error.fields?.[0]?.type === 'too_costly',
    );
    assert.deepEqual(await threads.run(1, 'double', { of: [4] }), [8]);
  });

  it('lets nobody wait for more than one task of another', async () => {
    const threads = open({ count: 1 });
    const order: string[] = [];
    const run = (owner: number, name: string) =>
      threads.run(owner, 'double', { of: [1] }).then(() => order.push(name));
    await Promise.all([
      ...Array.from({ length: 20 }, () => run(1, 'hostile')),
      run(2, 'other'),
      run(3, 'other'),
    ]);
    assert.equal(order.lastIndexOf('other'), 3, order.join(' '));
  });

  it('refuses an owner with many tasks waiting, and nobody else', async () => {
    const threads = open();
    const run = (owner: number) => threads.run(owner, 'double', { of: [1] });
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, () => run(1)).concat(run(2)),
    );
    const refused = results.filter(({ status }) => status === 'rejected');
    assert.ok(refused.length > 0);
    for (const one of refused) {
      assert.equal((one as PromiseRejectedResult).reason.problem, 'too_many_requests');
    }
    assert.equal(results.at(-1)?.status, 'fulfilled');
  });

  it('leaves nothing waiting when it is closed', async () => {
    const threads = open({ count: 1 });
    const tasks = [threads.run(1, 'spin', null), threads.run(2, 'spin', null)];
    const ended = Promise.all(
      tasks.map((task) =>
        assert.rejects(task, (error: DomainError) => error.problem === 'unavailable'),
      ),
    );
    await threads.close();
    await ended;
    await assert.rejects(threads.run(1, 'double', { of: [1] }), /stopping/);
  });
});
