import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leaseStage } from '../../test/leases.ts';
import { type Order, scriptedWorker } from '../../test/worker.ts';

describe('a report', () => {
  it('sent again after a lost answer is fine, and counts once', async () => {
    const { worker, start, look, server } = await leaseStage();
    const id = await start();
    const [order] = await worker.acquire();
    await worker.started(order);
    const report = {
      status: 'success',
      exit_code: 0,
      outputs: await worker.upload(order, [{ port: 'out', name: 'a', text: 'a' }]),
    };

    const answers = await Promise.all([1, 2, 3].map(() => worker.complete(order, report)));

    assert.deepEqual(
      answers.map((answer) => answer.status),
      [204, 204, 204],
    );
    const ended = await look(id);
    assert.equal(ended.run_files.filter((file: Order) => file.direction === 'output').length, 1);
    const usage = await server.services.db`select from usage_events where run_id = ${id}`;
    assert.equal(usage.length, 1);
  });

  it('of a success counts as one only with every declared output, whole and its own', async () => {
    const { worker, other, start, look } = await leaseStage();
    const outcomes: string[] = [];
    for (const cheat of [
      async () => [],
      async (order: Order) => [
        ...(await worker.upload(order, [
          { port: 'out', name: 'a', text: 'a' },
          { port: 'out', name: 'b', text: 'b' },
        ])),
      ],
      async (order: Order) => [
        { ...(await worker.upload(order, [{ port: 'nowhere', name: 'a', text: 'a' }]))[0] },
      ],
    ]) {
      const id = await start();
      const [order] = await worker.acquire();
      await worker.complete(order, {
        status: 'success',
        exit_code: 0,
        outputs: await cheat(order),
      });
      const [nodeRun] = (await look(id)).node_runs;
      outcomes.push(`${nodeRun.status} ${nodeRun.error_class}`);
    }
    assert.deepEqual(outcomes, [
      'failure output_missing',
      'failure output_invalid',
      'failure output_invalid',
    ]);

    // An upload that is missing, or belongs to another attempt, is retried on the platform's
    // budget.
    await start(2);
    const [mine] = await worker.acquire(1);
    const [theirs] = await other.acquire(1);
    const foreign = await other.upload(theirs, [{ port: 'out', name: 'x', text: 'x' }]);
    await worker.complete(mine, { status: 'success', exit_code: 0, outputs: foreign });
    await other.complete(theirs, { status: 'success', exit_code: 0, outputs: foreign });
  });
});

describe('a failed attempt', () => {
  const resources = { cpu: 0.5, memory_mb: 100, gpu: 0, disk_mb: 10 };

  it('is tried again by the budget of its definition, with more memory after running out of it', async () => {
    const { worker, start, look, server } = await leaseStage();
    const id = await start(1, { resources, retry: { max_attempts: 2, on: ['oom'] } });
    const [first] = await worker.acquire();
    await worker.fail(first, {
      exit_code: 137,
      error_class: 'oom',
      error_message: 'exit code 137 (out of memory)',
    });

    const waiting = (await look(id)).node_runs[0];
    assert.equal(waiting.status, 'queued');
    assert.match(
      waiting.queue_reason,
      /^the program ended with exit code 137 \(out of memory\), next try in \d s$/,
    );
    assert.deepEqual(await worker.acquire(), []);
    await server.services.db`update ready_queue set not_before = now() where run_id = ${id}`;
    const [second] = await worker.acquire();
    assert.equal(second.resources.memory_mb, 150);
    await worker.fail(second, {
      exit_code: 137,
      error_class: 'oom',
      error_message: 'exit code 137 (out of memory)',
    });

    const ended = await look(id);
    assert.equal(ended.status, 'failure');
    assert.match(ended.error_message, /out of memory/);
  });

  it('that took three workers with it is poison', async () => {
    const { worker, other, start, look, lapse, sweep, server, owner } = await leaseStage();
    const third = await scriptedWorker(server, owner.user.tenant_id);
    const id = await start();

    for (const victim of [worker, other, third]) {
      const [order] = await victim.acquire();
      await lapse(order);
      await sweep();
    }

    const ended = await look(id);
    assert.equal(ended.status, 'failure');
    assert.equal(ended.node_runs[0].error_class, 'poison');
  });
});
