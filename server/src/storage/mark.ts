/**
 * The file that identifies a storage folder. Without it, a folder that is not mounted could not be
 * told from one whose files are all gone.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const markFile = (dir: string) => join(dir, 'storage-id');

/** The storage's id, created if there is none. Concurrent processes agree on one. */
export async function openMark(dir: string): Promise<string> {
  const present = await readMark(dir);
  if (present !== undefined) return present;
  // Written under another name and linked: it is never read partially, and of two concurrent
  // writers one succeeds.
  const fresh = `${markFile(dir)}.${randomUUID()}`;
  try {
    await writeFile(fresh, `${randomUUID()}\n`, { mode: 0o600, flush: true });
    await link(fresh, markFile(dir)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(fresh, { force: true });
  }
  return (await readMark(dir)) ?? '';
}

/** @throws Error unless the folder exists and has this id. */
export async function checkMark(dir: string, id: string): Promise<void> {
  const found = await readMark(dir);
  if (found === id) return;
  const what = found === undefined ? 'is missing' : 'is that of another storage';
  throw new Error(`The mark ${markFile(dir)} ${what}: is the folder of the storage mounted?`);
}

const readMark = (dir: string) =>
  readFile(markFile(dir), 'utf8').then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    },
  );
