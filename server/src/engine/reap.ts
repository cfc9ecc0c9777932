/** Finds attempts whose worker is gone, and lets their work go on elsewhere. */
import type { Db } from '../db/connection.ts';
import { extendAllLeases, findOverdue, leaseSeconds } from './attempt-queries.ts';
import { giveUp } from './attempts.ts';
import { countWorkers } from './run-queries.ts';

/** SIGTERM, grace and a lease: after that a stop is enforced without the worker. */
export const stopSeconds = 10 + leaseSeconds;

/**
 * One sweep. Attempts past their lease are lost; those told to stop and still not ended are
 * ended. When most workers look gone at once it is more likely us who were away (a suspended
 * machine, a network cut), so all leases are extended once instead.
 *
 * @param state what the sweeper remembers between sweeps; it was away when `last_sweep_ms` is old.
 * @returns how many attempts were given up.
 */
export async function reapLostAttempts(db: Db, state: SweepState, now_ms: number): Promise<number> {
  const away = now_ms - state.last_sweep_ms > (leaseSeconds / 2) * 1000;
  state.last_sweep_ms = now_ms;
  if (away) {
    await extendAllLeases(db);
    return 0;
  }
  const { live, stale } = await countWorkers(db, leaseSeconds);
  const massLoss = stale >= 3 && stale > live / 3;
  if (massLoss && !state.extended_for_mass_loss) {
    state.extended_for_mass_loss = true;
    await extendAllLeases(db);
    return 0;
  }
  if (!massLoss) state.extended_for_mass_loss = false;

  let given = 0;
  for (const attempt of await findOverdue(db, stopSeconds, 500)) {
    const isOverdue = (current: typeof attempt) =>
      Date.parse(current.lease_expires_at) === Date.parse(attempt.lease_expires_at) ||
      current.cancel_requested_at !== undefined;
    if (await giveUp(db, attempt, isOverdue)) given += 1;
  }
  return given;
}

export type SweepState = { last_sweep_ms: number; extended_for_mass_loss: boolean };

/** A sweeper that starts was away before: its first sweep gives every lease a whole term. */
export const firstSweep = (): SweepState => ({ last_sweep_ms: 0, extended_for_mass_loss: false });
