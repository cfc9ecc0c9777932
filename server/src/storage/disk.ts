/** Objects as files below one folder: the default storage, durable on one machine. */
import { type FileHandle, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { DomainError } from '../errors.ts';
import { copyBuffers } from './buffers.ts';
import { storeInto } from './copy.ts';
import { type DiskParts, diskParts } from './disk-parts.ts';
import { durableFolders, openNew } from './folders.ts';
import { checkMark, markFile, openMark } from './mark.ts';
import { partialFiles } from './partial-files.ts';
import type { PartStorage, PartUpload } from './parts.ts';
import { presignedUrls } from './presigned.ts';
import { diskRoom, fullIfNoRoom } from './room.ts';
import { openSmallFiles } from './small-files.ts';
import type { Storage, StoredObject, WriteOptions } from './storage.ts';

/** `size_bytes` is the only size that is accepted. */
export type ReceiveOptions = WriteOptions & { size_bytes: number };

import { storedObjects } from './stored-objects.ts';

type Place = (stored: StoredObject, move: () => Promise<void>) => Promise<void>;

export type DiskStorage = Storage &
  PartStorage &
  Pick<ReturnType<typeof presignedUrls>, 'verify'> &
  Pick<DiskParts, 'requireUpload'> & {
    /**
     * Stores a PUT to a presigned URL, where an object may exist already: `place` receives its size
     * and checksum, and calls `move` to put it in place.
     *
     * @throws like `write`, `invalid` if there are fewer bytes, and errors of `place`; then the key is
     *   unchanged.
     */
    receive(
      key: string,
      bytes: Readable,
      options: ReceiveOptions,
      place: Place,
    ): Promise<StoredObject>;
    /**
     * The same for a part. `place` makes sure that only one is moved at a time for an upload, in all
     * processes.
     *
     * @throws DomainError also `not_found` if the upload is completed or has ended.
     */
    receivePart(
      upload: PartUpload,
      part_number: number,
      bytes: Readable,
      options: ReceiveOptions,
      place: Place,
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
  const buffers = copyBuffers();
  const { syncFolder, move } = durableFolders();
  const writeSmallFile = openSmallFiles();
  const partials = await partialFiles(join(dir, 'partial'));
  await partials.removeAbandoned(new Date());
  const id = await openMark(dir);
  const pathOf = (key: string) => join(dir, 'objects', checkedKey(key));

  /**
   * Writes and syncs the bytes: a small file to the path in `whole`, others to a partial file.
   * `finish` turns the file into an object.
   */
  async function takeIn(
    bytes: Readable,
    { size_bytes, max_bytes = size_bytes, expected_bytes = 0, ...rest }: Partial<ReceiveOptions>,
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
      const limits = { max_bytes: max_bytes ?? Number.POSITIVE_INFINITY, expected_bytes, ...rest };
      const { file, ...stored } = await buffers.use((chunkBytes) =>
        storeInto(target, bytes, { ...limits, chunkBytes }, () => room.require()),
      );
      if (size_bytes !== undefined && stored.size_bytes < size_bytes) throw tooShort(size_bytes);
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

  const parts = diskParts(dir, pathOf, partials.newPath, syncFolder);

  /** Like `write`, where something may exist already. */
  const receive = (
    bytes: Readable,
    options: ReceiveOptions,
    place: Place,
    moveTo: (stored: StoredObject, written: string) => Promise<void>,
  ) => {
    const whole = { path: partials.newPath(), folder: undefined };
    return takeIn(bytes, options, whole, (stored, written) =>
      place(stored, () => moveTo(stored, written)),
    );
  };

  return {
    id,
    mark: markFile(dir),
    ...parts,

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
      return receive(bytes, options, place, (_, written) => move(written, path));
    },

    receivePart: async (upload, part_number, bytes, options, place) => {
      await parts.requireUpload(upload);
      return receive(bytes, options, place, ({ size_bytes, checksum_sha256: etag }, written) =>
        parts.placePart(upload, { part_number, size_bytes, etag }, written),
      );
    },

    ...storedObjects(join(dir, 'objects'), pathOf, buffers),

    ...presignedUrls(signingKey, baseUrl),

    removeAbandoned: partials.removeAbandoned,
    room: room.left,

    check: () => checkMark(dir, id),
  };
}

const tooShort = (size_bytes: number) =>
  new DomainError('invalid', `Fewer than the ${size_bytes} bytes announced.`, {
    code: 'too_short',
  });

/** Keys are generated, never user input; this is the lowest layer that can check it. */
function checkedKey(key: string): string {
  if (!/^[a-z0-9][a-z0-9/-]{0,200}$/.test(key)) throw new Error('Not an object key.');
  return key;
}
