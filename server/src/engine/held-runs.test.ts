/**
 * Large runs can be locked for seconds. Operations over the runs of all tenants must not wait for a
 * single locked run.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../test/cast.ts';
import { filesOf, run, versionOf } from '../../test/runs.ts';
import { startServer } from '../../test/server.ts';
import { sweepInPeace } from '../../test/sweeps.ts';
import { scriptedWorker } from '../../test/worker.ts';
import { mappedGraph, registerNode, storeCredentials } from '../../test/workflows.ts';

/** One run of each of two tenants, the first one older, and a worker of the platform. */
async function stage() {
  // The transaction that holds the lock is idle meanwhile, for as long as a slow machine takes.
  const patience = { statement_ms: 60_000, lock_ms: 30_000, idle_in_transaction_ms: 600_000 };
  const server = await startServer({}, undefined, { patience: { db: patience } });
  const { owner, admin, stranger } = await cast(server);
  const begin = async (member: Client, keeper: Client) => {
    await storeCredentials(keeper);
    const version = await versionOf(member, mappedGraph(await registerNode(member)));
    const { body } = await run(member, version, { cog_ids: await filesOf(member, 'a.txt') });
    return body.workflow_run_id as number;
  };
  const first = await begin(owner, admin);
  const second = await begin(stranger, stranger);
  const worker = await scriptedWorker(server, null);
  const { db, engineDb } = server.services;
  /** Does `work` while the row of the first run is locked. */
  const whileHeld = <Result>(work: () => Promise<Result>) =>
    db.transaction(async (tx) => {
      await tx`select from workflow_runs where id = ${first} for update`;
      return work();
    });
  return { first, second, worker, engineDb, server, whileHeld };
}

describe('a run that is locked for long', () => {
  it('keeps no worker from the work of other runs', async () => {
    const { first, second, worker, whileHeld } = await stage();

    const orders = await whileHeld(() => worker.acquire(8));

    assert.deepEqual(
      orders.map((order) => order.run_id),
      [second],
    );
    const [rest] = await worker.acquire(8);
    assert.equal(rest.run_id, first);
  });

  it('keeps no sweep from giving up what else is lost', async () => {
    const { second, worker, engineDb, server, whileHeld } = await stage();
    assert.equal((await worker.acquire(8)).length, 2);
    await engineDb`update attempts set lease_expires_at = now() - interval '1 second'`;

    assert.equal(await whileHeld(() => sweepInPeace(server.services)), 1);

    const lost = await engineDb`select run_id from attempts where status = 'lost'`;
    assert.deepEqual(
      lost.map((row) => row.run_id),
      [second],
    );
    assert.equal(await sweepInPeace(server.services), 1);
  });

  it('keeps a sweep going though one attempt cannot be given up at all', async () => {
    const { first, second, worker, engineDb, server } = await stage();
    assert.equal((await worker.acquire(8)).length, 2);
    await engineDb`update attempts set lease_expires_at = now() - interval '1 second'`;
    await engineDb`update workflow_runs set node_counts = '{}' where id = ${first}`;

    await assert.rejects(sweepInPeace(server.services));

    const lost = await engineDb`select run_id from attempts where status = 'lost'`;
    assert.deepEqual(
      lost.map((row) => row.run_id),
      [second],
    );
  });
});
