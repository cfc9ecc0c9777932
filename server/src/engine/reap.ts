/** Finds attempts whose worker is gone, and lets their work go on elsewhere. */
import type { Db } from '../db/connection.ts';
import { leaseSeconds } from './attempt-queries.ts';
import { giveUp } from './attempts.ts';
import { planSweep } from './sweep.ts';
import { beginSweep, extendAllLeases, extendOverdueLeases, findOverdue } from './sweep-queries.ts';

/** SIGTERM, grace and a lease: after that a stop is enforced without the worker. */
export const stopSeconds = 10 + leaseSeconds;

/**
 * One sweep. Attempts past their lease are lost; those told to stop and still not ended are
 * ended. Whether it may be that the workers only could not be heard is decided in sweep.ts. That
 * a sweep was here and what it extended are one transaction: one that fails was not here.
 *
 * @returns how many attempts were given up.
 */
export async function reapLostAttempts(db: Db): Promise<number> {
  const { plan, at } = await db.transaction(async (tx) => {
    const silence = await beginSweep(tx);
    const plan = planSweep(silence, leaseSeconds * 1000);
    if (plan === 'extend_all') await extendAllLeases(tx);
    if (plan === 'extend_once') await extendOverdueLeases(tx);
    return { plan, at: new Date(silence.now_ms) };
  });
  if (plan === 'extend_all') return 0;

  let given = 0;
  for (const attempt of await findOverdue(db, at, stopSeconds, 500)) {
    const isOverdue = (current: typeof attempt) =>
      Date.parse(current.lease_expires_at) === Date.parse(attempt.lease_expires_at) ||
      current.cancel_requested_at !== undefined;
    if (await giveUp(db, attempt, isOverdue)) given += 1;
  }
  return given;
}
