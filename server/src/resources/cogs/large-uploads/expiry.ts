/** Ends uploads whose time is over. */
import type { Db } from '../../../db/connection.ts';
import type { Services } from '../../../services.ts';
import { removeEnded } from './open-uploads.ts';
import { forgetUploads, setAllAborted, takeEnded } from './queries.ts';

/** One storage request each. */
const mostAtOnce = 100;

/**
 * Ends a portion of the expired uploads, and removes what is stored of them and of those that ended
 * while a process died. Several processes may do so at once.
 *
 * @returns how many; 0 if there is nothing to do.
 * @throws AggregateError for those that the storage could not remove; they are tried again later.
 */
export async function endExpiredUploads(
  store: Pick<Services, 'db' | 'storage'>,
  now: Date,
  limit: number,
): Promise<number> {
  const ended = await takeEnded(store.db, now, Math.min(limit, mostAtOnce));
  const removed = await Promise.allSettled(ended.map((one) => removeEnded(store, [one])));
  const errors = removed.flatMap((one) => (one.status === 'rejected' ? one.reason : []));
  if (errors.length > 0) throw new AggregateError(errors, 'Some uploads could not be removed.');
  return ended.length;
}

/**
 * Ends all uploads of a user, who may not confirm them any more; what is stored of them, and the room
 * that they reserve, is given back within a minute.
 */
export async function endUploadsOf(
  tx: Db,
  user: { tenant_id: number; user_id: number },
): Promise<void> {
  await setAllAborted(tx, user);
}

/** Forgets uploads that ended long ago. @returns how many. */
export const forgetEndedUploads = (db: Db, now: Date, limit: number): Promise<number> =>
  forgetUploads(db, now, limit);
