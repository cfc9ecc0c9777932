/**
 * An object that arrived in parts: a folder with one file per part, read one after another. Each
 * file is named for its number, size and checksum, so that the offset of each is known from a list
 * of the folder, and a part cannot be exchanged without changing its name.
 */
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { copyRange } from './copy.ts';
import { DamagedObject } from './damage.ts';
import type { StoredPart } from './parts.ts';
import type { ByteRange } from './storage.ts';

/** The name of a part's file. Names in the order of text are in the order of the parts. */
export const extentName = ({ part_number, size_bytes, etag }: StoredPart): string =>
  `${String(part_number).padStart(5, '0')}.${size_bytes}.${etag}`;

/** The files of a folder in the order of their parts; undefined if there is no folder. */
export async function listExtents(
  folder: string,
): Promise<(StoredPart & { name: string })[] | undefined> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return names?.sort().map((name) => {
    const [number, size, etag = ''] = name.split('.');
    return { name, part_number: Number(number), size_bytes: Number(size), etag };
  });
}

/** How many bytes the files of a folder really have. */
export async function sizeOfExtents(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/**
 * Copies an object, or a range of it; see `Storage.copyTo`. All files that the range touches are
 * checked before `begin`.
 */
export async function copyExtents(
  folder: string,
  { key, size_bytes }: { key: string; size_bytes: number },
  range: ByteRange,
  begin: () => Writable,
  chunkBytes: number,
): Promise<void> {
  const damaged = async () => new DamagedObject(key, size_bytes, await sizeOfExtents(folder));
  const extents = (await listExtents(folder)) ?? [];
  const recorded = extents.reduce((sum, extent) => sum + extent.size_bytes, 0);
  const isComplete = extents.every(({ part_number }, at) => part_number === at + 1);
  if (recorded !== size_bytes || !isComplete) throw await damaged();

  const touched = piecesIn(extents, range);
  for (const { name, size } of touched) {
    if ((await stat(join(folder, name))).size !== size) throw await damaged();
  }
  const out = begin();
  for (const { name, start, end } of touched) {
    await using file: FileHandle = await open(join(folder, name));
    if ((await copyRange(file, start, end, out, chunkBytes)) < end - start + 1)
      throw await damaged();
  }
}

/** The files that a range touches, each with the range inside it. */
function piecesIn(
  extents: readonly { name: string; size_bytes: number }[],
  range: ByteRange,
): { name: string; size: number; start: number; end: number }[] {
  let offset = 0;
  return extents.flatMap(({ name, size_bytes: size }) => {
    const start = Math.max(range.start - offset, 0);
    const end = Math.min(range.end - offset, size - 1);
    offset += size;
    return start <= end ? [{ name, size, start, end }] : [];
  });
}
