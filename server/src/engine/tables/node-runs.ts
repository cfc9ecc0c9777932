/** SQL of node runs. Only those that have begun have rows. */
import type { Db } from '../../db/connection.ts';
import type { IdRange } from '../kernel/asking.ts';
import type { NodeRunRow } from '../records.ts';

/**
 * The node runs of these attempts, and of all nodes in the same lanes. May return others of the
 * same runs as well. Ids are computed first, so that all rows are found by primary key.
 */
export const findNodeRunsOf = (tx: Db, attemptIds: readonly number[]) => {
  const mine = tx`array(select node_run_id from attempts where id = any(${attemptIds}::bigint[]))`;
  return tx<NodeRunRow[]>`
    select *
    from begun_node_runs
    where id = any(
      ${mine} || array(
        select first_id + lane.shard_index
        from (
          select distinct run_id, shard_index
          from begun_node_runs
          where id = any(${mine}) and shard_index is not null
        ) as lane
        join workflow_runs as run on run.id = lane.run_id
        cross join lateral unnest(run.first_ids) as first_id
        where first_id > 0
      )
    )
  `;
};

export const findNodeRunsWithin = (tx: Db, ranges: readonly IdRange[]) =>
  tx<NodeRunRow[]>`
    select begun.*
    from unnest(
      ${ranges.map(({ first }) => first)}::bigint[],
      ${ranges.map(({ last }) => last)}::bigint[]
    ) as wanted (first, last)
    join begun_node_runs as begun on begun.id between wanted.first and wanted.last
  `;

export const findQueuedWithin = (tx: Db, ranges: readonly IdRange[], limit: number) =>
  tx<NodeRunRow[]>`
    select begun.*
    from unnest(
      ${ranges.map(({ first }) => first)}::bigint[],
      ${ranges.map(({ last }) => last)}::bigint[]
    ) as wanted (first, last)
    join begun_node_runs as begun on begun.id between wanted.first and wanted.last
    where begun.status = 'queued'
    limit ${limit}
  `;

/** The first failure of each node of each run. */
export const findFirstFailures = (tx: Db, runId: number) =>
  tx<NodeRunRow[]>`
    select distinct on (begun.node_key) begun.*
    from run_nodes as node
    join begun_node_runs as begun
      on begun.id between node.first_id and node.first_id + node.expected - 1
    where node.run_id = ${runId} and node.failure > 0 and begun.status = 'failure'
    order by begun.node_key, begun.finished_at, begun.shard_index
  `;

/**
 * Writes the current values of node runs. Their runs are locked, so there are no concurrent
 * changes.
 */
export function writeNodeRuns(tx: Db, rows: readonly NodeRunRow[]) {
  const column = <Name extends keyof NodeRunRow>(name: Name) =>
    rows.map((row) => (row[name] ?? null) as string | null);
  return tx`
    insert into begun_node_runs
      (id, tenant_id, run_id, node_key, shard_index, status, skip_reason, attempt, system_faults,
       memory_mb, reused_from_node_run_id, worker_id, exit_code, error_class, error_message,
       queued_at, started_at, finished_at)
    select * from unnest(
      ${column('id')}::bigint[], ${column('tenant_id')}::bigint[], ${column('run_id')}::bigint[],
      ${column('node_key')}::text[], ${column('shard_index')}::int[], ${column('status')}::text[],
      ${column('skip_reason')}::text[], ${column('attempt')}::int[],
      ${column('system_faults')}::int[], ${column('memory_mb')}::int[],
      ${column('reused_from_node_run_id')}::bigint[], ${column('worker_id')}::bigint[],
      ${column('exit_code')}::int[], ${column('error_class')}::text[],
      ${column('error_message')}::text[], ${column('queued_at')}::timestamptz[],
      ${column('started_at')}::timestamptz[], ${column('finished_at')}::timestamptz[]
    )
    on conflict (id) do update
    set status = excluded.status, skip_reason = excluded.skip_reason, attempt = excluded.attempt,
        system_faults = excluded.system_faults, memory_mb = excluded.memory_mb,
        worker_id = excluded.worker_id, exit_code = excluded.exit_code,
        error_class = excluded.error_class, error_message = excluded.error_message,
        queued_at = excluded.queued_at, started_at = excluded.started_at,
        finished_at = excluded.finished_at
  `;
}

/** Ends the queued node runs of a stopped run. */
export const endQueued = (
  tx: Db,
  nodes: readonly IdRange[],
  endedAs: 'cancelled' | 'run_aborted',
) =>
  tx`
    with ended as (
      update begun_node_runs as begun
      set status = ${endedAs === 'cancelled' ? 'cancelled' : 'skipped'},
          skip_reason = ${endedAs === 'cancelled' ? null : endedAs},
          finished_at = now()
      from unnest(
        ${nodes.map(({ first }) => first)}::bigint[],
        ${nodes.map(({ last }) => last)}::bigint[]
      ) as node (first, last)
      where begun.id between node.first and node.last and begun.status = 'queued'
      returning begun.id
    )
    delete from ready_queue using ended where node_run_id = ended.id
  `;
