/** SQL of run events. Only recent ones are kept. */
import type { Db } from '../../db/connection.ts';
import type { RunEvents } from '../kernel/events.ts';

/** The channel on which all processes are told of new events. */
export const eventsChannel = 'run_events';

export function addRunEvents(tx: Db, events: readonly RunEvents[]) {
  return tx`
    insert into run_events (tenant_id, run_id, run, details, is_last)
    select *
    from unnest(
      ${events.map(({ tenant_id }) => tenant_id)}::bigint[],
      ${events.map(({ run_id }) => run_id)}::bigint[],
      ${events.map(({ run }) => (run ? JSON.stringify(run) : null))}::text[],
      ${events.map(linesOf)}::text[],
      ${events.map(({ is_last }) => is_last)}::boolean[]
    )
  `;
}

function linesOf({ details }: Pick<RunEvents, 'details'>): string | null {
  if (details.length === 0) return null;
  return details.map(({ event, data }) => `${event} ${JSON.stringify(data)}`).join('\n');
}

export type ToldVersion = {
  id: number;
  workflow_id: number;
  version_number: number;
  state: string;
  etag: string;
  graph_hash: string;
  logic_hash: string;
  /** A user. */
  changed_by: number;
};

/** Tells watchers of the tenant, with the commit, that a version of a workflow changed. */
export const addVersionEvent = (tx: Db, tenantId: number, version: ToldVersion) => tx`
  with added as (
    insert into run_events (tenant_id, details)
    values (${tenantId}, ${`version ${JSON.stringify(version)}`})
    returning id
  )
  select tell(${eventsChannel}, '') from added
`;

/** Notifies all processes, with the commit, that there may be events. */
export const tellOfEvents = (tx: Db) => tx`select tell(${eventsChannel}, '')`;

/** Notifies all processes but the sender at once. */
export const tellOthersOfEvents = (db: Db, who: string) =>
  db`select pg_notify(${eventsChannel}, ${who})`;

export type EventLimits = { seconds: number; rows: number; bytes: number };

/**
 * Removes events, oldest first, that are older than `seconds` or exceed `rows` or `bytes`.
 *
 * @returns how many, at most `limit`.
 */
export async function removeOldEvents(
  db: Db,
  { seconds, rows, bytes }: EventLimits,
  limit: number,
): Promise<number> {
  const [removed] = await db<{ count: number }[]>`
    with sized as (
      -- The stored size: long values are compressed, and not read for this.
      select xid, id, created_at,
        coalesce(pg_column_size(run), 0) + coalesce(pg_column_size(details), 0) as bytes
      from run_events
    ),
    oldest as (
      select xid, id, created_at,
        row_number() over in_order as place, sum(bytes) over in_order - bytes as bytes_before
      from sized
      window in_order as (order by xid, id)
      limit ${limit}
    ),
    kept as (select count(*) as rows, coalesce(sum(bytes), 0) as bytes from sized),
    removed as (
      delete from run_events
      using oldest, kept
      where run_events.xid = oldest.xid and run_events.id = oldest.id
        and (
          oldest.created_at < now() - make_interval(secs => ${seconds})
          or oldest.place <= kept.rows - ${rows}
          or oldest.bytes_before < kept.bytes - ${bytes}
        )
      returning run_events.xid
    ),
    -- In the same transaction, so that a reader that misses removed events sees the new floor.
    raised as (
      update run_events_floor
      set xid = greatest(run_events_floor.xid, last.xid)
      from (select max(xid) as xid from removed) as last
      where last.xid is not null
    )
    select count(*) as count from removed
  `;
  return removed?.count ?? 0;
}
