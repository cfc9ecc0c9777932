/** SQL of the sweep for lost attempts. */
import type { Db } from '../../db/connection.ts';
import type { Silence } from '../duties/silence.ts';
import type { AttemptRow } from '../records.ts';
import { leaseSeconds } from './attempts.ts';

/**
 * Records that a sweep has begun. Sweeps of several engines are serialized: the row stays locked
 * until the transaction ends.
 *
 * @returns the time of the previous sweep, the state of workers, and the time for which all of it
 *   applies: a sweep that hangs for a minute must not judge leases by the time it lost.
 */
export async function beginSweep(tx: Db): Promise<Silence> {
  const [before] = await tx<{ swept_at?: string }[]>`
    select swept_at from engine_sweep for update
  `;
  const [row] = await tx<{ now: string; silent: number; heard: number }[]>`
    with noted as (
      update engine_sweep set swept_at = now()
    ),
    seen as (
      select id, coalesce(last_heartbeat_at > now() - make_interval(secs => ${leaseSeconds / 2}), false) as is_heard
      from workers
      where deleted_at is null
    )
    select
      now() as now,
      count(*) filter (where is_heard)::int as heard,
      count(*) filter (
        where not is_heard and exists (
          select from attempts where worker_id = seen.id and status in ('leased', 'running')
        )
      )::int as silent
    from seen
  `;
  if (!row) throw new Error('The sweep has not been noted.');
  return {
    now_ms: Date.parse(row.now),
    swept_at_ms: before?.swept_at === undefined ? undefined : Date.parse(before.swept_at),
    silent: row.silent,
    heard: row.heard,
  };
}

/** Gives every live lease a full new term. @returns how many. */
export async function extendAllLeases(tx: Db): Promise<number> {
  const extended = await tx`
    with live as (
      select id from attempts where status in ('leased', 'running') order by id for update
    )
    update attempts
    set lease_expires_at = now() + make_interval(secs => ${leaseSeconds}), lease_extended = true
    from live
    where attempts.id = live.id
  `;
  return extended.count;
}

/** Gives expired leases one more term, unless they already had it. @returns how many. */
export async function extendOverdueLeases(tx: Db): Promise<number> {
  const extended = await tx`
    with overdue as (
      select id
      from attempts
      where status in ('leased', 'running') and lease_expires_at < now() and not lease_extended
      order by id
      for update
    )
    update attempts
    set lease_expires_at = now() + make_interval(secs => ${leaseSeconds}), lease_extended = true
    from overdue
    where attempts.id = overdue.id
  `;
  return extended.count;
}

/** Attempts whose lease had expired at `at`, or that were told to stop and did not in time. */
export function findOverdue(db: Db, at: Date, stopSeconds: number, limit: number) {
  return db<AttemptRow[]>`
    select *
    from attempts
    where status in ('leased', 'running')
      and (
        lease_expires_at < ${at}
        or cancel_requested_at < ${at}::timestamptz - make_interval(secs => ${stopSeconds})
      )
    order by id
    limit ${limit}
  `;
}
