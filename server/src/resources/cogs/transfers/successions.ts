/**
 * Taking over all files and folders of somebody who leaves. There may be millions, so that they are
 * taken over in portions after the request; until then they belong to the one who left, and nothing
 * is lost. What they had been given on things of others stays with them, and counts again if they
 * are enabled.
 */
import type { Db } from '../../../db/connection.ts';
import { recordEvents } from '../../audit-events/audit-events.ts';
import { lockTree } from '../../permissions/access.ts';
import {
  addSuccession,
  endSuccession,
  findSuccession,
  lockSuccessions,
  noteProgress,
  redirectSuccessions,
  type Succession,
  takeOverPortion,
} from './queries.ts';

/**
 * Waits for portions of what is taken over from this user, or by them, and keeps others from it.
 * Before rows of users are locked, as a portion does.
 */
export async function holdSuccessionsOf(tx: Db, tenantId: number, userId: number): Promise<void> {
  await lockSuccessions(tx, tenantId, userId);
}

/** Has the files of a user taken over, and those that the user was to take over. */
export async function beginSuccession(
  tx: Db,
  succession: Pick<Succession, 'tenant_id' | 'user_id' | 'successor_id' | 'requested_by'>,
): Promise<void> {
  await redirectSuccessions(tx, succession);
  await addSuccession(tx, succession);
}

/**
 * Takes over a portion. Several processes may do so at once.
 *
 * @returns how many files and folders it looked at; 0 if there is nothing to do.
 */
export function takeOverFiles(db: Db, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const succession = await findSuccession(tx);
    if (!succession) return 0;
    const { tenant_id, user_id, successor_id, requested_by } = succession;
    await lockTree(tx, tenant_id, 'add');
    const { last, taken } = await takeOverPortion(tx, succession, limit);
    const event = {
      ...{ tenant_id, user_id: requested_by },
      ...{ target_type: 'user', target_id: user_id },
    };
    // With all ids, because the event of each would be as many rows.
    const ofPortion = {
      ...{ ...event, action: 'cogs.taken_over' },
      details: { successor_id, cog_ids: taken },
    };
    const cog_count = succession.cog_count + taken.length;
    const ofAll = {
      ...{ ...event, action: 'user.files_taken_over' },
      details: { successor_id, cog_count },
    };
    const isDone = last === undefined;
    await recordEvents(tx, [...(taken.length > 0 ? [ofPortion] : []), ...(isDone ? [ofAll] : [])]);
    if (isDone) await endSuccession(tx, succession);
    else await noteProgress(tx, { ...succession, last_cog_id: last, cog_count });
    return limit;
  });
}
