/** Objects as files below one folder: the default storage, durable on one machine. */
import { closeSync, open as openFile, read } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { copyRange, sendAll, storeInto } from './copy.ts';
import { DamagedObject } from './damage.ts';
import { folderSyncs, moveFile, openNew } from './folders.ts';
import { checkMark, markFile, openMark } from './mark.ts';
import { partialFiles } from './partial-files.ts';
import { presignedUrls } from './presigned.ts';
import { diskRoom, fullIfNoRoom } from './room.ts';
import { openSmallFiles } from './small-files.ts';
import type { Storage, StoredObject, WriteOptions } from './storage.ts';

export type DiskStorage = Storage &
  Pick<ReturnType<typeof presignedUrls>, 'verify'> & {
    /**
     * Stores a PUT to a presigned URL, where an object may exist already: `place` receives its size
     * and checksum, and calls `move` to put it in place.
     *
     * @throws like `write`, and errors of `place`; then the key is unchanged.
     */
    receive(
      key: string,
      bytes: Readable,
      options: WriteOptions,
      place: (stored: StoredObject, move: () => Promise<void>) => Promise<void>,
    ): Promise<StoredObject>;
  };

/**
 * `signingKey` signs presigned URLs; `baseUrl` is where this server answers them. First removes
 * partial files that a killed process left in `dir`. Refuses bytes that would leave less than
 * `reserve_bytes` of the disk.
 */
export async function diskStorage(
  dir: string,
  signingKey: Buffer,
  baseUrl: () => string,
  { reserve_bytes = 0 } = {},
): Promise<DiskStorage> {
  const room = diskRoom(dir, reserve_bytes);
  const syncFolder = folderSyncs();
  const writeSmallFile = openSmallFiles();
  const partials = await partialFiles(join(dir, 'partial'));
  await partials.removeAbandoned(new Date());
  const id = await openMark(dir);
  const pathOf = (key: string) => {
    // Keys are generated, never user input; this is the lowest layer that can check it.
    if (!isKey(key)) throw new Error('Not an object key.');
    return join(dir, 'objects', key);
  };

  /**
   * Writes and syncs the bytes: a small file to the path in `whole`, others to a partial file.
   * `finish` turns the file into an object.
   */
  async function takeIn(
    bytes: Readable,
    { max_bytes = Number.POSITIVE_INFINITY, expected_bytes = 0 }: WriteOptions,
    whole: { path: string; folder: string | undefined },
    finish: (stored: StoredObject, path: string) => Promise<void>,
  ): Promise<StoredObject> {
    const written: { path?: string; file?: FileHandle } = {};
    const target = {
      open: async () => {
        written.path = partials.newPath();
        written.file = await openNew(written.path);
        return written.file;
      },
      writeWhole: async (all: Buffer<ArrayBuffer>) => {
        written.path = whole.path;
        await writeSmallFile({ ...whole, bytes: all }).catch((error: NodeJS.ErrnoException) => {
          // The existing file belongs to another object.
          if (error.code === 'EEXIST') delete written.path;
          throw error;
        });
      },
    };
    try {
      await room.require(expected_bytes);
      const limits = { max_bytes, expected_bytes };
      const { file, ...stored } = await storeInto(target, bytes, limits, () => room.require());
      await file?.sync();
      await file?.close();
      await finish(stored, written.path ?? '');
      return stored;
    } catch (error) {
      await written.file?.close().catch(() => {});
      if (written.path !== undefined) await rm(written.path, { force: true });
      throw fullIfNoRoom(error);
    }
  }

  async function move(from: string, to: string) {
    await moveFile(from, to);
    await syncFolder(dirname(to));
  }

  return {
    id,
    mark: markFile(dir),

    write: async (key, bytes, options = {}) => {
      const path = pathOf(key);
      // Small files are written directly under their final name: a partial one belongs to a pending
      // object, which is never read. Large files are written where a restart removes partial ones.
      return takeIn(bytes, options, { path, folder: dirname(path) }, async (_, written) => {
        if (written !== path) await move(written, path);
      });
    },

    receive: async (key, bytes, options, place) => {
      const path = pathOf(key);
      const whole = { path: partials.newPath(), folder: undefined };
      return takeIn(bytes, options, whole, (stored, written) =>
        place(stored, () => move(written, path)),
      );
    },

    copyTo: async ({ key, size_bytes }, range, begin) => {
      const { start, end } = range ?? { start: 0, end: size_bytes - 1 };
      const small = size_bytes <= smallBytes ? await readSmall(pathOf(key), size_bytes) : undefined;
      if (small) return sendAll(small.subarray(start, end + 1), begin());

      await using file = await openWhole(pathOf(key), key, size_bytes);
      const copied = await copyRange(file, start, end, begin());
      if (copied < end - start + 1) {
        throw new DamagedObject(key, size_bytes, (await file.stat()).size);
      }
    },

    stat: async (key) => {
      const found = await stat(pathOf(key)).catch(absent);
      return found && { size_bytes: found.size };
    },

    remove: (key) => rm(pathOf(key), { force: true }),

    ...presignedUrls(signingKey, baseUrl),

    removeAbandoned: (now) => partials.removeAbandoned(now),

    room: room.left,

    check: () => checkMark(dir, id),
  };
}

const openDescriptor = promisify(openFile);
const readDescriptor = promisify(read);

/** A file up to this size is read at once, whatever range of it is requested. */
const smallBytes = 64 * 1024;

/**
 * Reads a whole file in two calls, each of which is a trip to another thread. It requests one byte
 * more than expected, so the size needs no separate call.
 *
 * @returns undefined unless the file exists and has the recorded size.
 */
async function readSmall(path: string, size_bytes: number): Promise<Buffer | undefined> {
  const descriptor = await openDescriptor(path, 'r').catch(absent);
  if (descriptor === undefined) return undefined;
  try {
    const buffer = Buffer.allocUnsafe(size_bytes + 1);
    const { bytesRead } = await readDescriptor(descriptor, buffer, 0, buffer.length, 0);
    return bytesRead === size_bytes ? buffer.subarray(0, size_bytes) : undefined;
  } finally {
    // Nothing was written, so there is nothing to wait for.
    closeSync(descriptor);
  }
}

/** @throws DamagedObject unless the file exists with the recorded size. */
async function openWhole(path: string, key: string, size_bytes: number) {
  const file = await open(path).catch(absent);
  if (!file) throw new DamagedObject(key, size_bytes, undefined);
  const { size } = await file.stat();
  if (size === size_bytes) return file;
  await file.close();
  throw new DamagedObject(key, size_bytes, size);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

const isKey = (key: string) => /^[a-z0-9][a-z0-9/-]{0,200}$/.test(key);
