/** How migration 0070 converts runs of an earlier release, both ended and under way. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Graph } from '@cogworks/graph/types';
import { type Cast, type Client, cast } from '../../test/cast.ts';
import { databaseBefore } from '../../test/database.ts';
import { addOldRun, type OldNodeRun, type OldRun, tokenOf } from '../../test/old-runs.ts';
import { filesOf, gatherGraph, look, progress } from '../../test/runs.ts';
import { startServer } from '../../test/server.ts';
import { type Order, type ScriptedWorker, scriptedWorker } from '../../test/worker.ts';
import { registerNode, storeCredentials } from '../../test/workflows.ts';
import type { Db } from '../db/connection.ts';
import { migrate } from '../db/migrate.ts';
import { textOf } from '../resources/workflows/graph-work.ts';
import { addVersion, addWorkflow } from '../resources/workflows/queries.ts';
import { Ids } from './tables/ids.ts';

const ids = {
  ...{ ended: 1001, restarted: 1002, cancelled: 1003, leftOnly: 1004, rightOnly: 1005 },
  ...{ underWay: 1006, stopping: 1007, aborting: 1008, fanOut: 1009 },
};
const finished_at = '2026-01-02T03:05:00.000Z';
const success = { status: 'success', finished_at };
const cancelled = { status: 'cancelled', finished_at };
const failure = {
  ...{ status: 'failure', finished_at, exit_code: 3 },
  ...{ error_class: 'exit_nonzero', error_message: 'exit code 3' },
};

type Stage = Cast & {
  worker: ScriptedWorker;
  files: number[];
  before: Awaited<ReturnType<typeof readRuns>>;
  after: Awaited<ReturnType<typeof readRuns>>;
};

describe('migration 0070', () => {
  let stage: Stage;
  before(async () => {
    stage = await migrated();
  });

  it('leaves every run as it was, for whoever reads it', () => {
    assert.deepEqual(stage.after.nodes, stage.before.nodes);
    assert.deepEqual(stage.after.nodeRuns, stage.before.nodeRuns);
    assert.equal(stage.after.nodeRuns.length, 29);
  });

  it('shows a run that has ended, with its lanes in order, outputs and logs', async () => {
    const { owner, files } = stage;

    const { status, node_runs } = await look(owner, ids.ended);

    const [a, b, c] = files;
    assert.equal(status, 'partial_success');
    assert.deepEqual(
      node_runs.map((row: Order) => [row.node_key, row.shard_index, row.cog_id, row.status]),
      [
        ['each', 0, a, 'success'],
        ['each', 1, b, 'failure'],
        ['each', 2, c, 'skipped'],
        ['gather', undefined, undefined, 'success'],
      ],
    );
    assert.deepEqual(
      node_runs.map(({ outputs }: Order) => outputs.map(({ name }: Order) => name)),
      [['a.out'], [], [], ['all.out']],
    );
    const log = (row: Order) =>
      owner.get(`/workflows/workflow-runs/${ids.ended}/node-runs/${row.id}/logs`);
    assert.equal((await log(node_runs[1])).body, 'the second try');
    assert.equal((await progress(owner, ids.ended)).progress_percentage, 100);
  });

  it('lets a run that failed be restarted, which takes over what had succeeded', async () => {
    const { owner, worker } = stage;

    const again = await owner.post(`/workflows/workflow-runs/${ids.restarted}/restart`, {
      mode: 'failed',
    });
    const orders = await worker.work();

    assert.equal(again.status, 202, JSON.stringify(again.body));
    const { status, node_runs } = await look(owner, again.body.workflow_run_id);
    assert.equal(status, 'success');
    assert.deepEqual(
      node_runs.map((row: Order) => row.cached),
      [true, false, true, false],
    );
    const own = orders.filter((order) => order.run_id === again.body.workflow_run_id);
    const last = own.find((order) => order.node_key === 'gather');
    assert.deepEqual(namesOf(last), ['a.out', 'result.txt', 'c.out']);
  });

  it('brings a run under way to its end, by the worker that had work of it', async () => {
    const { owner, worker, server } = stage;

    await worker.succeed(held(32), [{ port: 'out', name: 'b.out', text: 'b' }]);
    const early = await worker.work();
    await server.services.db`
      update ready_queue set not_before = now() where run_id = ${ids.underWay}
    `;
    const orders = await worker.work();

    const paused = early.filter((order) => order.run_id === ids.underWay);
    assert.deepEqual(paused, [], 'its retry waits for its time');
    assert.deepEqual(
      orders.map((order) => order.node_key),
      ['each', 'gather'],
    );
    assert.equal(orders[0]?.resources.memory_mb, 96, 'what was raised after it ran out');
    assert.deepEqual(namesOf(orders[1]), ['a.out', 'b.out', 'result.txt']);
    const { status, node_runs } = await look(owner, ids.underWay);
    assert.equal(status, 'success');
    assert.deepEqual(
      node_runs.map(({ attempt }: Order) => attempt),
      [1, 1, 2, 1],
    );
    assert.equal((await progress(owner, ids.underWay)).progress_percentage, 100);
  });

  it('opens the lanes of a fan-out whose source was still running', async () => {
    const { owner, worker } = stage;

    await worker.succeed(
      held(60),
      ['x', 'y'].map((name) => ({ port: 'out', name, text: name })),
    );
    await worker.work();

    const { status, node_runs } = await look(owner, ids.fanOut);
    assert.equal(status, 'success');
    assert.deepEqual(
      node_runs.map((row: Order) => [row.node_key, row.shard_index]),
      [
        ['split', undefined],
        ['part', 0],
        ['part', 1],
        ['collect', undefined],
      ],
    );
  });

  it('ends a run that was being cancelled once its worker has stopped', async () => {
    const { owner, worker } = stage;
    assert.deepEqual(await stoppedBy(worker, 40), [40]);

    await worker.complete(held(40), { status: 'cancelled' });

    const { status, node_runs } = await look(owner, ids.stopping);
    assert.equal(status, 'cancelled');
    assert.deepEqual(statusesOf(node_runs), Array(4).fill('cancelled'));
  });

  it('ends a run that one failure aborts once its worker has stopped', async () => {
    const { owner, worker } = stage;

    await worker.complete(held(51), { status: 'cancelled' });

    const { status, error_message, node_runs } = await look(owner, ids.aborting);
    assert.equal(status, 'failure');
    assert.match(error_message, /each/);
    assert.deepEqual(statusesOf(node_runs), ['failure', 'skipped', 'skipped', 'skipped']);
    assert.ok(node_runs.slice(1).every((row: Order) => row.skip_reason === 'run_aborted'));
  });

  it('gives new node runs ids beyond those of old ones that have not begun', async (t) => {
    const { db, drop } = await databaseBefore('0070');
    t.after(drop);
    await db.script(`
      set session_replication_role = replica;
      insert into tenants (id, name, sealed_key) overriding system value values (1, 'Home', '');
      insert into workflow_runs (id, tenant_id, workflow_id, workflow_version_id, graph,
        extra_variables, started_by, test_run)
      overriding system value
      values (1, 1, 1, 1, '{"nodes": [], "edges": []}', '{}', 1, false);
      insert into run_nodes (tenant_id, run_id, node_key, position, node_definition_id, expected)
      values (1, 1, 'first', 0, 1, 1), (1, 1, 'last', 1, 1, 1);
      insert into node_runs (id, tenant_id, run_id, node_key, status, memory_mb)
      overriding system value
      values (1, 1, 1, 'first', 'queued', 64), (3000000, 1, 1, 'last', 'pending', 64);
      reset session_replication_role;
    `);

    await migrate(db);
    const first = await new Ids(db).nodeRuns(1);

    assert.ok(first > 3_000_000, `the first is ${first}`);
  });
});

/** A server whose database held these runs before the migration. */
async function migrated(): Promise<Stage> {
  const database = await databaseBefore('0070');
  const server = await startServer({}, undefined, { database });
  const people = await cast(server);
  const { admin, owner } = people;
  const { tenant_id, id: started_by } = owner.user;
  await storeCredentials(admin);
  const worker = await scriptedWorker(server, tenant_id);
  const files = await filesOf(owner, 'a.txt', 'b.txt', 'c.csv');
  const { db } = server.services;
  // This release's API would also tell of it, in a table that is not there yet.
  const versionOf = async (graph: object) => {
    const { id } = await addWorkflow(db, tenant_id, started_by, 'Test', undefined);
    return (await addVersion(db, tenant_id, id, started_by, textOf(graph as Graph))).id;
  };
  const gather = await versionOf(await gatherGraph(owner, 0.3, 'continue'));
  const fanOut = await versionOf(await fanOutGraph(owner));
  const twoInputs = await versionOf(await twoInputGraph(owner));

  const runs = [...endedRuns(gather, twoInputs, files), ...runsUnderWay(gather, fanOut, files)];
  const [object] = await db<{ id: number }[]>`select min(object_id) as id from cogs`;
  const place = { tenant_id, started_by, worker_id: worker.id, object_id: object?.id ?? 0 };
  for (const one of runs) await addOldRun(db, place, one);
  const before = await readRuns(db);
  await migrate(db);
  const after = await readRuns(db);
  return { ...people, worker, files, before, after };
}

const lanes = (node_key: string, of: (Omit<OldNodeRun, 'node_key'> | undefined)[]): OldNodeRun[] =>
  of.flatMap((row, lane) => (row ? [{ node_key, lane, ...row } as OldNodeRun] : []));

/** The node runs of a node that runs once for each file. */
const each = (files: number[], ...of: Omit<OldNodeRun, 'node_key'>[]) =>
  lanes('each', of).map((row) => ({ cog_id: files[row.lane ?? 0], ...row }));

function endedRuns(gather: number, twoInputs: number, files: number[]): OldRun[] {
  const [a, b, c] = files as [number, number, number];
  const done = { progress_percentage: 100, finished_at };
  const tried = [
    { ...failure, id: 12, log: 'the first try' },
    { ...failure, id: 13, log: 'the second try' },
  ];
  return [
    {
      ...{
        ...done,
        id: ids.ended,
        version_id: gather,
        status: 'partial_success',
        files: { files },
      },
      ...{ error_message: 'each: exit code 3', superseded_by_run_id: null },
      nodes: [
        { key: 'each', expected: 3, success: 1, failure: 1, skipped_by_condition: 1 },
        { key: 'gather', expected: 1, success: 1 },
      ],
      node_runs: [
        // Ids that are neither consecutive nor in the order of the lanes.
        ...each(
          files,
          { ...success, id: 110, attempts: [{ ...success, id: 11 }], outputs: ['a.out'] },
          { ...failure, id: 109, attempts: tried },
          { id: 105, status: 'skipped', skip_reason: 'condition_false', finished_at },
        ),
        {
          ...{ ...success, id: 107, node_key: 'gather', outputs: ['all.out'] },
          attempts: [{ ...success, id: 14, log: 'gathered' }],
        },
      ],
    },
    {
      ...{ ...done, id: ids.restarted, version_id: gather, status: 'failure', files: { files } },
      ...{ restarted_from_run_id: ids.ended, restart_mode: 'failed', restart_touched: [] },
      nodes: [
        { key: 'each', expected: 3, success: 2, failure: 1, reused: 1 },
        { key: 'gather', expected: 1, failure: 1 },
      ],
      node_runs: [
        ...each(
          files,
          { ...success, id: 123, reused_from_node_run_id: 110, outputs: ['a.out'] },
          { ...failure, id: 122, attempts: [{ ...failure, id: 15 }] },
          { ...success, id: 121, attempts: [{ ...success, id: 16 }], outputs: ['c.out'] },
        ),
        { ...failure, id: 124, node_key: 'gather', attempts: [{ ...failure, id: 17 }] },
      ],
    },
    {
      ...{ ...done, id: ids.cancelled, version_id: gather, status: 'cancelled', files: { files } },
      ...{ cancel_requested_at: finished_at, cancel_reason: 'not needed' },
      nodes: [
        { key: 'each', expected: 3, success: 1, cancelled: 2 },
        { key: 'gather', expected: 1, cancelled: 1 },
      ],
      node_runs: [
        ...each(
          files,
          { ...success, id: 131, attempts: [{ ...success, id: 18 }], outputs: ['a.out'] },
          { ...cancelled, id: 132, attempts: [{ ...cancelled, id: 19 }] },
          { ...cancelled, id: 133 },
        ),
        { ...cancelled, id: 134, node_key: 'gather' },
      ],
    },
    {
      ...{ ...done, id: ids.leftOnly, version_id: twoInputs, status: 'success' },
      files: { left: [a, b] },
      nodes: [
        { key: 'left', expected: 2, success: 2 },
        { key: 'right', expected: 0 },
      ],
      node_runs: lanes('left', [
        { ...success, id: 141, cog_id: a },
        { ...success, id: 142, cog_id: b },
      ]),
    },
    {
      ...{ ...done, id: ids.rightOnly, version_id: twoInputs, status: 'success' },
      files: { right: [c] },
      nodes: [
        { key: 'left', expected: 0 },
        { key: 'right', expected: 1, success: 1 },
      ],
      node_runs: lanes('right', [{ ...success, id: 143, cog_id: c }]),
    },
  ];
}

/** The live attempt of a node run has the same id. */
function runsUnderWay(gather: number, fanOut: number, files: number[]): OldRun[] {
  const running = (id: number, over = {}) => ({
    ...{ id, status: 'running' },
    attempts: [{ id, status: 'running', ...over }],
  });
  const stop = { cancel_requested_at: finished_at };
  const begun = { version_id: gather, status: 'running', files: { files } };
  return [
    {
      ...{ ...begun, id: ids.underWay, progress_percentage: 20 },
      nodes: [
        { key: 'each', expected: 3, running: 1, success: 1 },
        { key: 'gather', expected: 1 },
      ],
      node_runs: [
        ...each(
          files,
          { ...success, id: 33, attempts: [{ ...success, id: 33 }], outputs: ['a.out'] },
          running(32),
          {
            ...{ id: 31, status: 'queued', memory_mb: 96, not_before: '2100-01-01T00:00:00Z' },
            attempts: [{ id: 31, status: 'failure', error_class: 'oom', finished_at }],
          },
        ),
        // An id far beyond those of all begun node runs.
        { id: 3_000_000, node_key: 'gather', status: 'pending', queued_at: null },
      ],
    },
    {
      ...{ ...begun, ...stop, id: ids.stopping },
      nodes: [
        { key: 'each', expected: 3, running: 1, cancelled: 2 },
        { key: 'gather', expected: 1, cancelled: 1 },
      ],
      node_runs: [
        ...each(
          files,
          running(40, stop),
          { ...cancelled, id: 41 },
          { ...cancelled, id: 42, attempts: [{ ...failure, id: 42 }] },
        ),
        { ...cancelled, id: 43, node_key: 'gather' },
      ],
    },
    {
      ...{ ...begun, id: ids.aborting, on_failure: 'abort' },
      nodes: [
        { key: 'each', expected: 3, running: 1, failure: 1, skipped_upstream: 1 },
        { key: 'gather', expected: 1, skipped_upstream: 1 },
      ],
      node_runs: [
        ...each(
          files,
          { ...failure, id: 50, attempts: [{ ...failure, id: 50 }] },
          running(51, stop),
          {
            ...{ id: 52, status: 'skipped', skip_reason: 'run_aborted', finished_at },
          },
        ),
        {
          ...{ id: 53, node_key: 'gather', status: 'skipped', skip_reason: 'run_aborted' },
          finished_at,
        },
      ],
    },
    {
      ...{
        id: ids.fanOut,
        version_id: fanOut,
        status: 'running',
        files: { file: files.slice(0, 1) },
      },
      nodes: [
        { key: 'split', expected: 1, running: 1 },
        { key: 'part', expected: null },
        { key: 'collect', expected: 1 },
      ],
      node_runs: [
        { ...running(60), node_key: 'split' },
        { id: 61, node_key: 'collect', status: 'pending', queued_at: null },
      ],
    },
  ];
}

const held = (attempt_id: number): Order => ({ attempt_id, lease_token: tokenOf(attempt_id) });

const namesOf = (order: Order) => order?.inputs.map(({ name }: Order) => name);
const statusesOf = (rows: Order[]) => rows.map(({ status }) => status);

async function stoppedBy(worker: ScriptedWorker, attemptId: number) {
  const { body } = await worker.heartbeat([held(attemptId)]);
  return body.cancel.map(({ attempt_id }: Order) => attempt_id);
}

async function fanOutGraph(owner: Client) {
  const many = [{ name: 'out', glob: '*', cardinality: 'many' }];
  const split = await registerNode(owner, { outputs: many });
  const part = await registerNode(owner);
  const collect = await registerNode(owner, { inputs: [{ name: 'all', cardinality: 'many' }] });
  const edge = (from: object, node: string, port: string) => ({ from, to: { node, port } });
  return {
    nodes: [
      { key: 'split', node_definition_id: split },
      { key: 'part', node_definition_id: part, map: true },
      { key: 'collect', node_definition_id: collect },
    ],
    edges: [
      edge({ input: 'file' }, 'split', 'in'),
      edge({ node: 'split', port: 'out' }, 'part', 'in'),
      edge({ node: 'part', port: 'out' }, 'collect', 'all'),
    ],
    inputs: [{ name: 'file' }],
    variables: [],
  };
}

async function twoInputGraph(owner: Client) {
  const node = await registerNode(owner);
  const keys = ['left', 'right'];
  return {
    nodes: keys.map((key) => ({ key, node_definition_id: node, map: true })),
    edges: keys.map((key) => ({ from: { input: key }, to: { node: key, port: 'in' } })),
    inputs: keys.map((name, at) => ({
      name,
      media_types: at === 0 ? ['text/plain'] : ['text/csv'],
    })),
    variables: [],
  };
}

/** The same statement reads tables before the migration, and views after it. */
async function readRuns(db: Db) {
  const nodes = await db`
    select run_id, node_key, position, node_definition_id, expected, running, success, failure,
      cancelled, skipped_by_condition, skipped_upstream, reused
    from run_nodes
    order by run_id, position
  `;
  const nodeRuns = await db`
    select
      run_id, node_key, shard_index, cog_id, status, skip_reason, attempt, max_attempts,
      system_faults, nullif(memory_mb, 64) as memory_mb, worker_id, exit_code, error_class,
      error_message, queued_at, started_at, finished_at,
      (
        select array[source.run_id, source.shard_index]
        from node_runs as source where source.id = node_runs.reused_from_node_run_id
      ) as reused_from,
      array(select name from node_run_outputs where node_run_id = node_runs.id order by position)
        as outputs,
      array(select id from attempts where node_run_id = node_runs.id order by id) as attempts,
      array(select attempt_id from usage_events where node_run_id = node_runs.id order by 1) as usage,
      array(select not_before from ready_queue where node_run_id = node_runs.id) as queued
    from node_runs
    order by run_id, node_key, shard_index
  `;
  return { nodes: [...nodes], nodeRuns: [...nodeRuns] };
}
