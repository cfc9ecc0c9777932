/** Saves small files that are not there yet, many in one request. */
import { lstat, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  downloadSmall,
  mostSmall,
  type SmallFile,
  small_bytes,
} from '@cogworks/sdk/download-small';
import type { Cli } from './command.ts';
import { partialName, type Wanted } from './saving.ts';

type Small = SmallFile & { at: number; path: string };

/** Below this, a request for each is as good. */
const fewest = 8;
const atOnce = 2;

/**
 * @param onSaved called with the place of each file that was saved.
 * @returns when nothing more can be saved in this way. Faults are left to those who save the rest.
 */
export async function saveSmall(
  { client, signal }: Cli,
  files: readonly Wanted[],
  into: string,
  onSaved: (at: number, path: string) => void,
): Promise<void> {
  const bundles = bundlesOf(files, into);
  const work = async () => {
    for await (const bundle of bundles) {
      try {
        for await (const { file, bytes } of downloadSmall(client, bundle, signal)) {
          if (await isThere(file.path)) continue;
          await save(file, bytes);
          onSaved(file.at, file.path);
        }
      } catch {
        if (signal.aborted) return;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** Only of those that are not there: the others may not have to be fetched, or may not be replaced. */
async function* bundlesOf(files: readonly Wanted[], into: string): AsyncGenerator<Small[]> {
  let bundle: Small[] = [];
  for (const [at, { id, version, size_bytes, checksum_sha256, isPinned, to }] of files.entries()) {
    const isOther = version !== undefined || isPinned || checksum_sha256 === undefined;
    const path = join(into, to);
    if (isOther || size_bytes > small_bytes || (await isThere(path))) continue;
    bundle.push({ at, path, id, size_bytes, checksum_sha256 });
    if (bundle.length === mostSmall) {
      yield bundle;
      bundle = [];
    }
  }
  if (bundle.length >= fewest) yield bundle;
}

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

async function save(file: Small, bytes: Uint8Array): Promise<void> {
  const partial = join(file.path, '..', partialName(file, `"${file.checksum_sha256}"`));
  try {
    await rm(partial, { force: true });
    await writeFile(partial, bytes, { flag: 'wx' });
    await rename(partial, file.path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
