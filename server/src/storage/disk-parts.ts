/**
 * Objects that arrive in parts, on disk: one folder per upload, one file per part. Completing
 * renames the folder to the object, so no byte is copied. See extents.ts for how it is read.
 */
import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DomainError } from '../errors.ts';
import { extentName, listExtents } from './extents.ts';
import { makeDirs, moveFile } from './folders.ts';
import type { PartStorage, PartUpload, StoredPart } from './parts.ts';

export type DiskParts = Omit<PartStorage, 'presignPart'> & {
  /** @throws DomainError `not_found` if the upload is completed, ended or unknown. */
  requireUpload(upload: PartUpload): Promise<void>;
  /**
   * Puts a written and synced file in place as a part, instead of an earlier one. Only one call at a
   * time for an upload, in all processes.
   *
   * @throws DomainError like `requireUpload`.
   */
  placePart(upload: PartUpload, part: StoredPart, written: string): Promise<void>;
};

/**
 * @param pathOf the path of the object of a key.
 * @param newPath a path for what is to be removed; what a killed process leaves there is removed
 *   later.
 */
export function diskParts(
  dir: string,
  pathOf: (key: string) => string,
  newPath: () => string,
  syncFolder: (dir: string) => Promise<void>,
): DiskParts {
  const folderOfKey = (key: string) => join(dir, 'parts', key);
  const folderOf = ({ key, storage_upload_id }: PartUpload) => {
    if (!/^[0-9a-f-]{36}$/.test(storage_upload_id)) throw new Error('Not the id of an upload.');
    return join(folderOfKey(key), storage_upload_id);
  };

  const removeEmpty = async (folder: string) => {
    const isRemoved = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (isRemoved) await syncFolder(dirname(folder));
  };

  return {
    beginParts: async (key) => {
      const id = randomUUID();
      await makeDirs(folderOf({ key, storage_upload_id: id }));
      return id;
    },

    requireUpload: async (upload) => {
      await stat(folderOf(upload)).catch(ended);
    },

    placePart: async (upload, part, written) => {
      const folder = folderOf(upload);
      const name = extentName(part);
      await rename(written, join(folder, name)).catch(ended);
      const earlier = (await readdir(folder).catch(ended)).filter(
        (other) => other !== name && numberOf(other) === numberOf(name),
      );
      await Promise.all(earlier.map((other) => rm(join(folder, other), { force: true })));
      await syncFolder(folder).catch(ended);
    },

    storedParts: async (upload) => {
      const extents = await listExtents(folderOf(upload));
      // A process that was killed when it had completed the upload leaves this folder.
      if (!extents) await removeEmpty(folderOfKey(upload.key));
      // A process that was killed while it replaced a part leaves two: either one is the part.
      return extents
        ?.filter(({ part_number }, at) => part_number !== extents[at + 1]?.part_number)
        .map(({ name: _, ...part }) => part);
    },

    completeParts: async (upload, parts) => {
      const [from, to] = [folderOf(upload), pathOf(upload.key)];
      const found = await readdir(from).catch(absent);
      if (!found) return isFolder(to);
      if (!surplusIn(found, parts)) return false;
      await moveFile(from, to);
      // From here on no part can be put in; one may have been replaced just before.
      const surplus = surplusIn(await readdir(to), parts);
      if (!surplus) {
        // `storedParts` may have removed the empty folder around it meanwhile.
        await moveFile(to, from);
        return false;
      }
      await Promise.all(surplus.map((name) => rm(join(to, name))));
      await syncFolder(to);
      await syncFolder(dirname(to));
      await removeEmpty(dirname(from));
      return true;
    },

    abortParts: async (key) => {
      const folder = folderOfKey(key);
      const removed = newPath();
      // Renamed first, so that a part that is just arriving cannot be put into it any more.
      const isThere = await rename(folder, removed).then(() => true, absent);
      if (!isThere) return;
      await syncFolder(dirname(folder));
      await rm(removed, { recursive: true, force: true });
    },
  };
}

/**
 * The files beside those of these parts, each left by a process that was killed while it replaced
 * one of them; undefined if the folder holds other parts.
 */
function surplusIn(names: readonly string[], parts: readonly StoredPart[]): string[] | undefined {
  const wanted = new Set(parts.map(extentName));
  const numbers = new Set([...wanted].map(numberOf));
  const surplus = names.filter((name) => !wanted.has(name));
  const isComplete = names.length - surplus.length === wanted.size;
  return isComplete && surplus.every((name) => numbers.has(numberOf(name))) ? surplus : undefined;
}

const numberOf = (name: string) => name.slice(0, name.indexOf('.'));

const isFolder = async (path: string) => (await stat(path).catch(absent))?.isDirectory() ?? false;

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function ended(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error;
  throw new DomainError('not_found', 'This upload has been completed or has ended.', {
    code: 'upload_ended',
    cause: error,
  });
}
