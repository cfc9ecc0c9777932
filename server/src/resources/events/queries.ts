/** SQL of event streams: what became different since a position, and how the watched runs are now. */
import type { Db } from '../../db/connection.ts';
import type { RunRow } from '../../engine/records.ts';
import { reportedOfRun } from '../../engine/tables/attempts.ts';
import type { Position } from './positions.ts';

export type EventRow = {
  xid: number;
  id: number;
  tenant_id: number;
  run_id: number;
  run?: string;
  details?: string;
  is_last: boolean;
  /** Of this one and all before it that were read. */
  bytes: number;
};

/** Whose events are read, and since when. */
export type Wanted = {
  /** Of the first transaction that may not have been seen. */
  xmin: number;
  /** A position of ours at which the others have been seen. */
  seen: Position | undefined;
  run_ids: number[];
  tenant_ids: number[];
};

/** Of a part that nobody waits for. */
const nobody: Wanted = {
  xmin: Number.MAX_SAFE_INTEGER,
  seen: undefined,
  run_ids: [],
  tenant_ids: [],
};

/** At which nothing has been seen. */
const beginning = '1:1:';

/**
 * What was committed since the positions of those who wait, in the order of decisions, and the position
 * after it. Of a whole tenant only what is told of the runs themselves.
 *
 * @param most of each part; one row more, or the one that goes beyond, says that there is more.
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
        select xid, id, tenant_id, run_id, run, details, is_last, sum(size) over (order by id) as bytes, size
        from run_events
        cross join lateral (
          select (coalesce(octet_length(run), 0) + coalesce(octet_length(details), 0))::float8 as size
        ) as sized
        where xid >= ${xmin}
          and not pg_visible_in_snapshot(
            xid::text::xid8, ${seen?.text ?? beginning}::pg_snapshot
          )
          and (
            run_id = any(${run_ids}::bigint[])
            or (run is not null and tenant_id = any(${tenant_ids}::bigint[]))
          )
        order by id
        limit ${most.rows + 1}
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
 * In a new installation there is none, and after a crash it is gone with all events: it begins below what
 * is under way, because whatever was removed had ended before.
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

/** How runs are, with all that progress is made of, and the position at which they are so. */
export async function findWatched(db: Db, runIds: readonly number[]) {
  const rows = await db<(Partial<WatchedRun> & { now: string })[]>`
    select pg_current_snapshot()::text as now, run.*
    from (select) as always
    left join (
      select
        run.id, run.tenant_id, workflow_id, workflow_version_id, status, error_message, started_by,
        trigger_id, test_run, priority, on_failure, output_folder_id, output_fallback,
        restarted_from_run_id, cancel_requested_at, created_at, started_at, finished_at,
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
