/** All that the engine's duties do about stored bytes, until nothing is left to do. */
import { collectDeadObjects, collectReleased } from '../src/objects/objects.ts';
import { foldStorageChanges } from '../src/objects/quota.ts';
import { endExpiredUploads } from '../src/resources/cogs/large-uploads/expiry.ts';
import { removePurged } from '../src/resources/cogs/trash/trash.ts';
import { removeUnusedBlobs } from '../src/resources/registry/collecting.ts';
import { endExpiredImageUploads } from '../src/resources/registry/uploads.ts';
import type { Services } from '../src/services.ts';

/** @param days how much later it is by then. */
export async function collectAll(
  { db, storage }: Pick<Services, 'db' | 'storage'>,
  days = 0,
): Promise<void> {
  const now = () => new Date(Date.now() + days * 86_400_000);
  while ((await endExpiredUploads({ db, storage }, now(), 100)) > 0);
  while ((await endExpiredImageUploads(db, now(), 100)) > 0);
  while ((await removeUnusedBlobs(db, now(), 100)) > 0);
  while ((await removePurged(db, 100)) > 0);
  while ((await collectReleased(db, now(), 100)) > 0);
  while ((await collectDeadObjects({ db, storage }, now(), 500)) > 0);
  while ((await foldStorageChanges(db, 500)) > 0);
}
