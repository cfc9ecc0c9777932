/**
 * Directories of the disk storage: a file is durable only after its directory has been synced too.
 */
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Batches } from '../batches.ts';

export type DurableFolders = {
  /**
   * Syncs a directory. Callers that arrive during a sync share the next one, because that one may
   * have begun before their file existed.
   */
  syncFolder(dir: string): Promise<void>;
  /** Moves a file, and syncs the directory that it is in from then on. */
  move(from: string, to: string): Promise<void>;
};

export function durableFolders(): DurableFolders {
  const batches = new Batches<string, undefined, void>(async (dir, files) => {
    await syncFolder(dir);
    return files.map(() => ({ result: undefined }));
  });
  const syncTogether = (dir: string) => batches.add(dir, undefined);
  return {
    syncFolder: syncTogether,
    move: async (from, to) => {
      await moveFile(from, to);
      await syncTogether(dirname(to));
    },
  };
}

/** Creates a file for writing; it must not exist yet. */
export async function openNew(path: string): Promise<FileHandle> {
  const openIt = () => open(path, 'wx', 0o600);
  return openIt().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await makeDirs(dirname(path));
    return openIt();
  });
}

/** Renames a file, into a directory that may have to be created. */
export async function moveFile(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await makeDirs(dirname(to));
    await rename(from, to);
  });
}

/** A new directory is durable once its parent is synced; a tenant's first object creates one. */
export async function makeDirs(dir: string): Promise<void> {
  const first = await mkdir(dir, { recursive: true, mode: 0o700 });
  // Another thread may have made it just now, and not synced its parent yet.
  if (first === undefined) return syncFolder(dirname(dir));
  for (let made = dir; made.length >= first.length; made = dirname(made)) {
    await syncFolder(dirname(made));
  }
}

async function syncFolder(dir: string) {
  await using handle = await open(dir);
  await handle.sync();
}
