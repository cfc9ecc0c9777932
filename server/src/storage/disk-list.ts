/** All objects of a disk storage, in the order of their keys. */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sizeOfExtents } from './extents.ts';
import type { ListedObject } from './storage.ts';

/** @param dir the folder with one folder per tenant. */
export async function* listObjects(dir: string): AsyncGenerator<ListedObject> {
  for (const tenant of await entriesOf(dir)) {
    if (!tenant.isDirectory()) continue;
    for (const entry of await entriesOf(join(dir, tenant.name))) {
      const path = join(dir, tenant.name, entry.name);
      const size_bytes = await sizeOf(path, entry).catch(absent);
      if (size_bytes !== undefined) yield { key: `${tenant.name}/${entry.name}`, size_bytes };
    }
  }
}

const sizeOf = async (path: string, entry: Dirent) =>
  entry.isDirectory() ? sizeOfExtents(path) : (await stat(path)).size;

/** In the order of the keys they are part of: `1/` comes before `10/`. */
async function entriesOf(dir: string): Promise<Dirent[]> {
  const entries = (await readdir(dir, { withFileTypes: true }).catch(absent)) ?? [];
  const placeOf = (entry: Dirent) => `${entry.name}/`;
  return entries.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

/** It was removed, or moved to its place, while the list was read. */
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
