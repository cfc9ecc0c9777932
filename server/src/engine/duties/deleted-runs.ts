/**
 * Removes the records of what node runs of deleted runs produced, and releases the bytes: files that
 * were made of results keep theirs. Of tests whose results are gone the records stay.
 */
import type { Db } from '../../db/connection.ts';
import { releaseObjects } from '../../objects/objects.ts';
import { lockRunToEmpty, removeOutputs, setOutputsRemoved } from '../tables/deleted-runs.ts';

/**
 * Removes a portion of one run. A run waits as long as a restart of it is under way, which may still
 * reuse its results.
 *
 * @returns how many outputs and runs it removed; 0 if there is nothing to do.
 */
export function removeDeletedOutputs(db: Db, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const run = await lockRunToEmpty(tx);
    if (!run) return 0;
    const { tenant_id } = run;
    const removed = await removeOutputs(tx, run, limit);
    await releaseObjects(
      tx,
      removed.flatMap(({ object_id: id }) => (id === undefined ? [] : { tenant_id, id })),
    );
    if (removed.length === limit) return limit;
    await setOutputsRemoved(tx, run);
    return removed.length + 1;
  });
}
