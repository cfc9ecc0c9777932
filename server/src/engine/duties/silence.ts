/**
 * Whether silence means lost workers, or that they could not be heard. Pure. All times are the
 * database's, because a lease is judged by that clock and by no other.
 */

export type Silence = {
  now_ms: number;
  /** When a sweep last reached the database; undefined before the first. */
  swept_at_ms: number | undefined;
  /** Workers that hold attempts and were not heard for half a lease. */
  silent: number;
  /** Workers that were heard since. */
  heard: number;
};

/**
 * - `extend_all`: nobody could be heard for a while. Every lease gets a whole term.
 * - `extend_once`: most workers fell silent together, which is more likely the network than all of
 *   them. What has run out gets one more term; what had that already is lost.
 * - `reap`: what has run out is lost.
 */
export type SweepPlan = 'extend_all' | 'extend_once' | 'reap';

/**
 * A clock that was set back counts as an absence as well: leases lie in its future then, and
 * would hold the work of a lost worker for as long.
 */
export function planSweep(silence: Silence, lease_ms: number): SweepPlan {
  const { now_ms, swept_at_ms, silent, heard } = silence;
  if (swept_at_ms === undefined || Math.abs(now_ms - swept_at_ms) > lease_ms / 2)
    return 'extend_all';
  return silent > heard ? 'extend_once' : 'reap';
}
