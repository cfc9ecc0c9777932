import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Cast, type Client, cast } from '../../test/cast.ts';
import { sweepInPeace } from '../../test/sweeps.ts';
import { type Order, type ScriptedWorker, scriptedWorker } from '../../test/worker.ts';
import { mappedGraph, registerNode, storeCredentials } from '../../test/workflows.ts';
import { acquire } from '../resources/workers/protocol.ts';

type Stage = Cast & {
  worker: ScriptedWorker;
  other: ScriptedWorker;
  /** Starts a run of one mapped node over `count` files. @returns its id. */
  start(count?: number, definition?: Record<string, unknown>): Promise<number>;
  look(id: number): Promise<Order>;
  /** Makes the lease expire, by the database's clock. */
  lapse(order: Order): Promise<void>;
  sweep(): Promise<number>;
};

async function stage(): Promise<Stage> {
  const people = await cast();
  const { owner, server } = people;
  await storeCredentials(people.admin);
  const { db } = server.services;
  const tenantId = owner.user.tenant_id;
  const [worker, other] = await Promise.all([
    scriptedWorker(server, tenantId),
    scriptedWorker(server, tenantId),
  ]);
  const upload = async (client: Client, name: string) => (await client.upload(name, name)).body.id;
  return {
    ...people,
    worker,
    other,
    start: async (count = 1, definition = {}) => {
      const graph = mappedGraph(await registerNode(owner, definition));
      const { body } = await owner.post('/workflows', { name: 'Leases', graph });
      const cog_ids = await Promise.all(
        Array.from({ length: count }, (_, index) => upload(owner, `${Math.random()}-${index}`)),
      );
      const started = await owner.post(
        `/workflows/workflow-versions/${body.latest_version_id}/run`,
        { cog_ids },
      );
      return started.body.workflow_run_id;
    },
    look: async (id) => (await owner.get(`/workflows/workflow-runs/${id}`)).body,
    lapse: async (order) => {
      await db`update attempts set lease_expires_at = now() - interval '1 second' where id = ${order.attempt_id}`;
    },
    sweep: () => sweepInPeace(server.services),
  };
}

describe('a lease', () => {
  it('hands each node run to one worker, however many ask at once', async () => {
    const { worker, other, start } = await stage();
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
    const { worker, start } = await stage();
    await start(4, { resources: { cpu: 1, memory_mb: 400, gpu: 0, disk_mb: 10 } });

    const orders = await worker.acquire(10, { cpu: 8, memory_mb: 1000, gpu: 0, disk_mb: 1000 });

    assert.equal(orders.length, 2);
  });

  it('is never given twice into one room, though the worker asks twice at once', async () => {
    const { worker, start } = await stage();
    const wide = { cpu: 3, memory_mb: 64, gpu: 0, disk_mb: 64 };
    await start(6, { resources: wide });

    const taken = await Promise.all([1, 2, 3, 4].map(() => worker.acquire()));

    assert.equal(taken.flat().length, 2);
  });

  it('goes back unharmed when nobody is there any more to take the order', async () => {
    const { worker, start, look, server } = await stage();
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
    const { worker, other, start, look, lapse, sweep, server } = await stage();
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
    const { worker, start, look, lapse } = await stage();
    const id = await start();
    const [order] = await worker.acquire();
    await lapse(order);

    assert.equal((await worker.succeed(order)).status, 204);
    assert.equal((await look(id)).status, 'success');
  });

  it('is renewed by a heartbeat between the sweep that saw it and the one that would reap it', async () => {
    const { worker, start, look, lapse, sweep } = await stage();
    const id = await start();
    const [order] = await worker.acquire();
    await lapse(order);
    await worker.heartbeat([order]);

    assert.equal(await sweep(), 0);
    await worker.succeed(order);
    assert.equal((await look(id)).status, 'success');
  });

  it('of a worker that just started is free at once: it holds nothing any more', async () => {
    const { worker, other, start } = await stage();
    await start();
    const [order] = await worker.acquire();

    await worker.heartbeat([], { just_started: true });

    const [again] = await other.acquire();
    assert.equal(again.shard_index, order.shard_index);
  });

  it('cannot be taken over by another worker or another tenant', async () => {
    const { worker, other, stranger, server, start } = await stage();
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

describe('a report', () => {
  it('sent again after a lost answer is fine, and counts once', async () => {
    const { worker, start, look, server } = await stage();
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
    const { worker, other, start, look } = await stage();
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
    const { worker, start, look, server } = await stage();
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
    const { worker, other, start, look, lapse, sweep, server, owner } = await stage();
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

describe('the charge', () => {
  async function charges(server: Cast['server'], runId: number) {
    const rows = await server.services.db<{ seconds: number; millicredits: number }[]>`
      select seconds::float8, millicredits from usage_events where run_id = ${runId} order by attempt_id
    `;
    return rows.map((row) => [row.seconds >= 60, row.millicredits > 0]);
  }
  const runFor = (server: Cast['server'], order: Order, minutes: number) =>
    server.services
      .db`update attempts set started_at = now() - make_interval(mins => ${minutes}) where id = ${order.attempt_id}`;

  it('is for the container alone: nothing for what the platform spoilt', async () => {
    const { worker, start, server } = await stage();
    const id = await start();
    const notStored = { port: 'out', name: 'a', object_id: 1, size_bytes: 1 };
    const outputs = [{ ...notStored, checksum_sha256: '0'.repeat(64) }];
    const reports = [
      { status: 'cancelled' },
      { status: 'success', exit_code: 0, outputs },
      { status: 'failure', error_class: 'disk_full' },
      { status: 'failure', error_class: 'exit_nonzero', exit_code: 1 },
    ];

    for (const report of reports) {
      await server.services.db`update ready_queue set not_before = now() where run_id = ${id}`;
      const [order] = await worker.acquire();
      await worker.started(order);
      await runFor(server, order, 2);
      await worker.complete(order, report);
    }

    assert.deepEqual(await charges(server, id), [
      [true, false],
      [true, false],
      [true, false],
      [true, true],
    ]);
  });

  it('is paid, once, by a program that wrote more than its disk holds', async () => {
    const { worker, start, server, look } = await stage();
    const id = await start();
    const [order] = await worker.acquire();
    await worker.started(order);
    await runFor(server, order, 2);

    await worker.fail(order, { error_class: 'disk_limit', error_message: 'Over 64 MB.' });

    assert.deepEqual(await worker.acquire(), []);
    const ended = await look(id);
    assert.equal(ended.status, 'failure');
    assert.equal(ended.node_runs[0].error_class, 'disk_limit');
    assert.deepEqual(await charges(server, id), [[true, true]]);
  });

  it('is nothing, and no obstacle, when the clock was set back in between', async () => {
    const { worker, start, server, look } = await stage();
    const id = await start();
    const [order] = await worker.acquire();
    await worker.started(order);
    await runFor(server, order, -30);

    await worker.fail(order);

    assert.equal((await look(id)).status, 'failure');
    assert.deepEqual(await charges(server, id), [[false, false]]);
  });
});

describe('cancelling with a worker that is gone', () => {
  it('is enforced by the sweeper', async () => {
    const { worker, owner, start, look, lapse, sweep } = await stage();
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
    const { worker, owner, start, look } = await stage();
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
