/** Two server processes that lease work of one workflow or tenant at the same moment. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { client } from '../../../test/cast.ts';
import { untilHeard } from '../../../test/heard.ts';
import { filesOf, run, type Stage, stage } from '../../../test/runs.ts';
import { startServer, type TestServer } from '../../../test/server.ts';
import { roomOfWorker, waitAt, withoutFallback } from '../../../test/waiting-workers.ts';
import { type ScriptedWorker, scriptedWorker } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';
import { limitTenant } from '../../resources/platform/tenants/tenants.ts';
import { changeTenantSettings } from '../../resources/users/users.ts';

describe('two processes that hand out work at the same moment', () => {
  let other: TestServer;
  let server: TestServer;
  before(async () => {
    server = await startServer();
    other = await startServer({}, undefined, { beside: server });
    await untilHeard(other);
  });

  for (const limited of ['workflow', 'tenant', 'credit account'] as const)
    it(`stay together within the limit of a ${limited}`, async () => {
      const room = await stage(server);
      const second = await scriptedWorker(server, room.owner.user.tenant_id);
      await startTwo(room, limited, 2);

      // The first has decided, and cannot commit; then the second decides.
      const held = await withoutCommits(server, async (waiting) => {
        const first = room.worker.acquire(10);
        await until(async () => (await waiting()) === 1);
        const at = acquireAt(other, second);
        let isAnswered = false;
        at.finally(() => {
          isAnswered = true;
        });
        await until(async () => isAnswered || (await waiting()) === 2);
        return [first, at];
      });

      const orders = (await Promise.all(held)).flat();
      assert.equal(orders.length, 2);
      assert.deepEqual(await acquireAt(other, second), []);
    });

  it('wake each other where a slot becomes free', async (t) => {
    withoutFallback(t);
    const room = await stage(server);
    const waiting = await scriptedWorker(server, room.owner.user.tenant_id);
    await startTwo(room, 'workflow', 1);
    const [order] = await room.worker.acquire(10);
    const waits = await waitAt(other, waiting);

    await room.worker.succeed(order);

    assert.equal((await waits.answer).leases.length, 1);
  });

  it('try again where one found the other leasing', async (t) => {
    withoutFallback(t);
    const room = await stage(server);
    const waiting = await scriptedWorker(server, room.owner.user.tenant_id);
    await startTwo(room, 'workflow', 3);

    const answer = await withoutCommits(server, async (blocked) => {
      const first = room.worker.acquire(2);
      await until(async () => (await blocked()) === 1);
      // With the lock of the first, nothing can be leased here.
      const waits = await waitAt(other, waiting);
      return [first, waits.answer.then(({ leases }) => leases)];
    });

    assert.deepEqual(
      (await Promise.all(answer)).map(({ length }) => length),
      [2, 1],
    );
  });
});

/** Starts two runs of one workflow, over three files each. */
async function startTwo(
  { owner, server }: Stage,
  limited: 'workflow' | 'tenant' | 'credit account',
  most: number,
): Promise<void> {
  const { body } = await owner.post('/workflows', {
    name: 'Test',
    graph: mappedGraph(await registerNode(owner)),
    max_running: limited === 'workflow' ? most : null,
  });
  if (limited === 'tenant')
    await changeTenantSettings(server.services.db, owner.user.tenant_id, {
      max_running_node_runs: most,
    });
  // Five minutes of half a cpu are 2.5 credits.
  if (limited === 'credit account')
    await server.services.db.transaction((tx) =>
      limitTenant(tx, owner.user.tenant_id, { credits_limit: most * 2.5 }),
    );
  const cog_ids = await filesOf(owner, 'a', 'b', 'c');
  for (let at = 0; at < 2; at += 1) await run(owner, body.latest_version_id, { cog_ids });
}

async function acquireAt({ url }: TestServer, { id, token }: ScriptedWorker) {
  const { body, status } = await client(url, token).post(`/workers/${id}/acquire`, {
    ...{ free: roomOfWorker, max: 10 },
  });
  return status === 200 ? body : [];
}

/**
 * Does `work` while rounds that lease work can write, but not commit.
 *
 * @param work is given a count of the rounds that wait. What it returns may wait for them.
 */
const withoutCommits = <Result>(
  { services: { db, engineDb } }: TestServer,
  work: (waiting: () => Promise<number>) => Promise<Result>,
) =>
  db.transaction(async (tx) => {
    await tx`lock table run_events in share mode`;
    return work(async () => {
      const [row] = await engineDb<{ waiting: number }[]>`
        select count(*) as waiting
        from pg_locks
        where relation = 'run_events'::regclass and not granted
          and database = (select oid from pg_database where datname = current_database())
      `;
      return row?.waiting ?? 0;
    });
  });

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}
