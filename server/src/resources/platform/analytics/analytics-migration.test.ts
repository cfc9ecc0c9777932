/** What migration 0142 adds to statistics. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseBefore } from '../../../../test/database.ts';
import type { Db } from '../../../db/connection.ts';
import { migrate } from '../../../db/migrate.ts';
import { foldStatistics } from './analytics.ts';

const noon = '2027-03-01T12:00:00.000Z';

describe('the migration that adds what statistics lacked', () => {
  it('adds runs that ended as they began, and bytes that earlier releases summed up', async (t) => {
    const { db, drop } = await databaseBefore('0142');
    t.after(drop);
    await db.transaction(async (tx) => {
      // Without users and workflows, which do not matter here; and without counting.
      await tx`set local session_replication_role = replica`;
      await tx`
        insert into tenants (id, name, sealed_key) overriding system value
        values (1, 'One', ''), (2, 'Another', '')
      `;
      await tx`
        insert into storage_usage (tenant_id, used_bytes, reserved_bytes)
        values (1, 500, 0), (2, 70, 0)
      `;
      await tx`
        insert into statistics (tenant_id, measure, bucket, key, count, amount)
        values (1, 'stored_bytes', ${noon}, '', 0, 400), (2, 'stored_bytes', ${noon}, '', 0, 70)
      `;
      await addRun(tx, { tenant: 1, status: 'running' });
      for (const tenant of [1, 1, 2]) await addRun(tx, { tenant, status: 'success' });
    });
    // Counted when they ended: one summed up already, and one just noted.
    await endRun(db, await addRun(db, { tenant: 1, status: 'running' }));
    await foldStatistics(db, 1000);
    await endRun(db, await addRun(db, { tenant: 1, status: 'running' }));

    await migrate(db);

    assert.deepEqual(await countsOf(db), [
      { tenant_id: 1, measure: 'run_durations', key: '0', count: 2, amount: 0 },
      { tenant_id: 1, measure: 'run_durations', key: '80', count: 2, amount: 2000 },
      { tenant_id: 1, measure: 'runs_finished', key: '7:success', count: 4, amount: 2000 },
      { tenant_id: 1, measure: 'stored_bytes', key: '', count: 0, amount: 500 },
      { tenant_id: 2, measure: 'run_durations', key: '0', count: 1, amount: 0 },
      { tenant_id: 2, measure: 'runs_finished', key: '7:success', count: 1, amount: 0 },
      { tenant_id: 2, measure: 'stored_bytes', key: '', count: 0, amount: 70 },
    ]);
  });
});

type Added = { tenant: number; status: 'running' | 'success' };

async function addRun(db: Db, { tenant, status }: Added): Promise<number> {
  return db.transaction(async (tx) => {
    // Statements cannot refer to users and workflows that are not there.
    await tx`set local session_replication_role = replica`;
    const finished_at = status === 'success' ? noon : null;
    const [row] = await tx<{ id: number }[]>`
      insert into workflow_runs
        (tenant_id, workflow_id, workflow_version_id, status, graph_hash, node_counts, first_ids,
         extra_variables, started_by, test_run, created_at, started_at, finished_at)
      values (${tenant}, 7, 7, ${status}, '', '{}', '{}', '{}', 7, false, ${noon}, ${noon},
              ${finished_at})
      returning id
    `;
    return row?.id ?? 0;
  });
}

const endRun = (db: Db, id: number) => db`
  update workflow_runs
  set status = 'success', finished_at = started_at + interval '1 second'
  where id = ${id}
`;

async function countsOf(db: Db) {
  const rows = await db`
    select tenant_id, measure, key, sum(count)::bigint as count, sum(amount)::bigint as amount
    from (select * from statistics union all select * from statistic_changes) as noted
    where measure in ('runs_finished', 'run_durations', 'stored_bytes')
    group by 1, 2, 3
    order by 1, 2, 3
  `;
  return [...rows];
}
