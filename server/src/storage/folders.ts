/** Folders of the disk storage: a file is durable once the folder it is in is synced, too. */
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Batches } from '../batches.ts';

/**
 * Makes the names in a folder durable. Those who ask while a sync of the folder is under way share
 * the next one, since that one may have begun before their file was there.
 */
export function folderSyncs(): (dir: string) => Promise<void> {
  const batches = new Batches<string, undefined, void>(async (dir, files) => {
    await syncFolder(dir);
    return files.map(() => ({ result: undefined }));
  });
  return (dir) => batches.add(dir, undefined);
}

/** Opens a file that is not there yet, for writing. */
export async function openNew(path: string): Promise<FileHandle> {
  const openIt = () => open(path, 'wx', 0o600);
  return openIt().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await makeDirs(dirname(path));
    return openIt();
  });
}

/** A new folder is durable once the one it is in is synced; a tenant's first object makes one. */
export async function makeDirs(dir: string): Promise<void> {
  const first = await mkdir(dir, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = dir; made.length >= first.length; made = dirname(made)) {
    await syncFolder(dirname(made));
  }
}

async function syncFolder(dir: string) {
  await using handle = await open(dir);
  await handle.sync();
}
