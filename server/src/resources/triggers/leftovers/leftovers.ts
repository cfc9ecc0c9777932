/** What deleted triggers leave: their firings, deliveries and files, which may be millions. */
import type { Db } from '../../../db/connection.ts';
import { forgetDeleted, lockDeleted, removeRows } from './queries.ts';

/**
 * Removes a portion of what one of them has left.
 *
 * @returns how many rows, or triggers that are done with; 0 if there is nothing to do.
 */
export const removeLeftovers = (db: Db, limit: number): Promise<number> =>
  db.transaction(async (tx) => {
    const trigger = await lockDeleted(tx);
    if (!trigger) return 0;
    for (const table of ['firings', 'deliveries', 'trigger_files'] as const) {
      const removed = await removeRows(tx, table, trigger, limit);
      if (removed > 0) return removed;
    }
    await forgetDeleted(tx, trigger);
    return 1;
  });
