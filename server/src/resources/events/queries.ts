/** SQL of event streams: events after a position, and the current state of watched runs. */
import type { Db } from '../../db/connection.ts';
import type { RunRow } from '../../engine/records.ts';
import { reportedOfRun } from '../../engine/tables/attempts.ts';
import type { Position } from './positions.ts';

export type EventRow = {
  xid: number;
  id: number;
  tenant_id: number;
  /** Undefined if it is about no run. */
  run_id?: number;
  run?: string;
  details?: string;
  is_last: boolean;
  /** Total size of this row and all rows read before it. */
  bytes: number;
};

/** Whose events to read, and from where. */
export type Wanted = {
  /** The first transaction that may not have been seen. */
  xmin: number;
  /** One of our positions, included in those of all these streams. */
  seen: Position | undefined;
  run_ids: number[];
  tenant_ids: number[];
};

/** For a part that no stream needs. */
const nobody: Wanted = {
  xmin: Number.MAX_SAFE_INTEGER,
  seen: undefined,
  run_ids: [],
  tenant_ids: [],
};

/** The position before all events. */
const beginning = '1:1:';

/**
 * Reads what was committed after the positions of the streams, in order of decisions, and the new
 * position. For a whole tenant, only events about the runs themselves.
 *
 * @param most rows of each part; one row more, or the one that exceeds the bytes, means there is
 * more.
 */
export async function findEvents(
  db: Db,
  live: Wanted | undefined,
  joining: Wanted | undefined,
  most: { rows: number; bytes: number },
) {
  const part = ({ xmin, seen, run_ids, tenant_ids }: Wanted, isLive: boolean) => db`
    (
      select ${isLive} as is_live, found.*
      from (
        -- The window stands above the limit: below it, all matching rows would be sorted whole.
        select *, sum(size) over (order by id) as bytes
        from (
          select xid, id, tenant_id, run_id, run, details, is_last,
            (coalesce(octet_length(run), 0) + coalesce(octet_length(details), 0))::float8 as size
          from run_events
          where xid >= ${xmin}
            and not pg_visible_in_snapshot(
              xid::text::xid8, ${seen?.text ?? beginning}::pg_snapshot
            )
            and (
              run_id = any(${run_ids}::bigint[])
              or (
                (run is not null or run_id is null) and tenant_id = any(${tenant_ids}::bigint[])
              )
            )
          order by id
          limit ${most.rows + 1}
        ) as first
      ) as found
      where bytes - size <= ${most.bytes}
    )
  `;
  const rows = await db<(Partial<EventRow> & { now: string; floor?: number; is_live: boolean })[]>`
    select pg_current_snapshot()::text as now, (select xid from run_events_floor) as floor, found.*
    from (select) as always
    left join (
      ${part(live ?? nobody, true)} union all ${part(joining ?? nobody, false)}
    ) as found on true
    order by id
  `;
  const found = (isLive: boolean) =>
    rows.filter(
      (row): row is typeof row & EventRow => row.id !== undefined && row.is_live === isLive,
    );
  return {
    now: rows[0]?.now ?? '',
    floor: rows[0]?.floor,
    live: found(true),
    joining: found(false),
  };
}

/**
 * A new installation has no floor; after a crash it is lost, as are all events. It starts below the
 * transactions under way, because those of removed events had ended before.
 */
export const startFloor = (db: Db) => db`
  insert into run_events_floor (xid)
  values (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)
  on conflict do nothing
`;

export type WatchedRun = Omit<RunRow, 'graph_hash' | 'extra_variables'> & {
  node_keys: string[];
  node_counts: number[];
  reported: Record<number, number>;
};

/** The state of runs, with everything progress needs, and the position it corresponds to. */
export async function findWatched(db: Db, runIds: readonly number[]) {
  const rows = await db<(Partial<WatchedRun> & { now: string })[]>`
    select pg_current_snapshot()::text as now, run.*
    from (select) as always
    left join (
      select
        run.id, run.tenant_id, workflow_id, workflow_version_id, status, error_message, started_by,
        trigger_id, test_run, priority, on_failure, output_folder_id, output_fallback,
        keep_results, results_removed_at,
        max_credits::float8 as max_credits,
        restarted_from_run_id, reuse_from_run_id, until, cancel_requested_at, created_at, started_at, finished_at,
        progress_percentage::float8 as progress_percentage, graph.node_keys, node_counts,
        ${reportedOfRun(db)} as reported
      from workflow_runs as run
      join run_graphs as graph on graph.tenant_id = run.tenant_id and graph.hash = run.graph_hash
      where run.id = any(${runIds}::bigint[]) and run.deleted_at is null
    ) as run on true
  `;
  return {
    now: rows[0]?.now ?? '',
    runs: rows.filter((row): row is typeof row & WatchedRun => row.id !== undefined),
  };
}
