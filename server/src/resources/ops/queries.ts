/** SQL of what operators measure. */
import type { Db } from '../../db/connection.ts';

/** What the whole installation has at this moment. Times are in seconds. */
export type Measured = {
  queue: { reason: 'worker' | 'backoff'; depth: number; oldest_seconds: number }[];
  runs: { status: string; count: number }[];
  leases: number;
  lease_overdue_seconds: number;
  holds_open: number;
  trigger_overdue_seconds: number;
  triggers_failing: number;
  arrivals: number;
  objects_to_collect: number;
  stored_bytes: number;
  unsealed_events: number;
};

/** One statement, along partial indexes that hold only what is under way. */
export async function measure(db: Db): Promise<Measured> {
  const [row] = await db<Measured[]>`
    select
      (
        select coalesce(jsonb_agg(waiting), '[]')
        from (
          select case when is_paused then 'backoff' else 'worker' end as reason, count(*) as depth,
            greatest(0, extract(epoch from now() - min(not_before))) as oldest_seconds
          from ready_queue
          group by is_paused
        ) as waiting
      ) as queue,
      (
        select coalesce(jsonb_agg(under_way), '[]')
        from (
          select status, count(*) as count
          from workflow_runs
          where status in ('queued', 'running')
          group by status
        ) as under_way
      ) as runs,
      held.count as leases,
      held.paid as holds_open,
      greatest(0, held.overdue_seconds)::float8 as lease_overdue_seconds,
      coalesce(
        (
          select greatest(0, extract(epoch from clock_timestamp() - min(next_fire_at)))::float8
          from triggers where enabled
        ),
        0
      ) as trigger_overdue_seconds,
      (select count(*) from triggers where enabled and failures > 0) as triggers_failing,
      (select count(*) from arrivals) as arrivals,
      (select count(*) from objects where state = 'dead') as objects_to_collect,
      (
        select coalesce(sum(used_bytes), 0)::float8
        from (
          select used_bytes from storage_usage
          union all
          select used_bytes from storage_changes
        ) as parts
      ) as stored_bytes,
      (
        select count(*)
        from audit_events
        where id > coalesce((select sealed_to from audit_sealing), 0)
      ) as unsealed_events
    from (
      select count(*) as count, count(credits_held) as paid,
        coalesce(extract(epoch from now() - min(lease_expires_at)), 0) as overdue_seconds
      from attempts
      where status in ('leased', 'running')
    ) as held
  `;
  if (!row) throw new Error('Nothing was measured.');
  return row;
}
