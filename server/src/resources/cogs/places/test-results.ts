/**
 * Folders for the results of tests, one for each run. Such a folder is in no other, so no list, no
 * search and no network drive leads to it: only the run tells its id. Nothing is put into it by
 * users; what is to stay is moved or copied out of it before it is removed.
 */
import type { Db } from '../../../db/connection.ts';
import { recordEvents } from '../../audit-events/audit-events.ts';
import { addTestFolder, purgeTestFolders } from './test-results-queries.ts';

/** A new folder for the results of a run, which belongs to that user. @returns its id. */
export const addResultsFolder = (
  tx: Db,
  tenantId: number,
  ownerId: number,
  runId: number,
): Promise<number> => addTestFolder(tx, tenantId, ownerId, `Test results of run ${runId}`);

/** Removes such folders for ever, with all that is still in them: `removePurged` in portions. */
export async function removeResultsFolders(tx: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const removed = await purgeTestFolders(tx, ids);
  await recordEvents(
    tx,
    removed.map(({ id, tenant_id, name }) => ({
      ...{ tenant_id, action: 'cog.purged', target_type: 'cog', target_id: id, details: { name } },
    })),
  );
}
