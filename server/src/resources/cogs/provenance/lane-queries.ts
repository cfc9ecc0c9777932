/** SQL of the lanes of runs. */
import type { Db } from '../../../db/connection.ts';

/** Those of the node runs that succeeded. */
export async function findSuccessful(
  db: Db,
  tenantId: number,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db<{ id: number }[]>`
    select node_run.id
    from unnest(${ids}::bigint[]) as wanted (id)
    cross join lateral (
      select id, tenant_id, status from begun_node_runs where id = wanted.id offset 0
    ) as node_run
    where node_run.tenant_id = ${tenantId} and node_run.status = 'success'
  `;
  return new Set(rows.map(({ id }) => id));
}

/** Where the node runs of these runs are, and how many: see the view run_nodes. */
export const findLanes = (db: Db, tenantId: number, runIds: readonly number[]) => db<
  { id: number; first_ids: number[]; node_counts: number[] }[]
>`
  select id, first_ids, node_counts
  from workflow_runs
  where tenant_id = ${tenantId} and id = any(${runIds}::bigint[])
`;
