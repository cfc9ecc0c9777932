/** Stored objects on disk: a file, or a folder of parts (extents.ts). */
import { closeSync, open as openFile, read } from 'node:fs';
import { open, rm, stat, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Buffers } from './buffers.ts';
import { copyRange, sendAll } from './copy.ts';
import { DamagedObject } from './damage.ts';
import { listObjects } from './disk-list.ts';
import { copyExtents, sizeOfExtents } from './extents.ts';
import type { Storage } from './storage.ts';

/**
 * @param dir the folder with one folder per tenant.
 * @param pathOf the path of the object of a key, below `dir`.
 */
export function storedObjects(
  dir: string,
  pathOf: (key: string) => string,
  buffers: Buffers,
): Pick<Storage, 'copyTo' | 'stat' | 'settle' | 'remove' | 'list'> {
  const statOf: Storage['stat'] = async (key) => {
    const path = pathOf(key);
    const found = await stat(path).catch(absent);
    return found && { size_bytes: found.isDirectory() ? await sizeOfExtents(path) : found.size };
  };

  return {
    copyTo: async ({ key, size_bytes }, range, begin) => {
      const wanted = range ?? { start: 0, end: size_bytes - 1 };
      const { start, end } = wanted;
      const path = pathOf(key);
      const small = size_bytes <= smallBytes ? await readSmall(path, size_bytes) : undefined;
      if (small) return sendAll(small.subarray(start, end + 1), begin());

      await using file = await open(path).catch(absent);
      const found = await file?.stat();
      if (found?.isDirectory()) {
        // Awaited here: what fails while the folder is being closed would be nobody's, and end the
        // process.
        return await buffers.use((chunkBytes) =>
          copyExtents(path, { key, size_bytes }, wanted, begin, chunkBytes),
        );
      }
      if (!file || found?.size !== size_bytes) {
        throw new DamagedObject(key, size_bytes, found?.size);
      }
      const copied = await buffers.use((chunkBytes) =>
        copyRange(file, start, end, begin(), chunkBytes),
      );
      if (copied < end - start + 1) {
        throw new DamagedObject(key, size_bytes, (await file.stat()).size);
      }
    },

    stat: statOf,

    list: () => listObjects(dir),

    // objects/routes.ts refuses a PUT to an object that is in use.
    settle: statOf,

    remove: async (key) => {
      const path = pathOf(key);
      await unlink(path).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return;
        // EPERM: that it is a folder, on other systems than Linux.
        if (error.code !== 'EISDIR' && error.code !== 'EPERM') throw error;
        await rm(path, { recursive: true, force: true });
      });
    },
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
 * @returns undefined unless it is a file that exists and has the recorded size.
 */
async function readSmall(path: string, size_bytes: number): Promise<Buffer | undefined> {
  const descriptor = await openDescriptor(path, 'r').catch(absent);
  if (descriptor === undefined) return undefined;
  try {
    const buffer = Buffer.allocUnsafe(size_bytes + 1);
    const { bytesRead } = await readDescriptor(descriptor, buffer, 0, buffer.length, 0);
    return bytesRead === size_bytes ? buffer.subarray(0, size_bytes) : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    return undefined;
  } finally {
    // Nothing was written, so there is nothing to wait for.
    closeSync(descriptor);
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
