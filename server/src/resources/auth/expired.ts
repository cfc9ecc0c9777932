/** What is left of sign-ins that are over. Apart from the provider, which the engine has no need of. */
import type { Db } from '../../db/connection.ts';
import { removeExpiredStates } from './provider/queries.ts';

/** Forgets what has expired, a day late, so that clocks of servers need not agree. @returns how many. */
export function collectExpiredSignIns(db: Db, now: Date): Promise<number> {
  return removeExpiredStates(db, new Date(now.getTime() - 24 * 3_600_000));
}
