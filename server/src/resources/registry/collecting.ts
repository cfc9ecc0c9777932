/** Removes blobs that no manifest refers to. */
import type { Db } from '../../db/connection.ts';
import { releaseObjects } from '../../objects/objects.ts';
import { lockUnused, removeUnused, setUsed } from './blob-queries.ts';

/**
 * Time for a client to push the manifest of a blob, since it pushed the blob or was last told that it
 * is here.
 */
const grace_ms = 24 * 3600 * 1000;

/**
 * Looks at a portion of the blobs that may be unused. Any number of engines may do so, beside pushes:
 * a manifest that is being pushed holds its blobs, and one that comes later does not find those that
 * are gone.
 *
 * @returns how many it looked at.
 */
export function removeUnusedBlobs(db: Db, now: Date, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const blobs = await lockUnused(tx, new Date(now.getTime() - grace_ms), limit);
    if (blobs.length === 0) return 0;
    // In statements of their own, which see what was committed before the rows were locked.
    await setUsed(tx, blobs);
    await releaseObjects(tx, await removeUnused(tx, blobs));
    return blobs.length;
  });
}
