/** Objects as files below one folder. The default storage; durable on one machine. */
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { DomainError } from '../errors.ts';
import type { Storage, StoredObject } from './storage.ts';

/** Larger reads than the default 64 KiB: a quarter of the system calls, four times the speed. */
const chunkBytes = 1024 * 1024;

export type DiskStorage = Storage & {
  /** @returns the bytes allowed when the presigned query fits method and key, else undefined. */
  verify(
    method: 'GET' | 'PUT',
    key: string,
    query: Record<string, string | undefined>,
  ): number | undefined;
};

/** `signingKey` signs presigned URLs; `baseUrl` is where this server answers them. */
export async function diskStorage(
  dir: string,
  signingKey: Buffer,
  baseUrl: () => string,
): Promise<DiskStorage> {
  await mkdir(join(dir, 'partial'), { recursive: true, mode: 0o700 });
  const pathOf = (key: string) => {
    // Keys are ours, never a user's words; this is the lowest layer that can say so.
    if (!/^[a-z0-9][a-z0-9/-]{0,200}$/.test(key)) throw new Error('Not an object key.');
    return join(dir, 'objects', key);
  };
  const signature = (method: string, key: string, expires: string, max: string) =>
    createHmac('sha256', signingKey)
      .update(`${method}\n${key}\n${expires}\n${max}`)
      .digest('base64url');

  return {
    write: async (key, bytes, { max_bytes = Number.POSITIVE_INFINITY } = {}) => {
      const path = pathOf(key);
      const partial = join(dir, 'partial', randomUUID());
      const file = await open(partial, 'wx', 0o600);
      try {
        const stored = await copyInto(file, bytes, max_bytes);
        await file.sync();
        await file.close();
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await rename(partial, path);
        await syncDir(dirname(path));
        return stored;
      } catch (error) {
        await file.close().catch(() => {});
        await rm(partial, { force: true });
        throw error;
      }
    },

    read: async (key, range) => {
      const file = await open(pathOf(key));
      return createReadStream('', { fd: file, highWaterMark: chunkBytes, ...range });
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

    check: async () => {
      await stat(dir);
    },
  };
}

async function copyInto(
  file: FileHandle,
  bytes: Readable,
  maxBytes: number,
): Promise<StoredObject> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes)
      throw new DomainError('too_large', `More than the ${maxBytes} bytes allowed.`);
    hash.update(chunk);
    await file.writeFile(chunk);
  }
  return { size_bytes: size, checksum_sha256: hash.digest('hex') };
}

/** A rename is durable once its folder is. */
async function syncDir(dir: string) {
  const handle = await open(dir);
  await handle.sync();
  await handle.close();
}
