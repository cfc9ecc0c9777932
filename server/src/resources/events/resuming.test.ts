import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast, client } from '../../../test/cast.ts';
import {
  statusesOf,
  stepsOf,
  type Told,
  type Watching,
  watch,
} from '../../../test/event-stream.ts';
import { filesOf, gatherGraph, run, type Stage, stage, versionOf } from '../../../test/runs.ts';
import { startServer, testServer } from '../../../test/server.ts';
import { statementsOf } from '../../../test/statements.ts';
import { until } from '../../../test/until.ts';
import { scriptedWorker } from '../../../test/worker.ts';
import { mappedGraph, registerNode, storeCredentials } from '../../../test/workflows.ts';
import { forgetOldEvents } from '../../engine/duties/old-events.ts';
import { addRunEvents } from '../../engine/tables/run-events.ts';

const plenty = { seconds: 3600, rows: 1_000_000, bytes: 1e9 };
const eventsOf = (id: number) => `/workflows/workflow-runs/${id}/events`;
const begun = (stream: Watching) => stream.until(({ event }) => event === 'progress');
const names = (told: readonly Told[]) => told.map(({ event }) => event);

async function start({ owner }: Pick<Stage, 'owner'>, count: number): Promise<number> {
  const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
  const files = await filesOf(owner, ...Array.from({ length: count }, (_, at) => `f${at}`));
  const { body } = await run(owner, version, { cog_ids: files });
  return body.workflow_run_id;
}

/** Adds an event that marks the end of the stream's initial state. */
function mark({ server, owner }: Stage, run_id: number, number: number) {
  const data = { number } as never;
  return {
    tenant_id: owner.user.tenant_id,
    run_id,
    run: undefined,
    details: [{ event: 'node_run' as const, data }],
    is_last: false,
    server,
  };
}
const numbers = (told: readonly Told[]) => told.flatMap(({ data }) => data.number ?? []);

describe('a stream that was cut', () => {
  it('goes on without a gap in another process, which has heard of every step', async () => {
    const server = await startServer();
    const beside = await startServer({}, undefined, { beside: server });
    const people = await cast(server);
    const { admin, owner } = people;
    await storeCredentials(admin);
    const id = await start(people, 12);
    const here = await scriptedWorker(server, owner.user.tenant_id);
    const there = await scriptedWorker(beside, owner.user.tenant_id);
    const elsewhere = client(beside.url, owner.token);
    const whole = await watch(owner, eventsOf(id));
    await begun(whole);

    const heard: Told[] = [];
    let position = whole.lastId;
    // Each process does a part of the work, and each connection lasts for a few events.
    for (let round = 0; round < 6; round += 1) {
      const stream = await watch(round % 2 ? owner : elsewhere, eventsOf(id), position);
      const worker = round % 2 ? there : here;
      for (const order of await worker.acquire(2)) await worker.succeed(order);
      const at = heard.length;
      await stream.until((told) => stepsOf([told])[0]?.endsWith('success') ?? false);
      stream.close();
      await stream.ended;
      heard.push(...stream.told);
      position = stream.lastId;
      assert.ok(heard.length > at);
    }
    const last = await watch(owner, eventsOf(id), position);
    await Promise.all([last.ended, whole.ended]);
    heard.push(...last.told);

    // Events after the last position may be repeated, but none is missing.
    const steps = [...new Set(stepsOf(heard))];
    assert.deepEqual(steps.toSorted(), stepsOf(whole.told).toSorted());
    assert.equal(steps.length, 24);
    assert.ok(!names(heard).includes('reset'));
    assert.equal(statusesOf(heard).at(-1), 'success');
    assert.equal(heard.at(-1)?.event, 'end');
  });

  it('gets all counts, also those that others heard of meanwhile', async () => {
    const people = await stage();
    const { owner, worker } = people;
    const version = await versionOf(owner, await gatherGraph(owner));
    const cog_ids = await filesOf(owner, 'a', 'b');
    const id = (await run(owner, version, { cog_ids })).body.workflow_run_id as number;
    const other = await watch(owner, eventsOf(id));
    const cut = await watch(owner, eventsOf(id));
    for (const stream of [other, cut]) await begun(stream);
    cut.close();
    await cut.ended;
    const [first] = await worker.acquire(1);
    await worker.succeed(first);
    await other.until(({ event, data }) => event === 'progress' && data.nodes[0]?.success === 1);

    const resumed = await watch(owner, eventsOf(id), cut.lastId);
    const { data } = await begun(resumed);
    assert.deepEqual(
      data.nodes.map(({ node_key, success }: Told['data']) => [node_key, success]),
      [
        ['each', 1],
        ['gather', 0],
      ],
    );
    for (const stream of [other, resumed]) stream.close();
  });

  it('hears of what another process does also while no notices come', async () => {
    const server = await startServer();
    const deaf = {
      on: () => () => {},
      pass: () => {},
      isListening: () => false,
      onChange: () => () => {},
      close: async () => {},
    };
    const beside = await startServer({}, undefined, { beside: server, notices: deaf });
    const people = await cast(server);
    await storeCredentials(people.admin);
    const id = await start(people, 1);
    const stream = await watch(client(beside.url, people.owner.token), eventsOf(id));
    await begun(stream);
    const worker = await scriptedWorker(server, people.owner.user.tenant_id);
    await worker.work();
    await stream.ended;
    assert.equal(stream.told.at(-1)?.event, 'end');
  });

  it('misses nothing of a transaction that began before another and ended after it', async () => {
    const people = await stage();
    const { db, rounds } = people.server.services;
    const id = await start(people, 1);
    const stream = await watch(people.owner, eventsOf(id));
    await begun(stream);
    const slow = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const first = db.transaction(async (tx) => {
      await addRunEvents(tx, [mark(people, id, 1)]);
      written.resolve();
      await slow.promise;
    });
    await written.promise;
    await addRunEvents(db, [mark(people, id, 2)]);
    rounds.ground.newEvents.tell();
    await stream.until(({ data }) => data.number === 2);
    stream.close();
    await stream.ended;
    const resumed = await watch(people.owner, eventsOf(id), stream.lastId);
    await addRunEvents(db, [mark(people, id, 3)]);
    rounds.ground.newEvents.tell();
    await resumed.until(({ data }) => data.number === 3);

    slow.resolve();
    await first;
    rounds.ground.newEvents.tell();
    await resumed.until(({ data }) => data.number === 1);
    await addRunEvents(db, [mark(people, id, 4)]);
    rounds.ground.newEvents.tell();
    await resumed.until(({ data }) => data.number === 4);

    assert.deepEqual(
      new Set([...numbers(stream.told), ...numbers(resumed.told)]),
      new Set([1, 2, 3, 4]),
    );
    assert.deepEqual(
      numbers(resumed.told).filter((number) => number !== 2),
      [3, 1, 4],
    );
    assert.ok(!names(resumed.told).includes('reset'));
    resumed.close();
  });

  it('has missed nothing in a new installation, whatever was under way when it opened', async () => {
    const people = await stage(await startServer());
    const { db, rounds } = people.server.services;
    const id = await start(people, 1);
    const slow = Promise.withResolvers<void>();
    const begunSlow = Promise.withResolvers<void>();
    const first = db.transaction(async (tx) => {
      await tx`select pg_current_xact_id()`;
      begunSlow.resolve();
      await slow.promise;
    });
    await begunSlow.promise;
    const stream = await watch(people.owner, eventsOf(id));
    await begun(stream);
    slow.resolve();
    await first;
    await addRunEvents(db, [mark(people, id, 1)]);
    rounds.ground.newEvents.tell();
    await stream.until(({ data }) => data.number === 1);

    assert.deepEqual(names(stream.told), ['run', 'progress', 'node_run', 'progress']);
    stream.close();
  });

  it('reads the whole again when what it missed is no longer kept', async () => {
    const people = await stage();
    const { db, rounds } = people.server.services;
    const id = await start(people, 1);
    const old = await watch(people.owner, eventsOf(id));
    await begun(old);
    old.close();
    await old.ended;
    await addRunEvents(db, [mark(people, id, 1)]);
    assert.ok((await forgetOldEvents(db, { ...plenty, seconds: 0 })) > 0);
    await until('what began before the forgotten events has ended', async () => {
      const [row] = await db<{ is_over: boolean }[]>`
        select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > xid as is_over
        from run_events_floor
      `;
      return row?.is_over;
    });

    const late = await watch(people.owner, eventsOf(id), old.lastId);
    await begun(late);
    assert.deepEqual(names(late.told), ['reset', 'run', 'progress']);
    assert.deepEqual(late.told[0]?.data, { reason: 'missed_changes' });

    // The stream resumes there, even after more events than are kept.
    await addRunEvents(db, [mark(people, id, 2)]);
    rounds.ground.newEvents.tell();
    await late.until(({ data }) => data.number === 2);
    assert.equal(names(late.told).filter((name) => name === 'reset').length, 1);
    late.close();
  });

  for (const isCut of [false, true])
    it(`${isCut ? 'that was cut ' : ''}is not to read the whole again because another tenant has to`, async () => {
      const [busy, quiet] = [await stage(), await stage()];
      const { db, rounds } = busy.server.services;
      const runs = [await start(busy, 1), await start(quiet, 1)] as const;
      const open = (people: Stage, at: 0 | 1, since?: string) =>
        watch(people.owner, eventsOf(runs[at]), since);
      let streams = [await open(busy, 0), await open(quiet, 1)] as const;
      for (const stream of streams) await begun(stream);
      if (isCut) for (const stream of streams) stream.close();
      const many = Array.from({ length: 1001 }, (_, at) => mark(busy, runs[0], at + 10));
      await addRunEvents(db, [...many, mark(quiet, runs[1], 1)]);
      if (isCut) {
        const [one, other] = streams.map(({ lastId }) => lastId);
        streams = await Promise.all([open(busy, 0, one), open(quiet, 1, other)]);
      }
      rounds.ground.newEvents.tell();

      await streams[0].until(({ data }) => data.reason === 'missed_changes');
      await streams[1].until(({ data }) => data.number === 1);
      assert.ok(!names(streams[1].told).includes('reset'));
      for (const stream of streams) stream.close();
    });

  it('keeps no more events than it says', async () => {
    const people = await stage();
    const { db } = people.server.services;
    await addRunEvents(
      db,
      Array.from({ length: 30 }, (_, at) => mark(people, 1, at)),
    );
    const kept = async () =>
      (await db<{ count: number }[]>`select count(*) as count from run_events`)[0]?.count;
    await forgetOldEvents(db, { ...plenty, rows: 10 });
    assert.equal(await kept(), 10);
    await forgetOldEvents(db, { ...plenty, bytes: 100 });
    assert.ok(Number(await kept()) < 5);
    await forgetOldEvents(db, { ...plenty, bytes: 0 });
    assert.equal(await kept(), 0);
  });

  it('reads the whole again after a crash of the database, which empties what was kept', async () => {
    const people = await stage();
    const { db, rounds } = people.server.services;
    const id = await start(people, 1);
    const stream = await watch(people.owner, eventsOf(id));
    await begun(stream);
    await db`truncate run_events, run_events_floor`;
    rounds.ground.newEvents.tell();
    await stream.until(({ data }) => data.reason === 'missed_changes');

    await people.worker.work();
    await stream.ended;
    assert.deepEqual(stepsOf(stream.told), ['each 0 running', 'each 0 success']);
    assert.equal(stream.told.at(-1)?.event, 'end');
  });
});

describe('while nobody watches', () => {
  it('nothing is read of what is told', async () => {
    const people = await stage();
    await start(people, 2);
    const { texts } = await statementsOf(await testServer(), () => people.worker.work());
    assert.deepEqual(
      texts.filter((text) => text.includes('from run_events ')),
      [],
    );
    assert.ok(texts.some((text) => text.startsWith('insert into run_events')));
  });
});
