/** Compares the bytes on disk with the database's records. */
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { collectDeadObjects } from '../../src/objects/objects.ts';
import { diskStorage } from '../../src/storage/disk.ts';
import type { Installation } from '../installation.ts';

/** Files being written, with their sizes. */
export async function partialFilesOf({ dir }: Pick<Installation, 'dir'>) {
  const folder = join(dir, 'objects/partial');
  const names = await readdir(folder).catch(() => []);
  const sizes = names.map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return Promise.all(sizes);
}

/** Keys of all objects on the disk. */
async function keysOnDisk(dir: string): Promise<string[]> {
  const folder = join(dir, 'objects/objects');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/**
 * Runs the collector as of tomorrow, and checks that everything left is recorded, complete, live
 * and referenced.
 */
export async function assertNoOrphans({ db, dir }: Installation): Promise<void> {
  const storage = await diskStorage(join(dir, 'objects'), Buffer.alloc(32), () => '');
  const tomorrow = new Date(Date.now() + 24 * 3600 * 1000);
  while ((await collectDeadObjects({ db, storage }, tomorrow, 500)) > 0);

  const rows = await db<{ key: string; state: string; size_bytes: number; needed: boolean }[]>`
    select key, state, size_bytes,
      exists (select from cogs where object_id = objects.id)
      or exists (select from node_run_outputs where object_id = objects.id)
      or exists (select from run_files where object_id = objects.id) as needed
    from objects
    order by key collate "C"
  `;
  assert.deepEqual(
    rows.filter(({ state, needed }) => state !== 'live' || !needed),
    [],
  );
  assert.deepEqual(
    await keysOnDisk(dir),
    rows.map(({ key }) => key),
  );
  assert.deepEqual(await partialFilesOf({ dir }), []);
  for (const { key, size_bytes } of rows) {
    assert.equal((await stat(join(dir, 'objects/objects', key))).size, size_bytes);
  }
}
