/**
 * Removes the records of what node runs of deleted runs produced, and releases the bytes: files that
 * were made of results keep theirs.
 */
import type { Db } from '../../db/connection.ts';
import { releaseObjects } from '../../objects/objects.ts';
import { lockDeletedRun, removeOutputs, setOutputsRemoved } from '../tables/deleted-runs.ts';

/**
 * Removes a portion of one run. A run waits as long as a restart of it is under way, which may still
 * reuse its results.
 *
 * @returns how many outputs and runs it removed; 0 if there is nothing to do.
 */
export function removeDeletedOutputs(db: Db, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const run = await lockDeletedRun(tx);
    if (!run) return 0;
    const objects = await removeOutputs(tx, run, limit);
    await releaseObjects(
      tx,
      objects.map((id) => ({ tenant_id: run.tenant_id, id })),
    );
    if (objects.length === limit) return limit;
    await setOutputsRemoved(tx, run);
    return objects.length + 1;
  });
}
