import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Client, cast, client } from '../../../test/cast.ts';
import { filesOf, look, run, versionOf } from '../../../test/runs.ts';
import { type TestServer, testServer } from '../../../test/server.ts';
import { image, mappedGraph, registerNode, storeCredentials } from '../../../test/workflows.ts';
import { buildApp } from '../../app.ts';
import { DomainError } from '../../errors.ts';
import { Gate } from '../../gate.ts';
import { type GraphThreads, openGraphThreads } from './graph-bodies.ts';

const threads = openGraphThreads();
let before: (() => Promise<unknown>) | undefined;
let tasks = 0;
const watched = {
  ...threads,
  run: async (...task: Parameters<GraphThreads['run']>) => {
    tasks += 1;
    await before?.();
    return threads.run(...task);
  },
} as GraphThreads;
const started = start();

/** A second process on the file's database, whose threads are observed. */
async function start(): Promise<TestServer> {
  const first = await testServer();
  const app = await buildApp({ ...first.services, sameKey: new Gate() }, watched);
  first.beforeStop(() => app.http.close());
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  return { ...first, ...app, url };
}

/**
 * Calls `during` before each thread task of `request`. @returns the answer, and the number of
 * tasks.
 */
async function meanwhile<T>(during: () => Promise<unknown>, request: () => Promise<T>) {
  before = during;
  tasks = 0;
  const answer = await request();
  before = undefined;
  return { answer, tasks };
}

/** A new tenant that can start runs. */
async function stage() {
  const people = await cast(await started);
  await storeCredentials(people.admin);
  return people;
}

const keyed = () => ({ headers: { 'idempotency-key': randomUUID() } });

async function openTransactions({ services }: TestServer): Promise<number> {
  const [row] = await services.engineDb<{ count: number }[]>`
    select count(*)::int as count
    from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'
  `;
  return row?.count ?? 0;
}

const definition = () => ({
  name: `node-${randomUUID()}`,
  version: '1',
  image,
  command: ['true'],
  outputs: [{ name: 'out', glob: '*', cardinality: 'one' }],
  params: { type: 'object', description: 'x'.repeat(5000) },
});

const path = (version: number) => `/workflows/workflow-versions/${version}`;

async function draft(owner: Client) {
  const graph = mappedGraph(await registerNode(owner));
  const version = await versionOf(owner, graph);
  const cog_ids = await filesOf(owner, 'a');
  return { graph, version, cog_ids };
}

async function edit(owner: Client, version: number, graph: unknown) {
  const { headers } = await owner.get(path(version));
  const etag = { headers: { 'if-match': headers.get('etag') ?? '' } };
  assert.equal((await owner.patch(path(version), { graph }, etag)).status, 200);
}

const runsOf = async (owner: Client) => (await owner.get('/workflows/workflow-runs')).body.length;

describe('while a thread checks', () => {
  it('a start, a restart or a definition has no transaction open, with a key or without', async () => {
    const { owner, server } = await stage();
    const { version, cog_ids } = await draft(owner);
    const { body } = await run(owner, version, { cog_ids });
    const old = `/workflows/workflow-runs/${body.workflow_run_id}`;
    await owner.post(`${old}/cancel`);

    for (const extra of [{}, keyed()]) {
      // A graph that has run in this process is not checked again.
      const fresh = await draft(owner);
      for (const [name, request, status] of [
        ['start', () => owner.post(`${path(fresh.version)}/run`, { cog_ids }, extra), 202],
        ['restart', () => owner.post(`${old}/restart`, {}, extra), 202],
        ['definition', () => owner.post('/node_definitions', definition(), extra), 201],
      ] as const) {
        const open: number[] = [];
        const count = async () => open.push(await openTransactions(server));
        const { answer, tasks } = await meanwhile(count, request);
        assert.equal(answer.status, status, JSON.stringify(answer.body));
        assert.ok(tasks > 0);
        assert.deepEqual([name, ...new Set(open)], [name, 0]);
      }
    }
  });

  it('a draft may be changed, and is then not started', async () => {
    const { owner } = await stage();
    const { graph, version, cog_ids } = await draft(owner);
    const key = keyed();
    const start = () => owner.post(`${path(version)}/run`, { cog_ids }, key);
    const on_error = 'continue';
    const changed = { ...graph, nodes: graph.nodes.map((node) => ({ ...node, on_error })) };

    const { answer } = await meanwhile(() => edit(owner, version, changed), start);

    assert.deepEqual([answer.status, answer.body.code], [409, 'version_changed']);
    assert.equal(await runsOf(owner), 0);
    const again = await start();
    assert.equal(again.status, 202);
    assert.equal(again.headers.get('idempotent-replay'), null);
  });

  it('a draft may be drawn anew, and is started and published', async () => {
    const { owner } = await stage();
    const { graph, version, cog_ids } = await draft(owner);
    const drawn = (title: string) => ({
      ...graph,
      nodes: graph.nodes.map((node) => ({ ...node, title })),
      notes: [{ id: '1', text: title, position: { x: 0, y: 0 }, size: { width: 9, height: 9 } }],
    });
    let tasks = 0;
    const draw = () => edit(owner, version, drawn(`Drawn ${++tasks}`));

    const started = await meanwhile(draw, () => run(owner, version, { cog_ids }));
    const published = await meanwhile(draw, () => owner.post(`${path(version)}/publish`));

    assert.equal(started.answer.status, 202);
    const { node_runs } = await look(owner, started.answer.body.workflow_run_id);
    assert.equal(node_runs[0].title, 'each');
    assert.equal(published.answer.status, 200);
    assert.deepEqual(published.answer.body.graph, drawn(`Drawn ${tasks}`));
  });

  it('a draft may be changed, and is then not published', async () => {
    const { owner } = await stage();
    const { graph, version } = await draft(owner);

    const { answer } = await meanwhile(
      () => edit(owner, version, { ...graph, nodes: [] }),
      () => owner.post(`${path(version)}/publish`),
    );

    assert.deepEqual([answer.status, answer.body.code], [409, 'version_changed']);
    assert.equal((await owner.get(path(version))).body.state, 'draft');
  });

  it('a draft may be archived, and then stays so', async () => {
    const { owner } = await stage();
    const { version } = await draft(owner);

    const { answer } = await meanwhile(
      () => owner.post(`${path(version)}/archive`),
      () => owner.post(`${path(version)}/publish`),
    );

    assert.deepEqual([answer.status, answer.body.code], [409, 'version_archived']);
    assert.equal((await owner.get(path(version))).body.state, 'archived');
  });

  it('a draft may be published by another request, and is published once', async () => {
    const { owner } = await stage();
    const { version } = await draft(owner);
    const publish = () => owner.post(`${path(version)}/publish`);
    const first: unknown[] = [];

    const { answer } = await meanwhile(async () => {
      before = undefined;
      first.push((await publish()).body);
    }, publish);

    assert.equal(answer.status, 200);
    assert.deepEqual(first, [answer.body]);
  });

  it('a version may be archived or a workflow deleted, and is then not started', async () => {
    const { owner } = await stage();
    const { version, cog_ids } = await draft(owner);
    const { workflow_id } = (await owner.get(path(version))).body;
    const copy = (await owner.post(`/workflows/${workflow_id}/versions`, {})).body.id;

    const archived = await meanwhile(
      () => owner.post(`${path(version)}/archive`),
      () => run(owner, version, { cog_ids }),
    );
    const deleted = await meanwhile(
      () => owner.delete(`/workflows/${workflow_id}`),
      () => run(owner, copy, { cog_ids }),
    );

    assert.equal(archived.answer.body.code, 'version_archived');
    assert.equal(deleted.answer.status, 404);
    assert.equal(await runsOf(owner), 0);
  });

  it('a draft may be published, and its run is then no test', async () => {
    const { owner } = await stage();
    const { version, cog_ids } = await draft(owner);
    let published = false;
    const publish = async () => {
      if (published) return;
      published = true;
      assert.equal((await owner.post(`${path(version)}/publish`)).status, 200);
    };

    const { answer } = await meanwhile(publish, () => run(owner, version, { cog_ids }));

    assert.equal(answer.status, 202);
    assert.equal((await look(owner, answer.body.workflow_run_id)).test_run, false);
  });

  it('a run may be deleted, and is then not restarted', async () => {
    const { owner } = await stage();
    const { version, cog_ids } = await draft(owner);
    const { body } = await run(owner, version, { cog_ids });
    const old = `/workflows/workflow-runs/${body.workflow_run_id}`;
    await owner.post(`${old}/cancel`);

    const { answer } = await meanwhile(
      () => owner.delete(old),
      () => owner.post(`${old}/restart`, {}),
    );

    assert.equal(answer.status, 404);
    assert.equal(await runsOf(owner), 0);
  });

  it('a definition that is refused is not kept for its key, and one that was kept is not checked again', async () => {
    const { owner } = await cast(await started);
    const key = keyed();
    const good = definition();
    const register = (given: unknown) => () => owner.post('/node_definitions', given, key);
    const nothing = async () => {};

    const refused = await meanwhile(nothing, register({ ...good, command: ['{{inputs.no}}'] }));
    const first = await meanwhile(nothing, register(good));
    const again = await meanwhile(nothing, register(good));

    assert.deepEqual(
      [refused, first, again].map(({ answer, tasks }) => [answer.status, tasks]),
      [
        [422, 1],
        [201, 1],
        [201, 0],
      ],
    );
    assert.deepEqual(again.answer.body, first.answer.body);
  });
});

describe('a start with an Idempotency-Key', () => {
  it('is answered again without a check, whatever became of the version', async () => {
    const { owner } = await stage();
    const { version, cog_ids } = await draft(owner);
    const key = keyed();
    const start = (files = cog_ids) => owner.post(`${path(version)}/run`, { cog_ids: files }, key);
    const first = await start();
    await owner.post(`${path(version)}/archive`);

    const { answer, tasks } = await meanwhile(async () => {}, start);

    assert.deepEqual([answer.status, answer.body], [202, first.body]);
    assert.equal(answer.headers.get('idempotent-replay'), 'true');
    assert.equal(tasks, 0);
    assert.equal((await start([])).body.code, 'idempotency_mismatch');
  });

  it('is checked once where many come at the same time', async () => {
    const { owner } = await stage();
    const { version, cog_ids } = await draft(owner);
    const key = keyed();
    const start = () => owner.post(`${path(version)}/run`, { cog_ids }, key);

    const { answer, tasks } = await meanwhile(
      async () => {},
      () => Promise.all(Array.from({ length: 5 }, start)),
    );

    assert.deepEqual(new Set(answer.map(({ status }) => status)), new Set([202]));
    assert.equal(new Set(answer.map(({ body }) => body.workflow_run_id)).size, 1);
    // One for the graph, one for its variables.
    assert.equal(tasks, 2);
  });

  it('that is refused by the check is not kept', async () => {
    const { owner } = await stage();
    const { graph, version, cog_ids } = await draft(owner);
    await edit(owner, version, { ...graph, edges: [] });
    const key = keyed();
    const start = () => owner.post(`${path(version)}/run`, { cog_ids }, key);

    assert.equal((await start()).status, 422);
    await edit(owner, version, graph);
    assert.equal((await start()).status, 202);
  });

  it('answers what another process did meanwhile, even when its own check fails', async () => {
    const { owner } = await stage();
    const { version, cog_ids } = await draft(owner);
    const key = keyed();
    const there = client((await testServer()).url, owner.token);
    let first: unknown;

    const { answer } = await meanwhile(
      async () => {
        first = (await there.post(`${path(version)}/run`, { cog_ids }, key)).body;
        throw new DomainError('unavailable', 'The server is stopping.');
      },
      () => owner.post(`${path(version)}/run`, { cog_ids }, key),
    );

    assert.deepEqual([answer.status, answer.body], [202, first]);
    assert.equal(answer.headers.get('idempotent-replay'), 'true');
    assert.equal(await runsOf(owner), 1);
  });
});
