/** How migration 0070 converts runs of an earlier release, both ended and under way. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Cast, cast } from '../../test/cast.ts';
import { databaseBefore } from '../../test/database.ts';
import { addExamples, ids } from '../../test/old-run-examples.ts';
import { addOldFiles, addOldWorker, tokenOf } from '../../test/old-runs.ts';
import { look, progress } from '../../test/runs.ts';
import { startServer } from '../../test/server.ts';
import { type Order, type ScriptedWorker, workerAs } from '../../test/worker.ts';
import { storeCredentials } from '../../test/workflows.ts';
import type { Db } from '../db/connection.ts';
import { migrate } from '../db/migrate.ts';
import { Ids } from './tables/ids.ts';

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

/** A server whose database held the examples before the migration. */
async function migrated(): Promise<Stage> {
  const database = await databaseBefore('0070');
  const server = await startServer({}, undefined, { database });
  const { db } = server.services;
  // This release adds users with a column of migration 0187.
  await db.script('alter table users add column email_verified boolean');
  const people = await cast(server);
  await db.script('alter table users drop column email_verified');
  const { admin, owner } = people;
  const { tenant_id, id: owner_id } = owner.user;
  const enrolled = await addOldWorker(db, tenant_id);
  const files = await addOldFiles(db, { tenant_id, owner_id }, ['a.txt', 'b.txt', 'c.csv']);
  // This release adds versions with a column of migration 0210.
  await db.script('alter table workflow_versions add column logic_hash text');
  await addExamples(db, owner, enrolled, files);
  await db.script('alter table workflow_versions drop column logic_hash');
  const before = await readRuns(db);
  await migrate(db);
  // Only now: requests of users read columns of later releases.
  await storeCredentials(admin);
  const worker = workerAs(server, enrolled.id, enrolled.token, undefined);
  const after = await readRuns(db);
  return { ...people, worker, files, before, after };
}

const held = (attempt_id: number): Order => ({ attempt_id, lease_token: tokenOf(attempt_id) });

const namesOf = (order: Order) => order?.inputs.map(({ name }: Order) => name);
const statusesOf = (rows: Order[]) => rows.map(({ status }) => status);

async function stoppedBy(worker: ScriptedWorker, attemptId: number) {
  const { body } = await worker.heartbeat([held(attemptId)]);
  return body.cancel.map(({ attempt_id }: Order) => attempt_id);
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
