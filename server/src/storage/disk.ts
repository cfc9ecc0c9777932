/** Objects as files below one folder. The default storage; durable on one machine. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chunkBytes, copyRange, storeInto } from './copy.ts';
import { DamagedObject } from './damage.ts';
import { checkMark, markFile, openMark } from './mark.ts';
import { partialFiles } from './partial-files.ts';
import { diskRoom, fullIfNoRoom } from './room.ts';
import type { Storage, StoredObject } from './storage.ts';

export type DiskStorage = Storage & {
  /** @returns the bytes allowed when the presigned query fits method and key, else undefined. */
  verify(
    method: 'GET' | 'PUT',
    key: string,
    query: Record<string, string | undefined>,
  ): number | undefined;
};

/**
 * `signingKey` signs presigned URLs; `baseUrl` is where this server answers them. What an
 * earlier, killed process left half written in `dir` is removed first. Bytes are refused that
 * would leave less than `reserve_bytes` of the disk.
 */
export async function diskStorage(
  dir: string,
  signingKey: Buffer,
  baseUrl: () => string,
  { reserve_bytes = 0 } = {},
): Promise<DiskStorage> {
  const room = diskRoom(dir, reserve_bytes);
  const partials = await partialFiles(join(dir, 'partial'));
  await partials.removeAbandoned(new Date());
  const id = await openMark(dir);
  const pathOf = (key: string) => {
    // Keys are ours, never a user's words; this is the lowest layer that can say so.
    if (!isKey(key)) throw new Error('Not an object key.');
    return join(dir, 'objects', key);
  };
  const signature = (method: string, key: string, expires: string, max: string) =>
    createHmac('sha256', signingKey)
      .update(`${method}\n${key}\n${expires}\n${max}`)
      .digest('base64url');

  return {
    id,
    mark: markFile(dir),

    write: async (
      key,
      bytes,
      { max_bytes = Number.POSITIVE_INFINITY, expected_bytes = 0, place = placeAtOnce } = {},
    ) => {
      const path = pathOf(key);
      const partial = partials.newPath();
      await room.require(expected_bytes);
      const file = await open(partial, 'wx', 0o600).catch((error: unknown) => {
        throw fullIfNoRoom(error);
      });
      try {
        const stored = await storeInto(file, bytes, max_bytes, () => room.require());
        await file.sync();
        await file.close();
        await place(stored, async () => {
          await makeDirs(dirname(path));
          await rename(partial, path);
          await syncDir(dirname(path));
        });
        return stored;
      } catch (error) {
        await file.close().catch(() => {});
        await rm(partial, { force: true });
        throw fullIfNoRoom(error);
      }
    },

    read: async (key, range) => {
      const file = await open(pathOf(key));
      return createReadStream('', { fd: file, highWaterMark: chunkBytes, ...range });
    },

    copyTo: async ({ key, size_bytes }, range, begin) => {
      await using file = await openWhole(pathOf(key), key, size_bytes);
      const { start, end } = range ?? { start: 0, end: size_bytes - 1 };
      const copied = await copyRange(file, start, end, begin());
      if (copied < end - start + 1) {
        throw new DamagedObject(key, size_bytes, (await file.stat()).size);
      }
    },

    size: async (key) =>
      stat(pathOf(key)).then(
        (found) => found.size,
        () => undefined,
      ),

    remove: (key) => rm(pathOf(key), { force: true }),

    presign: (method, key, { expires_in, max_bytes }) => {
      const expires = String(Math.floor(Date.now() / 1000) + expires_in);
      const max = max_bytes === undefined ? '' : String(max_bytes);
      const query = new URLSearchParams({
        expires,
        max,
        signature: signature(method, key, expires, max),
      });
      return `${baseUrl()}/storage/${key}?${query}`;
    },

    verify: (method, key, { expires = '', max = '', signature: given = '' }) => {
      const wanted = Buffer.from(signature(method, key, expires, max));
      const actual = Buffer.from(given);
      if (wanted.length !== actual.length || !timingSafeEqual(wanted, actual)) return undefined;
      if (Number(expires) * 1000 < Date.now()) return undefined;
      return max === '' ? Number.POSITIVE_INFINITY : Number(max);
    },

    removeAbandoned: (now) => partials.removeAbandoned(now),

    room: room.left,

    check: () => checkMark(dir, id),
  };
}

const placeAtOnce = (_stored: StoredObject, move: () => Promise<void>) => move();

/** @throws DamagedObject unless the file is there with the recorded size. */
async function openWhole(path: string, key: string, size_bytes: number) {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new DamagedObject(key, size_bytes, undefined) : error;
  });
  const { size } = await file.stat();
  if (size === size_bytes) return file;
  await file.close();
  throw new DamagedObject(key, size_bytes, size);
}

const isKey = (key: string) => /^[a-z0-9][a-z0-9/-]{0,200}$/.test(key);

/** A new folder is durable once the one it is in is synced; a tenant's first object makes one. */
async function makeDirs(dir: string) {
  const first = await mkdir(dir, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = dir; made.length >= first.length; made = dirname(made)) {
    await syncDir(dirname(made));
  }
}

/** A rename is durable once its folder is. */
async function syncDir(dir: string) {
  await using handle = await open(dir);
  await handle.sync();
}
