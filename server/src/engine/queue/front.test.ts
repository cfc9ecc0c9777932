import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import type { Connection } from '../../db/connection.ts';
import { findCandidates } from '../tables/queue.ts';

/** Adds that many rows for each tenant and kind of need, those of later runs first. */
const fill = (db: Connection, tenants: number, kinds: number, rows: number) => db`
  insert into ready_queue
    (node_run_id, tenant_id, workflow_id, run_id, band, cpu, memory_mb, gpu, disk_mb)
  select
    (tenant * 100 + kind) * 1000 + number, tenant, tenant, 1000 - number, number % 2, kind, 16, 0, 1
  from generate_series(1, ${tenants}::int) as tenant, generate_series(1, ${kinds}::int) as kind,
    generate_series(1, ${rows}::int) as number
`;

describe('the front of the queue', () => {
  it('has the first of each tenant and kind, and few of each where there are many', async () => {
    const { server } = await cast();
    const { db } = server.services;
    await fill(db, 2, 2, 150);

    const few = await findCandidates(db, 100, [], 0);
    await db`delete from ready_queue`;
    await fill(db, 400, 3, 5);
    const many = await findCandidates(db, 100, [], 0);
    await db`delete from ready_queue`;

    const fronts = Map.groupBy(few, ({ tenant_id, cpu }) => `${tenant_id} ${cpu}`);
    assert.deepEqual(
      [...fronts.values()].map(({ length }) => length),
      [100, 100, 100, 100],
    );
    for (const front of fronts.values()) {
      const places = front.map(({ band, run_id }) => band * 10_000 + run_id);
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      );
      assert.deepEqual([front[0]?.band, front[0]?.run_id], [0, 850]);
    }
    assert.equal(many.length, 1200);
    assert.equal(new Set(many.map(({ tenant_id, cpu }) => `${tenant_id} ${cpu}`)).size, 1200);
    assert.deepEqual(await findCandidates(db, 100, [], 0), Object.assign([], { count: 0 }));
  });

  it('leaves out runs, and what waits for its time', async () => {
    const { server } = await cast();
    const { db } = server.services;
    await fill(db, 1, 1, 3);
    await db`update ready_queue set is_paused = true where run_id = 998`;

    const found = await findCandidates(db, 100, [997], 0);
    await db`delete from ready_queue`;

    assert.deepEqual(
      found.map(({ run_id }) => run_id),
      [999],
    );
  });

  it('has the work of each workflow, and of one under a cap little more than may start', async () => {
    const { server, owner } = await cast();
    const { db } = server.services;
    const { tenant_id } = owner.user;
    const workflowOf = async (settings: object) =>
      (await owner.post('/workflows', { name: 'Test', ...settings })).body.id as number;
    const capped = await workflowOf({ max_running: 3 });
    const other = await workflowOf({});
    const add = (workflow: number, run: number, rows: number) => db`
      insert into ready_queue
        (node_run_id, tenant_id, workflow_id, run_id, band, cpu, memory_mb, gpu, disk_mb)
      select ${run}::bigint * 1000000 + number, ${tenant_id}, ${workflow}, ${run}, 1, 1, 16, 0, 1
      from generate_series(1, ${rows}::int) as number
    `;
    await add(capped, 1, 20_000);
    await add(other, 2, 2);

    const find = (freeing: number) => db.transaction((tx) => findCandidates(tx, 100, [], freeing));
    const found = await find(0);
    const whenTwoEnd = await find(2);
    await db`delete from ready_queue`;

    const runsOf = (rows: typeof found) => rows.map(({ run_id }) => run_id).join(' ');
    assert.equal(runsOf(found), '1 1 1 1 1 2 2');
    assert.equal(runsOf(whenTwoEnd), '1 1 1 1 1 1 1 2 2');
    assert.deepEqual([found[0]?.workflow_slots, found[5]?.workflow_slots], [3, undefined]);
  });

  it('of very many workflows under caps takes few locks', async () => {
    const { server, owner } = await cast();
    const { db } = server.services;
    const { id, tenant_id } = owner.user;
    await db`
      with made as (
        insert into workflows (tenant_id, name, created_by, max_running)
        select ${tenant_id}, 'Test', ${id}, 1 from generate_series(1, 2000)
        returning id
      )
      insert into ready_queue
        (node_run_id, tenant_id, workflow_id, run_id, band, cpu, memory_mb, gpu, disk_mb)
      select id, ${tenant_id}, id, id, 1, 1, 16, 0, 1 from made
    `;

    const [found, locks] = await db.transaction(async (tx) => [
      await findCandidates(tx, 100, [], 0),
      await tx`
        select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
      `,
    ]);
    await db`delete from ready_queue`;

    assert.equal(found.length, 2000);
    assert.ok(locks.length <= 256, `${locks.length} locks`);
  });
});
