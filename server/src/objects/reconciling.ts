/**
 * Compares what is recorded with what the storage holds, and only reports. Nothing depends on it:
 * objects are recorded before their first byte, so a difference means that bytes were lost, or put
 * there, by somebody else.
 */
import type { Db } from '../db/connection.ts';
import type { Storage } from '../storage/storage.ts';
import { findRecorded, listRecorded, type RecordedSize } from './queries.ts';

export type Differences = {
  /** Live objects that were compared. */
  objects: number;
  bytes: number;
  /** Live objects without their bytes. */
  missing: Found;
  /** Live objects whose bytes are more or fewer than recorded. */
  other_size: Found;
  /** Objects in the storage that nobody recorded. */
  unknown: Found;
};

/** How many there are, and the keys of the first hundred. */
export type Found = { count: number; keys: string[] };

const mostNamed = 100;
const pageSize = 1000;

/**
 * Reads both in the order of keys, in pages, so memory does not depend on how many there are. What
 * seems to differ is looked at again, because objects are made and removed meanwhile.
 *
 * @param onPage told how many objects have been compared.
 */
export async function findDifferences(
  { db, storage }: { db: Db; storage: Storage },
  onPage: (objects: number) => void = () => {},
): Promise<Differences> {
  const found: Differences = {
    objects: 0,
    bytes: 0,
    missing: none(),
    other_size: none(),
    unknown: none(),
  };
  const recorded = recordedPages(db);
  const stored = storage.list()[Symbol.asyncIterator]();
  let inStorage = await stored.next();
  for await (const page of recorded) {
    const suspects = new Set<string>();
    for (const { key, size_bytes } of page) {
      while (!inStorage.done && inStorage.value.key < key) {
        suspects.add(inStorage.value.key);
        inStorage = await stored.next();
      }
      const isStored = !inStorage.done && inStorage.value.key === key;
      if (!isStored || inStorage.value.size_bytes !== size_bytes) suspects.add(key);
      if (isStored) inStorage = await stored.next();
      found.objects += 1;
      found.bytes += size_bytes;
    }
    await judge({ db, storage }, suspects, found);
    onPage(found.objects);
  }
  for (; !inStorage.done; inStorage = await stored.next()) {
    await judge({ db, storage }, [inStorage.value.key], found);
  }
  return found;
}

async function* recordedPages(db: Db): AsyncGenerator<RecordedSize[]> {
  let after = '';
  for (;;) {
    const page = await listRecorded(db, after, pageSize);
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.key ?? after;
  }
}

/** Looks again at keys that seemed to differ. */
async function judge(
  { db, storage }: { db: Db; storage: Storage },
  keys: Iterable<string>,
  found: Differences,
) {
  for (const key of keys) {
    const stored = await storage.stat(key);
    // Read after the storage: an object loses its row only when its bytes are gone.
    const recorded = await findRecorded(db, key);
    if (recorded?.state === 'live' && !stored) note(found.missing, key);
    else if (recorded?.state === 'live' && stored?.size_bytes !== recorded.size_bytes)
      note(found.other_size, key);
    else if (!recorded && stored) note(found.unknown, key);
  }
}

function note(found: Found, key: string) {
  found.count += 1;
  if (found.keys.length < mostNamed) found.keys.push(key);
}

const none = (): Found => ({ count: 0, keys: [] });
