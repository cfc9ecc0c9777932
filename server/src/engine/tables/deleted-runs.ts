/** SQL of runs whose results are removed: deleted ones, and tests whose time is over. */
import type { Db } from '../../db/connection.ts';

type Run = { id: number; tenant_id: number; is_deleted: boolean };

/** Whether a restart of `run` is under way, which may still take its results over. */
const isNeeded = (tx: Db) => tx`
  exists (
    select from workflow_runs as later
    where later.tenant_id = run.tenant_id and later.restarted_from_run_id = run.id
      and later.status in ('queued', 'running')
  )
`;

/** Tests that ended so long ago, and deleted ones, locked: nothing takes their results over now. */
export async function lockExpiredTests(tx: Db, hours: number, limit: number): Promise<number[]> {
  const rows = await tx<{ id: number }[]>`
    select id
    from workflow_runs as run
    where not keep_results and results_removed_at is null
      and (finished_at < now() - make_interval(hours => ${hours}) or deleted_at is not null)
      and not ${isNeeded(tx)}
    order by finished_at, id
    limit ${limit}
    for update skip locked
  `;
  return rows.map(({ id }) => id);
}

/**
 * Notes that the results of these locked runs are gone, unless a restart began before they were
 * locked. @returns the folders of the others' results.
 */
export const setResultsRemoved = (tx: Db, ids: readonly number[]) => tx<
  { output_folder_id?: number }[]
>`
  update workflow_runs as run
  set results_removed_at = now()
  where id = any(${ids}::bigint[]) and not ${isNeeded(tx)}
  returning output_folder_id
`;

/**
 * The next run whose outputs can go, locked: deleted, or a test whose results are gone. A restart
 * locks the run it reuses and reads afterwards whether it is one, so none can begin any more.
 */
export async function lockRunToEmpty(tx: Db): Promise<Run | undefined> {
  const [run] = await tx<Run[]>`
    select id, tenant_id, deleted_at is not null as is_deleted
    from workflow_runs as run
    where outputs_removed_at is null and (deleted_at is not null or results_removed_at is not null)
      and not ${isNeeded(tx)}
    order by coalesce(deleted_at, results_removed_at), id
    limit 1
    for update skip locked
  `;
  return run;
}

/**
 * Removes a portion of the outputs; those of a run that is not deleted stay on record without their
 * bytes. @returns each, with the object that it referred to.
 */
export function removeOutputs(tx: Db, run: Run, limit: number) {
  const [removing, left] = run.is_deleted
    ? [tx`delete from node_run_outputs`, tx``]
    : [tx`update node_run_outputs set object_id = null`, tx`and object_id is not null`];
  return tx<{ object_id?: number }[]>`
    with portion as materialized (
      select output.id, output.object_id
      from run_nodes as node
      cross join lateral (
        select node_run_outputs.id, node_run_outputs.object_id
        from node_run_outputs
        where tenant_id = ${run.tenant_id}
          and node_run_id between node.first_id and node.first_id + node.expected - 1
          ${left}
        limit ${limit}
      ) as output
      where node.run_id = ${run.id} and node.first_id > 0
      limit ${limit}
    ),
    removed as (
      ${removing}
      where id = any (array(select id from portion))
    )
    select object_id from portion
  `;
}

export const setOutputsRemoved = (tx: Db, run: Run) => tx`
  update workflow_runs
  set outputs_removed_at = now()
  where tenant_id = ${run.tenant_id} and id = ${run.id}
`;
