/** Compares the stored bytes with the database's records. */
import assert from 'node:assert/strict';
import { findMiscounted } from '../../src/objects/quota.ts';
import { collectAll } from '../duties.ts';
import type { Installation } from '../installation.ts';
import { inventoryOf } from '../inventory.ts';

/** Sizes of files being written. */
export const partialFilesOf = ({ dir }: Pick<Installation, 'dir'>) => inventoryOf(dir).partial();

/**
 * Runs the duties about stored bytes, and checks that everything left is recorded, complete, live
 * and referenced, and that the bytes of tenants are counted as they are.
 *
 * @param days how much later the duties run; announced uploads last a week.
 */
export async function assertNoOrphans({ db, dir }: Installation, days = 1): Promise<void> {
  const inventory = inventoryOf(dir);
  const storage = await inventory.open();
  await collectAll({ db, storage }, days);
  // Duties skip what the server's own have locked at that moment: those end, then the rest follows.
  await db.transaction((tx) => tx.script('lock table objects in share mode'));
  await collectAll({ db, storage }, days);

  const rows = await db<{ key: string; state: string; size_bytes: number; needed: boolean }[]>`
    select key, state, size_bytes,
      exists (select from cogs where object_id = objects.id)
      or exists (select from node_run_outputs where object_id = objects.id)
      or exists (select from run_files where object_id = objects.id)
      or exists (select from registry_blobs where object_id = objects.id) as needed
    from objects
    order by key collate "C"
  `;
  assert.deepEqual(
    rows.filter(({ state, needed }) => state !== 'live' || !needed),
    [],
  );
  assert.deepEqual(
    await inventory.keys(),
    rows.map(({ key }) => key),
  );
  assert.deepEqual(await inventory.partial(), []);
  assert.deepEqual(await inventory.arriving(), []);
  for (const { key, size_bytes } of rows) {
    assert.equal((await storage.stat(key))?.size_bytes, size_bytes);
  }
  assert.deepEqual([...(await findMiscounted(db))], []);
}
