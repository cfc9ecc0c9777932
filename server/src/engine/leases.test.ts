import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leaseStage } from '../../test/leases.ts';
import { type Order, scriptedWorker } from '../../test/worker.ts';
import { acquire } from '../resources/workers/protocol.ts';

describe('a lease', () => {
  it('hands each node run to one worker, however many ask at once', async () => {
    const { worker, other, start } = await leaseStage();
    await start(12);

    const taken = await Promise.all(
      [worker, other, worker, other].map((asking) => asking.acquire(6)),
    );
    const rest = [...(await worker.acquire(20)), ...(await other.acquire(20))];

    const ids = [...taken.flat(), ...rest].map((order) => order.shard_index);
    assert.deepEqual(
      ids.sort((a, b) => a - b),
      Array.from({ length: 12 }, (_, index) => index),
    );
  });

  it('gives only what fits together into the room a worker has', async () => {
    const { worker, start } = await leaseStage();
    await start(4, { resources: { cpu: 1, memory_mb: 400, gpu: 0, disk_mb: 10 } });

    const orders = await worker.acquire(10, { cpu: 8, memory_mb: 1000, gpu: 0, disk_mb: 1000 });

    assert.equal(orders.length, 2);
  });

  it('is never given twice into one room, though the worker asks twice at once', async () => {
    const { worker, start } = await leaseStage();
    const wide = { cpu: 3, memory_mb: 64, gpu: 0, disk_mb: 64 };
    await start(6, { resources: wide });

    const taken = await Promise.all([1, 2, 3, 4].map(() => worker.acquire()));

    assert.equal(taken.flat().length, 2);
  });

  it('goes back unharmed when nobody is there any more to take the order', async () => {
    const { worker, start, look, server } = await leaseStage();
    const id = await start();
    const gone = new AbortController();
    const free = { cpu: 8, memory_mb: 16_384, gpu: 0, disk_mb: 100_000 };
    const caller = { id: worker.id, epoch: undefined };

    const answer = acquire(server.services, caller, { free, max: 1 }, gone.signal);
    gone.abort();

    assert.deepEqual(await answer, []);
    const [order] = await worker.acquire();
    assert.equal(order.run_id, id);
    await worker.succeed(order);
    assert.equal((await look(id)).status, 'success');
    const attempts = await server.services.db`
      select status, error_class from attempts where run_id = ${id} order by id
    `;
    assert.deepEqual(
      attempts.map((row) => [row.status, row.error_class]),
      [
        ['failure', 'evicted'],
        ['success', undefined],
      ],
    );
  });

  it('that ran out lets the work go on elsewhere, and the late report changes nothing', async () => {
    const { worker, other, start, look, lapse, sweep, server } = await leaseStage();
    const id = await start();
    const [first] = await worker.acquire();
    const outputs = await worker.upload(first, [{ port: 'out', name: 'late.txt', text: 'late' }]);
    await lapse(first);

    assert.equal(await sweep(), 1);
    const [second] = await other.acquire();
    assert.equal(second.node_key, first.node_key);
    const late = await worker.complete(first, { status: 'success', exit_code: 0, outputs });
    assert.equal(late.status, 409);
    assert.equal(late.body.code, 'lease_lost');
    assert.deepEqual((await worker.heartbeat([first])).body.abandon, [first.attempt_id]);
    await other.succeed(second, [{ port: 'out', name: 'real.txt', text: 'real' }]);

    const ended = await look(id);
    assert.equal(ended.status, 'success');
    assert.deepEqual(
      ended.run_files
        .filter((file: Order) => file.direction === 'output')
        .map((file: Order) => file.name),
      ['real.txt'],
    );
    const { db } = server.services;
    const usage = await db`select from usage_events where run_id = ${id}`;
    assert.equal(usage.length, 1);
    // The late worker's upload belongs to nothing, and is removed.
    const states = await db`
      select state from objects join attempt_uploads on object_id = objects.id where attempt_id = ${first.attempt_id}
    `;
    assert.deepEqual(
      states.map((row) => row.state),
      ['dead'],
    );
  });

  it('that ran out but was not taken from the worker yet still lets its report in', async () => {
    const { worker, start, look, lapse } = await leaseStage();
    const id = await start();
    const [order] = await worker.acquire();
    await lapse(order);

    assert.equal((await worker.succeed(order)).status, 204);
    assert.equal((await look(id)).status, 'success');
  });

  it('is renewed by a heartbeat between the sweep that saw it and the one that would reap it', async () => {
    const { worker, start, look, lapse, sweep } = await leaseStage();
    const id = await start();
    const [order] = await worker.acquire();
    await lapse(order);
    await worker.heartbeat([order]);

    assert.equal(await sweep(), 0);
    await worker.succeed(order);
    assert.equal((await look(id)).status, 'success');
  });

  it('of a worker that just started is free at once: it holds nothing any more', async () => {
    const { worker, other, start } = await leaseStage();
    await start();
    const [order] = await worker.acquire();

    await worker.heartbeat([], { just_started: true });

    const [again] = await other.acquire();
    assert.equal(again.shard_index, order.shard_index);
  });

  it('cannot be taken over by another worker or another tenant', async () => {
    const { worker, other, stranger, server, start } = await leaseStage();
    await start();
    const [order] = await worker.acquire();
    const foreign = await scriptedWorker(server, stranger.user.tenant_id);

    for (const thief of [other, foreign]) {
      assert.equal((await thief.complete(order, { status: 'success', exit_code: 0 })).status, 404);
      assert.equal((await thief.started(order)).status, 404);
      assert.deepEqual((await thief.heartbeat([order])).body.abandon, [order.attempt_id]);
    }
    assert.deepEqual(await foreign.acquire(), []);
    assert.equal((await worker.succeed(order)).status, 204);
  });
});

describe('cancelling with a worker that is gone', () => {
  it('is enforced by the sweeper', async () => {
    const { worker, owner, start, look, lapse, sweep } = await leaseStage();
    const id = await start();
    const [order] = await worker.acquire();
    await owner.post(`/workflows/workflow-runs/${id}/cancel`);
    await lapse(order);

    await sweep();

    assert.equal((await look(id)).status, 'cancelled');
    const late = await worker.complete(order, { status: 'success', exit_code: 0 });
    assert.equal(late.status, 409);
    assert.equal((await look(id)).status, 'cancelled');
  });

  it('that races with a completion ends one way or the other, never both', async () => {
    const { worker, owner, start, look } = await leaseStage();
    for (let round = 0; round < 8; round += 1) {
      const id = await start();
      const [order] = await worker.acquire();
      const outputs = await worker.upload(order, [{ port: 'out', name: 'a', text: 'a' }]);
      const [done, cancelled] = await Promise.all([
        worker.complete(order, { status: 'success', exit_code: 0, outputs }),
        owner.post(`/workflows/workflow-runs/${id}/cancel`),
      ]);
      const { status } = await look(id);
      assert.equal(done.status, 204);
      assert.equal(status, 'success');
      assert.ok(cancelled.status === 200 || cancelled.status === 409);
    }
  });
});
