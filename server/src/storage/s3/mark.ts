/**
 * The object that identifies a storage in a bucket, so that another bucket, or an emptied one, is
 * not taken for one whose files are all gone.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bucket } from './bucket.ts';

/**
 * Several processes that create the mark at the same time all write it, because not every server
 * can write only what is not there. They read it after this time, and agree on the last one.
 */
const settling_ms = 500;

/** The storage's id, created if there is none. */
export async function openMark(bucket: Bucket, path: string): Promise<string> {
  const present = await readMark(bucket, path);
  if (present !== undefined) return present;
  await bucket.put(path, `${randomUUID()}\n`);
  await delay(settling_ms);
  return (await readMark(bucket, path)) ?? '';
}

/** @throws Error unless the mark has this id. */
export async function checkMark(
  bucket: Bucket,
  path: string,
  { id, mark }: { id: string; mark: string },
): Promise<void> {
  const found = await readMark(bucket, path);
  if (found === id) return;
  const what = found === undefined ? 'is missing' : 'is that of another storage';
  throw new Error(`The mark ${mark} ${what}: is STORAGE_URL still the same?`);
}

const readMark = async (bucket: Bucket, path: string) => (await bucket.getText(path))?.trim();
