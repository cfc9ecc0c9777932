import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { client } from '../../../test/cast.ts';
import { filesOf, look, run, stage as runStage, versionOf } from '../../../test/runs.ts';
import type { Order } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';
import { removeOldLogs } from './log-retention.ts';

const none = { days: 0, tenant_bytes: 0 };

async function stage() {
  const people = await runStage();
  const { owner, worker, server } = people;
  const { db } = server.services;
  const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
  const api = client(server.url, worker.token);
  const say = async (order: Order, text: string) => {
    const { status } = await api.post(`/workers/${worker.id}/attempts/${order.attempt_id}/logs`, {
      lease_token: order.lease_token,
      start_offset: 0,
      data: Buffer.from(text).toString('base64'),
    });
    assert.equal(status, 204);
  };
  /**
   * Runs a node over `files` files, each writing `text`. @returns the run's id and the held
   * attempts.
   */
  const begin = async (files: number, text: string) => {
    const names = Array.from({ length: files }, (_, at) => `${Math.random()}-${at}`);
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, ...names) });
    const orders = await worker.acquire(files);
    for (const order of orders) await say(order, text);
    return { id: body.workflow_run_id as number, orders };
  };
  const logged = async (text: string, daysAgo = 0, files = 1) => {
    const { id, orders } = await begin(files, text);
    for (const order of orders) await worker.succeed(order);
    await db`
      with ended as (
        update attempts set finished_at = now() - make_interval(days => ${daysAgo}) where run_id = ${id}
      )
      update workflow_runs set finished_at = now() - make_interval(days => ${daysAgo}) where id = ${id}
    `;
    return id;
  };
  const logOf = async (id: number) => {
    const [nodeRun] = (await look(owner, id)).node_runs;
    return owner.get(`/workflows/workflow-runs/${id}/node-runs/${nodeRun.id}/logs`);
  };
  return { ...people, db, begin, logged, logOf };
}

describe('the retention of logs', () => {
  it('removes them so many days after the end of their run, and says so', async () => {
    const { db, logged, logOf, owner } = await stage();
    const old = await logged('old', 31);
    const young = await logged('young', 29);

    assert.equal(await removeOldLogs(db, { ...none, days: 30 }), 1);

    assert.equal((await logOf(young)).body, 'young');
    const answer = await logOf(old);
    assert.equal(answer.status, 410);
    assert.equal(answer.body.code, 'logs_removed');
    assert.match(answer.body.detail, /^This log was removed on \d{4}-\d\d-\d\d\. /);
    assert.equal((await look(owner, old)).status, 'success');
    assert.equal(await removeOldLogs(db, { ...none, days: 30 }), 0);
  });

  it('keeps those of runs under way, however long they take', async () => {
    const { db, begin, worker, logOf } = await stage();
    const { id, orders } = await begin(2, 'still here');
    await worker.succeed(orders[0]);
    await db`update workflow_runs set created_at = now() - interval '90 days' where id = ${id}`;

    assert.equal(await removeOldLogs(db, { ...none, days: 30 }), 0);

    assert.equal((await logOf(id)).body, 'still here');
  });

  it('keeps so many bytes of each tenant, and the runs that ended first go first', async () => {
    const { db, logged, logOf } = await stage();
    const other = await stage();
    const theirs = await other.logged('x'.repeat(900));
    const [second, first, third] = [
      await logged('x'.repeat(400), 2),
      await logged('x'.repeat(400), 3),
      await logged('x'.repeat(400), 1),
    ];

    assert.equal(await removeOldLogs(db, { ...none, tenant_bytes: 1000 }), 1);

    assert.equal((await logOf(first)).status, 410);
    for (const id of [second, third]) assert.equal((await logOf(id)).body.length, 400);
    assert.equal((await other.logOf(theirs)).body.length, 900);
    assert.equal(await removeOldLogs(db, { ...none, tenant_bytes: 1000 }), 0);
  });

  it('bounds a single run that never ends, but not what is being written', async () => {
    const { db, begin, worker } = await stage();
    const { orders } = await begin(4, 'x'.repeat(500));
    for (const order of orders.slice(0, 3)) await worker.succeed(order);

    assert.equal(await removeOldLogs(db, { ...none, tenant_bytes: 1000 }), 1);

    const rows = await db<{ id: number; bytes: number }[]>`
      select attempt_id as id, sum(octet_length(bytes))::int as bytes
      from attempt_logs
      where attempt_id = any(${orders.map((order) => order.attempt_id)})
      group by attempt_id
      order by attempt_id
    `;
    const kept = orders.slice(1).map((order) => order.attempt_id);
    assert.deepEqual(
      rows.map((row) => [row.id, row.bytes]),
      kept.sort((a, b) => a - b).map((id) => [id, 500]),
    );
  });

  it('goes on in batches, and several engines do it side by side', async () => {
    const { db, logged } = await stage();
    await logged('x', 40, 10);
    await logged('x', 40, 10);

    const removed = await Promise.all(
      [1, 2, 3].map(() => removeOldLogs(db, { ...none, days: 30 })),
    );

    assert.equal(
      removed.reduce((sum, one) => sum + one),
      20,
    );
  });

  it('is off where it is set to 0', async () => {
    const { db, logged, logOf } = await stage();
    const id = await logged('kept', 3000);

    assert.equal(await removeOldLogs(db, none), 0);
    assert.equal((await logOf(id)).body, 'kept');
  });
});
