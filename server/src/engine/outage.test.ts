/**
 * Silence that is not the workers' fault. Time passes by moving the stored times into the past,
 * over a connection that the outage does not affect.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../test/cast.ts';
import { cuttable } from '../../test/cut.ts';
import { testServer } from '../../test/server.ts';
import { everybodyIsHeard } from '../../test/sweeps.ts';
import { type Order, type ScriptedWorker, scriptedWorker } from '../../test/worker.ts';
import { mappedGraph, registerNode, storeCredentials } from '../../test/workflows.ts';
import type { Db } from '../db/connection.ts';
import { giveUpLostAttempts } from './duties/lost-attempts.ts';

const sweep = async (engineDb: Db) =>
  giveUpLostAttempts({ engineDb, rounds: (await testServer()).services.rounds });

/** A run of five attempts held by one worker, and `idle` other workers. */
async function stage({ idle = 0 } = {}) {
  const { owner, admin, server } = await cast();
  await storeCredentials(admin);
  const { db } = server.services;
  // Attempts left over from an earlier test would count as silent workers.
  await db`update workers set deleted_at = now()`;
  await db`update attempts set status = 'lost' where status = 'leased'`;
  const worker = await scriptedWorker(server, owner.user.tenant_id);
  const others = await Promise.all(
    Array.from({ length: idle }, () => scriptedWorker(server, owner.user.tenant_id)),
  );
  const graph = mappedGraph(await registerNode(owner));
  const { body } = await owner.post('/workflows', { name: 'Outage', graph });
  const files = await Promise.all(
    Array.from({ length: 5 }, (_, index) => owner.upload(`${Math.random()}-${index}`, 'x')),
  );
  const started = await owner.post(`/workflows/workflow-versions/${body.latest_version_id}/run`, {
    cog_ids: files.map((file) => file.body.id),
  });
  const runId: number = started.body.workflow_run_id;
  const orders = await worker.acquire(5);
  assert.equal(orders.length, 5);
  await everybodyIsHeard(db);
  await sweep(db);

  const statuses = async () => {
    const rows = await db<{ status: string }[]>`
      select status from attempts where run_id = ${runId} order by id
    `;
    return rows.map((row) => row.status);
  };
  return { server, db, owner, worker, others, orders, runId, statuses };
}

/** Simulates that many seconds without a heartbeat. */
async function pass(db: Db, seconds: number, { sweeps }: { sweeps: boolean }): Promise<void> {
  const by = db`make_interval(secs => ${seconds})`;
  await db`update attempts set lease_expires_at = lease_expires_at - ${by} where status = 'leased'`;
  await db`update workers set last_heartbeat_at = last_heartbeat_at - ${by}`;
  if (!sweeps) await db`update engine_sweep set swept_at = swept_at - ${by}`;
}

const leased = ['leased', 'leased', 'leased', 'leased', 'leased'];
const lost = ['lost', 'lost', 'lost', 'lost', 'lost'];

async function finish(worker: ScriptedWorker, orders: Order[]) {
  for (const order of orders) assert.equal((await worker.succeed(order)).status, 204);
}

describe('an outage of the database longer than a lease', () => {
  it('costs no attempt, though the sweeper tried all the time', async () => {
    const { server, db, owner, worker, orders, runId, statuses } = await stage();
    const line = await cuttable(server);

    await sweep(line.db);
    await line.cut();
    for (let tries = 0; tries < 3; tries += 1) await assert.rejects(sweep(line.db));
    await pass(db, 75, { sweeps: false });
    await line.mend();

    assert.equal(await sweep(line.db), 0);
    assert.deepEqual((await worker.heartbeat(orders)).body.abandon, []);
    assert.equal(await sweep(line.db), 0);
    assert.deepEqual(await statuses(), leased);
    await finish(worker, orders);
    const run = await owner.get(`/workflows/workflow-runs/${runId}`);
    assert.equal(run.body.status, 'success');
  });

  it('in which a sweep hangs is not judged by the minute that it lost', async () => {
    const { db, worker, orders, statuses } = await stage();
    let hanging: Promise<number> | undefined;
    await db.transaction(async (tx) => {
      await tx`lock table attempts in access exclusive mode`;
      hanging = sweep(db);
      await untilWaiting(tx);
      // The sweep has begun, and only now do the leases expire.
      await tx`update attempts set lease_expires_at = clock_timestamp() where status = 'leased'`;
    });

    assert.equal(await hanging, 0);
    assert.deepEqual((await worker.heartbeat(orders)).body.abandon, []);
    assert.deepEqual(await statuses(), leased);
  });

  it('gives the work of a worker that is really gone to others after one extension', async () => {
    const { db, statuses } = await stage();
    await pass(db, 75, { sweeps: false });
    assert.equal(await sweep(db), 0);

    await pass(db, 59, { sweeps: true });
    assert.equal(await sweep(db), 0);
    await pass(db, 2, { sweeps: true });
    assert.equal(await sweep(db), 5);
    assert.deepEqual(await statuses(), lost);
  });
});

describe('the silence of the only worker', () => {
  it('extends its leases once, and costs nothing when it is heard again', async () => {
    const { db, worker, orders, statuses } = await stage();
    for (let outage = 0; outage < 2; outage += 1) {
      await pass(db, 61, { sweeps: true });
      assert.equal(await sweep(db), 0);
      await pass(db, 50, { sweeps: true });
      assert.equal(await sweep(db), 0);
      assert.deepEqual((await worker.heartbeat(orders)).body.abandon, []);
    }
    assert.deepEqual(await statuses(), leased);
    await finish(worker, orders);
  });

  it('means that it is lost when it lasts for the extension too', async () => {
    const { db, statuses } = await stage();

    await pass(db, 61, { sweeps: true });
    assert.equal(await sweep(db), 0);
    await pass(db, 61, { sweeps: true });
    assert.equal(await sweep(db), 5);
    assert.deepEqual(await statuses(), lost);
  });

  it('means that it is lost at once when another worker gets through', async () => {
    const { db, others, statuses } = await stage({ idle: 1 });

    await pass(db, 61, { sweeps: true });
    for (const other of others) await other.heartbeat();
    assert.equal(await sweep(db), 5);
    assert.deepEqual(await statuses(), lost);
  });
});

describe('an engine that was cut off alone', () => {
  it('does not extend what the others have watched all the time', async () => {
    const { server, db, others, statuses } = await stage({ idle: 1 });
    const line = await cuttable(server);
    await line.cut();
    await assert.rejects(sweep(line.db));
    await pass(db, 61, { sweeps: true });
    for (const other of others) await other.heartbeat();
    await line.mend();

    assert.equal(await sweep(line.db), 5);
    assert.deepEqual(await statuses(), lost);
  });
});

describe('a database whose clock was set back', () => {
  it('does not hold the work of a lost worker for as long', async () => {
    const { db, statuses } = await stage();
    await pass(db, -3600, { sweeps: false });
    assert.equal(await sweep(db), 0);

    await pass(db, 61, { sweeps: true });
    await db`update workers set last_heartbeat_at = now() - interval '61 seconds'`;
    assert.equal(await sweep(db), 5);
    assert.deepEqual(await statuses(), lost);
  });
});

/** Waits until a statement waits for a lock. Asks on the connection that holds it. */
async function untilWaiting(tx: Db) {
  for (let tries = 0; tries < 3000; tries += 1) {
    const [row] = await tx`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query not ilike '%pg_stat%'
    `;
    if (row) return;
    await tx`select pg_sleep(0.01)`;
  }
  throw new Error('Nothing waits for the lock.');
}
