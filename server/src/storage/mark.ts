/**
 * The mark in a storage folder that says which storage it is. A folder that is not mounted looks
 * like one whose files are all gone: without a mark nobody could tell the two apart.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const markFile = (dir: string) => join(dir, 'storage-id');

/** The storage's id; a folder without one gets it. Several processes at once agree on one. */
export async function openMark(dir: string): Promise<string> {
  const present = await readMark(dir);
  if (present !== undefined) return present;
  // Written aside and linked: nobody reads half of it, and of two that do this one succeeds.
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

/** @throws Error unless the folder is there and still the one with this id. */
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
