import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import type { Connection } from '../../db/connection.ts';
import { findCandidates } from '../tables/queue.ts';

/** Adds that many rows for each tenant and kind of need, those of later runs first. */
const fill = (db: Connection, tenants: number, kinds: number, rows: number) => db`
  insert into ready_queue (node_run_id, tenant_id, run_id, band, cpu, memory_mb, gpu, disk_mb)
  select
    (tenant * 100 + kind) * 1000 + number, tenant, 1000 - number, number % 2, kind, 16, 0, 1
  from generate_series(1, ${tenants}::int) as tenant, generate_series(1, ${kinds}::int) as kind,
    generate_series(1, ${rows}::int) as number
`;

describe('the front of the queue', () => {
  it('has the first of each tenant and kind, and few of each where there are many', async () => {
    const { server } = await cast();
    const { db } = server.services;
    await fill(db, 2, 2, 150);

    const few = await findCandidates(db, 100, []);
    await db`delete from ready_queue`;
    await fill(db, 400, 3, 5);
    const many = await findCandidates(db, 100, []);
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
    assert.deepEqual(await findCandidates(db, 100, []), Object.assign([], { count: 0 }));
  });

  it('leaves out runs, and what waits for its time', async () => {
    const { server } = await cast();
    const { db } = server.services;
    await fill(db, 1, 1, 3);
    await db`update ready_queue set is_paused = true where run_id = 998`;

    const found = await findCandidates(db, 100, [997]);
    await db`delete from ready_queue`;

    assert.deepEqual(
      found.map(({ run_id }) => run_id),
      [999],
    );
  });
});
