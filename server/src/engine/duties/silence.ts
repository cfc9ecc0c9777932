/**
 * Whether silent workers are lost or only unreachable. Pure. All times are the database's, because
 * leases are judged by that clock alone.
 */

export type Silence = {
  now_ms: number;
  /** When a sweep last reached the database; undefined before the first. */
  swept_at_ms: number | undefined;
  /** Workers that hold attempts and sent nothing for half a lease. */
  silent: number;
  /** Workers that have been heard since. */
  heard: number;
};

/**
 * - `extend_all`: no worker could be heard for a while. Every lease gets a full new term.
 * - `extend_once`: most workers fell silent together, so the network is the more likely cause.
 *   Expired leases get one more term; those that already had one are lost.
 * - `reap`: expired leases are lost.
 */
export type SweepPlan = 'extend_all' | 'extend_once' | 'reap';

/**
 * A clock that was set back also counts as an absence: leases then expire in its far future, and
 * would hold the work of a lost worker for that long.
 */
export function planSweep(silence: Silence, lease_ms: number): SweepPlan {
  const { now_ms, swept_at_ms, silent, heard } = silence;
  if (swept_at_ms === undefined || Math.abs(now_ms - swept_at_ms) > lease_ms / 2)
    return 'extend_all';
  return silent > heard ? 'extend_once' : 'reap';
}
