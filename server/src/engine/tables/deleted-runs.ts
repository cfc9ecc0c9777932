/** SQL of deleted runs. */
import type { Db } from '../../db/connection.ts';

type Run = { id: number; tenant_id: number };

/**
 * The run deleted first whose results can go, locked. A restart locks the run it reuses and reads
 * afterwards whether it was deleted, so none can begin any more.
 */
export async function lockDeletedRun(tx: Db): Promise<Run | undefined> {
  const [run] = await tx<Run[]>`
    select id, tenant_id
    from workflow_runs as run
    where deleted_at is not null and outputs_removed_at is null
      and not exists (
        select from workflow_runs as later
        where later.tenant_id = run.tenant_id and later.restarted_from_run_id = run.id
          and later.status in ('queued', 'running')
      )
    order by deleted_at, id
    limit 1
    for update skip locked
  `;
  return run;
}

/** @returns the objects of the removed outputs. */
export async function removeOutputs(tx: Db, run: Run, limit: number): Promise<number[]> {
  const rows = await tx<{ object_id: number }[]>`
    with portion as (
      select output.id
      from run_nodes as node
      cross join lateral (
        select node_run_outputs.id
        from node_run_outputs
        where tenant_id = ${run.tenant_id}
          and node_run_id between node.first_id and node.first_id + node.expected - 1
        limit ${limit}
      ) as output
      where node.run_id = ${run.id} and node.first_id > 0
      limit ${limit}
    )
    delete from node_run_outputs
    where id = any (array(select id from portion))
    returning object_id
  `;
  return rows.map(({ object_id }) => object_id);
}

export const setOutputsRemoved = (tx: Db, run: Run) => tx`
  update workflow_runs
  set outputs_removed_at = now()
  where tenant_id = ${run.tenant_id} and id = ${run.id}
`;
