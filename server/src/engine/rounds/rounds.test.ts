/** How many statements rounds send, and what happens if a round fails. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { client } from '../../../test/cast.ts';
import {
  filesOf,
  gatherGraph,
  look,
  progress,
  run,
  type Stage,
  stage,
  versionOf,
} from '../../../test/runs.ts';
import { statementsOf } from '../../../test/statements.ts';
import { type Order, type ScriptedWorker, scriptedWorker } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';
import type { Report } from '../attempts/judge.ts';

const free = { cpu: 8, memory_mb: 16_384, gpu: 0, disk_mb: 100_000 };
const small = { cpu: 0.01, memory_mb: 6, gpu: 0, disk_mb: 1 };

describe('the cost in round trips', () => {
  let room: Stage & { each: number; files: number[] };
  before(async () => {
    const people = await stage();
    const definition = await registerNode(people.owner, { resources: small });
    const each = await versionOf(people.owner, mappedGraph(definition));
    const names = Array.from({ length: 101 }, (_, at) => `f${at}`);
    room = { ...people, each, files: await filesOf(people.owner, ...names) };
    // The first call of a kind sends more statements.
    await start(room, each, 2);
    const orders = await room.worker.acquire();
    await exchange(room, room.worker, orders.map(failed), 0);
  });

  it('of a report is two, by either call', async () => {
    await start(room, room.each, 3);
    const [first, second, third] = await room.worker.acquire();
    const { attempt_id: _, ...report } = failed(second);

    assert.equal(await tripsOf(room, () => exchange(room, room.worker, [failed(first)], 0)), 2);
    assert.equal(await tripsOf(room, () => room.worker.complete(second, report)), 2);
    await exchange(room, room.worker, [failed(third)], 0);
  });

  it('of a report and the order that it brings is at most four, with the credentials', async () => {
    await start(room, room.each, 2);
    const [order] = await room.worker.acquire(1);
    let next: Order[] = [];

    const trips = await tripsOf(room, async () => {
      next = (await exchange(room, room.worker, [failed(order)], 1)).body.orders;
    });

    assert.equal(next.length, 1);
    assert.ok(trips <= 4, `${trips} round trips`);
    await exchange(room, room.worker, next.map(failed), 0);
  });

  it('of a report and an order is the same under a cap', async () => {
    const cost = async (max_running: number | null) => {
      const graph = mappedGraph(await registerNode(room.owner, { resources: small }));
      const { body } = await room.owner.post('/workflows', { name: 'Test', graph, max_running });
      await start(room, body.latest_version_id, 3);
      const [order] = await room.worker.acquire(1);
      let next: Order[] = [];
      const trips = await tripsOf(room, async () => {
        next = (await exchange(room, room.worker, [failed(order)], 1)).body.orders;
      });
      assert.equal(next.length, 1);
      await exchange(room, room.worker, next.map(failed), 0);
      await room.worker.work((one) => room.worker.fail(one));
      return trips;
    };

    assert.equal(await cost(1), await cost(null));
  });

  it('of a hundred reports on one run is the same', async () => {
    await start(room, room.each, 101);
    const orders = await room.worker.acquire(100);
    assert.equal(orders.length, 100);

    const cost = await tripsOf(room, () => exchange(room, room.worker, orders.map(failed), 0));

    assert.equal(cost, 2);
    await room.worker.work();
  });

  it('of reports on many runs that come at the same moment is the same', async () => {
    const ids = [];
    for (let at = 0; at < 5; at += 1) ids.push(await start(room, room.each, 3));
    const orders = await room.worker.acquire(100);
    const { rounds } = room.server.services;
    const some = orders.filter(({ shard_index }) => shard_index > 0);

    const cost = await tripsOf(room, () =>
      Promise.all(some.map((order) => rounds.do(reportOf(room.worker, failed(order))))),
    );

    assert.equal(cost, 2);
    for (const id of ids)
      assert.deepEqual(await statusesOf(room, id), ['running', 'failure', 'failure']);
    const last = orders.filter(({ shard_index }) => shard_index === 0);
    await exchange(room, room.worker, last.map(failed), 0);
  });

  it('of a report that ends a run as a failure is one more, for its message', async () => {
    await start(room, room.each, 1);
    const [order] = await room.worker.acquire();

    assert.equal(await tripsOf(room, () => exchange(room, room.worker, [failed(order)], 0)), 3);
  });

  it('of what ends node runs of a fan-out does not grow with its lanes', async () => {
    const cost = async (lanes: number) => {
      await start(room, await gather(room), lanes);
      const orders = await room.worker.acquire(lanes);
      const reports = await Promise.all(orders.map((order) => succeeded(room.worker, order)));
      const trips = await tripsOf(room, () => exchange(room, room.worker, reports, 0));
      await room.worker.work();
      return trips;
    };

    assert.equal(await cost(12), await cost(2));
  });

  it('of the progress of a run is one, with one statement', async () => {
    const id = await start(room, room.each, 2);
    const { texts } = await statementsOf(room.server, () => progress(room.owner, id));

    assert.equal(texts.filter(isAsked).length, 1);
    await room.worker.work();
  });

  it('of a start is at most five, whatever its width', async () => {
    const cost = (files: number) => tripsOf(room, () => start(room, room.each, files));

    // The first start checks and plans the graph.
    await cost(2);
    assert.ok((await cost(3)) <= 5);
    assert.ok((await cost(101)) <= 5);
    await room.worker.work((order) => room.worker.fail(order));
  });

  it('of a start without files is three: nobody looks for files', async () => {
    const source = await registerNode(room.owner, { inputs: [] });
    const nodes = [{ key: 'made', node_definition_id: source }];
    const version = await versionOf(room.owner, { nodes, edges: [], inputs: [], variables: [] });
    await start(room, version, 0);

    assert.equal(await tripsOf(room, () => start(room, version, 0)), 3);
    await room.worker.work((order) => room.worker.fail(order));
  });

  it('of workers that wait does not grow with their number', async () => {
    const many = await Promise.all(
      Array.from({ length: 9 }, () => scriptedWorker(room.server, room.owner.user.tenant_id)),
    );
    const nothing = () => tripsOf(room, () => exchange(room, room.worker, [unknown], 0));

    const one = await waiting(room, [room.worker]);
    const tripsOfOne = await nothing();
    const others = await waiting(room, many);
    const tripsOfTen = await nothing();
    one.stop();
    others.stop();

    assert.equal(tripsOfTen, tripsOfOne);
  });

  it('of a worker that begins to wait is nothing, while the queue is known to be empty', async () => {
    const { rounds } = room.server.services;
    const gone = new AbortController();
    const wanted = { worker_id: room.worker.id, epoch: undefined, free, max: 1 };
    const begin = () => {
      void rounds.ask(wanted, 25_000, gone.signal);
      return room.owner.get('/me');
    };
    const locksOf = async (work: () => Promise<unknown>) => {
      const { texts } = await statementsOf(room.server, work);
      return texts.filter((text) => /from workers where id = any.* for no key update/s.test(text));
    };

    // After a hint that there may be work it is not known. The report that "waiting" sends is
    // answered by a round after the one that looks.
    let first: { stop(): void } | undefined;
    const looked = await locksOf(async () => {
      rounds.ring();
      first = await waiting(room, [room.worker]);
    });
    const before = performance.now();
    const locks = await locksOf(async () => {
      for (let asked = 0; asked < 30; asked += 1) await begin();
    });
    gone.abort();
    first?.stop();

    assert.ok(looked.length > 0);
    const seconds = (performance.now() - before) / 1000;
    assert.ok(locks.length <= 1 + seconds, `${locks.length} rounds for workers in ${seconds} s`);
  });

  it('of workers that wait is a look at the queue in a second, while nothing happens', async () => {
    const waits = await waiting(room, [room.worker]);
    const began = performance.now();

    const { texts } = await statementsOf(room.server, async () => {
      for (let asked = 0; asked < 50; asked += 1) await room.owner.get('/me');
    });

    const seconds = (performance.now() - began) / 1000;
    const looks = texts.filter((text) => text.includes('from ready_queue where not is_paused'));
    assert.ok(looks.length <= 1 + seconds, `${looks.length} looks in ${seconds} s`);
    const id = await start(room, room.each, 1);
    const [answer] = await Promise.all(waits.answers);
    assert.deepEqual(
      answer?.leases.map(({ attempt }) => attempt.node_run_id > 0),
      [true],
    );
    assert.equal((await look(room.owner, id)).status, 'running');
  });
});

describe('a cancel', () => {
  it('ends what is given back a moment after it, in the same round', async () => {
    const room = await stage();
    const { owner, server, worker } = room;
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a', 'b') });
    const runId = body.workflow_run_id;
    const [first, second] = await worker.acquire();
    const { rounds } = server.services;
    const givenBack = { ...failed(first), status: 'cancelled' as const };

    await Promise.all([
      rounds.do({ do: 'cancel', run_id: runId, reason: undefined }),
      rounds.do(reportOf(worker, givenBack)),
      rounds.do(reportOf(worker, { ...failed(second), error_class: 'image_pull' })),
    ]);

    const { status, node_runs } = await look(owner, runId);
    assert.equal(status, 'cancelled');
    assert.deepEqual(
      node_runs.map((row: Order) => row.status),
      ['cancelled', 'cancelled'],
    );
    assert.deepEqual(await worker.acquire(), [], 'nothing of it is left in the queue');
  });
});

describe('a report that the database refuses', () => {
  it('fails alone among others, and keeps no work from those who ask', async () => {
    const room = await stage();
    const { owner, server, worker } = room;
    await refuseReports(server, 'refused');
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const files = await filesOf(owner, 'a', 'b', 'c', 'd');
    const full = await scriptedWorker(server, owner.user.tenant_id);

    for (const place of [0, 1, 2]) {
      const { body } = await run(owner, version, { cog_ids: files });
      const orders = await worker.acquire(3);
      const waits = await waiting(room, [full], { ...free, cpu: 0 });
      const reports = orders.map((order, at) => ({
        ...failed(order),
        ...(at === place ? { error_message: 'refused' } : {}),
      }));
      const answer = await exchange(room, worker, reports, 1);
      const results = answer.body.accepted?.map(({ result }: Order) => result);
      waits.stop();

      assert.deepEqual(
        results,
        reports.map((_, at) => (at === place ? 'internal' : 'ok')),
      );
      assert.deepEqual(
        await statusesOf(room, body.workflow_run_id),
        [...reports.map((_, at) => (at === place ? 'running' : 'failure')), 'running'],
        'what was leased has gone out',
      );
      const [last] = answer.body.orders;
      assert.equal(last.shard_index, 3);
      const [waited] = await Promise.all(waits.answers);
      assert.deepEqual(waited?.leases, [], 'nobody else hears of it');
      await exchange(room, worker, [failed(orders[place]), failed(last)], 0);
      assert.equal((await look(owner, body.workflow_run_id)).status, 'failure');
    }
  });

  it('is to be sent by a call of its own, which says what is wrong with it', async () => {
    const room = await stage();
    const { owner, server, worker } = room;
    await refuseReports(server, 'refused alone');
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
    const [order] = await worker.acquire();
    const bad = { ...failed(order), error_message: 'refused alone' };
    const { attempt_id: _, ...report } = bad;

    const { body } = await exchange(room, worker, [bad], 1);
    assert.equal(body.accepted[0].result, 'internal');
    assert.equal((await worker.complete(order, report)).status, 500);
    assert.equal((await worker.fail(order)).status, 204);
  });
});

type Room = Pick<Stage, 'server' | 'owner' | 'worker'>;

/** Notices to other processes are sent later, and nothing waits for them. */
const isAsked = (text: string) => !text.includes('pg_notify');

/** Round trips that a request waits for. */
async function tripsOf({ server }: Room, work: () => Promise<unknown>): Promise<number> {
  const { round_trips, texts } = await statementsOf(server, work);
  return round_trips - texts.filter((text) => !isAsked(text)).length;
}

async function start({ owner, files }: Room & { files: number[] }, version: number, count: number) {
  const { body } = await run(owner, version, { cog_ids: files.slice(0, count) });
  return body.workflow_run_id as number;
}

const gather = async ({ owner }: Room) => versionOf(owner, await gatherGraph(owner, 0));

const exchange = (
  { server }: Room,
  { id, token }: ScriptedWorker,
  reports: object[],
  max: number,
) => client(server.url, token).post(`/workers/${id}/exchange`, { reports, free, max });

const failed = ({ attempt_id, lease_token }: Order) => ({
  ...{ attempt_id, lease_token, status: 'failure' as const, exit_code: 1 },
});

const statusesOf = async ({ owner }: Room, runId: number) =>
  (await look(owner, runId)).node_runs.map(({ status }: Order) => status);

/** A report on an attempt that does not exist. */
const unknown = failed({
  attempt_id: 999_999_999,
  lease_token: '00000000-0000-4000-8000-000000000000',
});

async function succeeded(worker: ScriptedWorker, order: Order) {
  const file = { port: 'out', name: 'result.txt', text: String(order.attempt_id) };
  const outputs = await worker.upload(order, [file]);
  return { ...failed(order), status: 'success', exit_code: 0, outputs };
}

const reportOf = (
  { id }: ScriptedWorker,
  { attempt_id, ...report }: Omit<Report, 'outputs'> & { attempt_id: number },
) => ({
  ...{ do: 'report' as const, worker_id: id, attempt_id, looked: false },
  report: { ...report, outputs: [] },
});

/** Each worker asks for one order and waits: the queue is empty. */
async function waiting(room: Room, workers: ScriptedWorker[], room_left = free) {
  const gone = new AbortController();
  const { rounds } = room.server.services;
  const answers = workers.map(({ id: worker_id }) =>
    rounds.ask({ worker_id, epoch: undefined, free: room_left, max: 1 }, 25_000, gone.signal),
  );
  await exchange(room, room.worker, [unknown], 0);
  return { answers, stop: () => gone.abort() };
}

/** Makes the database refuse the end of an attempt with that message. */
const refuseReports = ({ services }: Stage['server'], message: string) =>
  services.db.script(`
    create or replace function refuse_report() returns trigger language plpgsql as $$
    begin
      raise exception 'this report is refused';
    end $$;
    create or replace trigger refuse_report
      before update on attempts
      for each row when (new.error_message = '${message}')
      execute function refuse_report();
  `);
