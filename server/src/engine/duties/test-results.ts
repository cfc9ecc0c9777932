/**
 * Removes the results of tests a day after their run has ended, or once it is deleted. The run stays,
 * with the names and checksums of what it made, and says that the files are gone.
 */
import type { Db } from '../../db/connection.ts';
import { removeResultsFolders } from '../../resources/cogs/places/test-results.ts';
import { lockExpiredTests, setResultsRemoved } from '../tables/deleted-runs.ts';

/** How long results of tests stay. */
const hours = 24;

/**
 * From here on nothing is taken over from these runs. Their files go with the folder, in portions;
 * the bytes between their nodes as those of deleted runs. What was moved or copied elsewhere stays.
 *
 * @returns of how many runs.
 */
export function removeTestResults(db: Db, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const ids = await lockExpiredTests(tx, hours, limit);
    if (ids.length === 0) return 0;
    const runs = await setResultsRemoved(tx, ids);
    await removeResultsFolders(
      tx,
      runs.flatMap(({ output_folder_id }) => output_folder_id ?? []),
    );
    return runs.length;
  });
}
