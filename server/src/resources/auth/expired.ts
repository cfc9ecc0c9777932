/** Removes expired sign-ins. Separate from the provider, which the engine does not need. */
import type { Db } from '../../db/connection.ts';
import { forgetEndedSessions } from '../me/sessions/noting.ts';
import { removeExpiredStates } from './provider/queries.ts';

/** Removes state that expired a day ago, to allow for clock differences. @returns how many rows. */
export async function collectExpiredSignIns(db: Db, now: Date): Promise<number> {
  await forgetEndedSessions(db, now);
  return removeExpiredStates(db, new Date(now.getTime() - 24 * 3_600_000));
}
