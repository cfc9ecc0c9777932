import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statusesOf, stepsOf, type Told, watch } from '../../../test/event-stream.ts';
import {
  filesOf,
  gatherGraph,
  progress,
  run,
  type Stage,
  stage,
  versionOf,
} from '../../../test/runs.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

/** A run of one mapped node over files of these names. */
async function startMapped({ owner }: Stage, ...names: string[]): Promise<number> {
  const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
  const { body } = await run(owner, version, { cog_ids: await filesOf(owner, ...names) });
  return body.workflow_run_id;
}

const eventsOf = (id: number) => `/workflows/workflow-runs/${id}/events`;
const lastProgress = (told: readonly Told[]): Told['data'] =>
  told.findLast(({ event }) => event === 'progress')?.data ?? {};
const isEnd = ({ event }: Told) => event === 'end';
const isAbout = (key: string, status: string) => (told: Told) =>
  told.event === 'node_run' && told.data.node_key === key && told.data.status === status;

describe('GET /workflows/workflow-runs/{run_id}/events', () => {
  it('begins with how the run is, tells what happens in order, and ends with it', async () => {
    const people = await stage();
    const { owner, worker } = people;
    const version = await versionOf(owner, await gatherGraph(owner));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a', 'b') });
    const stream = await watch(owner, eventsOf(body.workflow_run_id));
    assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    const first = await stream.until(({ event }) => event === 'progress');
    assert.deepEqual(
      stream.told.map(({ event }) => event),
      ['run', 'progress'],
    );
    assert.equal(stream.told[0]?.data.status, 'queued');
    assert.deepEqual(
      first.data.nodes.map(({ node_key, expected, queued }: Told['data']) => [
        node_key,
        expected,
        queued,
      ]),
      [
        ['each', 2, 2],
        ['gather', 1, 0],
      ],
    );

    await worker.work();
    await stream.ended;

    assert.deepEqual(statusesOf(stream.told), ['queued', 'running', 'success']);
    const steps = stepsOf(stream.told);
    for (const lane of ['each 0', 'each 1', 'gather -']) {
      const own = steps.filter((step) => step.startsWith(lane));
      // The first `queued` was written before the stream was opened.
      const all = ['queued', 'running', 'success'].map((status) => `${lane} ${status}`);
      assert.deepEqual(own, lane === 'gather -' ? all : all.slice(1));
    }
    assert.ok(steps.indexOf('each 1 success') < steps.indexOf('gather - queued'));
    const { nodes: _, ...last } = lastProgress(stream.told);
    assert.deepEqual(last, await progress(owner, body.workflow_run_id));
    const file = stream.told.find(({ event }) => event === 'run_file')?.data;
    const shown = (await owner.get(`/workflows/workflow-runs/${body.workflow_run_id}`)).body;
    assert.deepEqual(
      file,
      shown.run_files.find(({ direction }: { direction: string }) => direction === 'output'),
    );
    assert.equal(stream.told.at(-1)?.event, 'end');
  });

  it('goes on after the position it is given, and tells no other', async () => {
    const people = await stage();
    const { owner, worker } = people;
    const id = await startMapped(people, 'a', 'b');
    const before = await watch(owner, eventsOf(id));
    await before.until(({ event }) => event === 'progress');
    const [first, second] = await worker.acquire();
    await worker.succeed(first);
    await before.until(isAbout('each', 'success'));
    const position = before.lastId;
    before.close();

    await worker.succeed(second);
    const after = await watch(owner, eventsOf(id), position);
    await after.ended;

    assert.deepEqual(stepsOf(after.told), [`each ${second.shard_index} success`]);
    assert.deepEqual(statusesOf(after.told), ['success']);
    assert.equal(after.told.filter(({ event }) => event === 'reset').length, 0);
  });

  it('tells one who comes after the end how it ended, and ends', async () => {
    const people = await stage();
    const id = await startMapped(people, 'a');
    const early = await watch(people.owner, eventsOf(id));
    await early.until(({ event }) => event === 'progress');
    await people.worker.work();
    await early.ended;

    const late = await watch(people.owner, eventsOf(id));
    await late.ended;
    assert.deepEqual(
      late.told.map(({ event }) => event),
      ['run', 'progress', 'end'],
    );
    assert.equal(late.told[0]?.data.status, 'success');

    const resumed = await watch(people.owner, eventsOf(id), early.lastId);
    await resumed.ended;
    assert.deepEqual(
      resumed.told.map(({ event }) => event),
      ['end'],
    );
  });

  it('says that the whole is to be read again for a position that it does not know', async () => {
    const people = await stage();
    const id = await startMapped(people, 'a');
    for (const unknown of ['5:5:', '1:2:3', 'nonsense', `${2 ** 50}:${2 ** 50}:`]) {
      const stream = await watch(people.owner, eventsOf(id), unknown);
      await stream.until(({ event }) => event === 'progress');
      assert.deepEqual(
        stream.told.map(({ event }) => event),
        ['reset', 'run', 'progress'],
        unknown,
      );
      stream.close();
    }
  });

  it('tells what a container says of itself, and how much it has written', async () => {
    const people = await stage();
    const { owner, worker } = people;
    const id = await startMapped(people, 'a', 'b');
    const stream = await watch(owner, eventsOf(id));
    const [order] = await worker.acquire(1);
    await worker.started(order);
    await worker.heartbeat([order], {
      attempts: [{ attempt_id: order.attempt_id, lease_token: order.lease_token, fraction: 0.5 }],
    });
    await stream.until(
      ({ event, data }) => event === 'progress' && data.progress_percentage === 25,
    );

    await worker.log(order, 0, 'hello');
    const { data } = await stream.until(({ event }) => event === 'log');
    assert.deepEqual([data.attempt, data.size_bytes], [1, 5]);
    const log = await owner.get(
      `/workflows/workflow-runs/${id}/node-runs/${data.node_run_id}/logs`,
    );
    assert.equal(log.body, 'hello');
    stream.close();
  });

  it('says that much has changed instead of telling all of it, as at a cancel', async () => {
    const people = await stage();
    const id = await startMapped(people, 'a', 'b', 'c');
    const stream = await watch(people.owner, eventsOf(id));
    await stream.until(({ event }) => event === 'progress');
    await people.owner.post(`/workflows/workflow-runs/${id}/cancel`, { reason: 'enough' });
    await stream.ended;

    assert.ok(stream.told.some(({ event }) => event === 'reset'));
    assert.deepEqual(statusesOf(stream.told), ['queued', 'cancelled']);
    const { nodes } = lastProgress(stream.told);
    assert.deepEqual([nodes[0].cancelled, nodes[0].queued], [3, 0]);
  });

  it('is 404 for another tenant, and tells them nothing', async () => {
    const people = await stage();
    const id = await startMapped(people, 'a');
    const { status, body } = await people.stranger.get(eventsOf(id));
    assert.deepEqual([status, body.detail], [404, 'There is no such run.']);

    const foreign = await watch(people.stranger, '/events');
    const own = await watch(people.owner, '/events');
    for (const stream of [foreign, own]) await stream.until(({ event }) => event === 'reset');
    await people.worker.work();
    await own.until(({ data }) => data.id === id && data.status === 'success');
    assert.deepEqual(foreign.told, [{ event: 'reset', data: { reason: 'start' } }]);
    foreign.close();
    own.close();
  });
});

describe('GET /events', () => {
  it('tells every member of a version that is added, changed, published or archived', async () => {
    const { owner, viewer, admin, stranger } = await stage();
    const [stream, foreign] = [await watch(viewer, '/events'), await watch(stranger, '/events')];
    for (const one of [stream, foreign]) await one.until(({ event }) => event === 'reset');
    const definition = await registerNode(owner);
    const made = await owner.post('/workflows', { name: 'Told', graph: mappedGraph(definition) });
    const path = `/workflows/workflow-versions/${made.body.latest_version_id}`;
    const { headers } = await owner.get(path);
    const graph = mappedGraph(definition, { title: 'New' });
    const etag = { headers: { 'if-match': headers.get('etag') ?? '' } };
    const changed = await admin.patch(path, { graph }, etag);
    assert.equal(changed.status, 200);
    await owner.post(`${path}/publish`);
    await owner.post(`${path}/archive`);

    await stream.until(({ data }) => data.state === 'archived');
    const told = stream.told.filter(({ event }) => event === 'version').map(({ data }) => data);
    assert.deepEqual(
      told.map(({ state, version_number }) => [state, version_number]),
      [
        ['draft', 1],
        ['draft', 1],
        ['published', 1],
        ['archived', 1],
      ],
    );
    assert.equal(told[1].workflow_id, made.body.id);
    assert.equal(told[1].etag, changed.headers.get('etag'));
    assert.notEqual(told[0].etag, told[1].etag);
    const { graph_hash, logic_hash } = changed.body;
    assert.deepEqual([told[1].graph_hash, told[1].logic_hash], [graph_hash, logic_hash]);
    assert.notEqual(told[0].graph_hash, graph_hash);
    assert.equal(told[0].logic_hash, logic_hash, 'only a title has changed');
    assert.deepEqual(
      told.map(({ changed_by }) => changed_by),
      [owner, admin, owner, owner].map(({ user }) => user.id),
    );
    assert.deepEqual(foreign.told, [{ event: 'reset', data: { reason: 'start' } }]);
    for (const one of [stream, foreign]) one.close();
  });

  it('tells every member what becomes of the runs, and nothing of what is in them', async () => {
    const people = await stage();
    const stream = await watch(people.viewer, '/events');
    await stream.until(({ event }) => event === 'reset');
    const first = await startMapped(people, 'a');
    const second = await startMapped(people, 'b');
    await people.worker.work((order) =>
      order.run_id === second ? people.worker.fail(order) : people.worker.succeed(order),
    );
    await stream.until(({ data }) => data.id === second && data.finished_at !== undefined);
    const statuses = (id: number) => statusesOf(stream.told.filter(({ data }) => data.id === id));

    await stream.until(({ data }) => data.id === first && data.finished_at !== undefined);
    assert.deepEqual(statuses(first), ['queued', 'running', 'success']);
    assert.equal(statuses(second).length, 3);
    assert.deepEqual(
      new Set(stream.told.map(({ event }) => event)),
      new Set(['reset', 'version', 'run']),
    );

    await people.owner.delete(`/workflows/workflow-runs/${first}`);
    await stream.until(({ data }) => data.id === first && data.deleted === true);
    stream.close();
  });

  it('goes on after the position it is given', async () => {
    const people = await stage();
    const before = await watch(people.viewer, '/events');
    await before.until(({ event }) => event === 'reset');
    const position = before.lastId;
    before.close();
    const id = await startMapped(people, 'a');

    const after = await watch(people.viewer, '/events', position);
    await after.until(({ data }) => data.id === id);
    assert.deepEqual(statusesOf(after.told), ['queued']);
    assert.ok(!after.told.some(isEnd));
    after.close();
  });
});
