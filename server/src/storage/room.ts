/**
 * Free space on the storage's disk. A reserve is kept: a full disk stops the database too, so bytes
 * of files are refused before that.
 */
import { statfs } from 'node:fs/promises';
import { DomainError } from '../errors.ts';

export type Room = {
  /** Bytes that may still be stored: free space less the reserve, negative if that is in use. */
  left(): Promise<number>;
  /** @throws DomainError `storage_full` unless `bytes` more, and at least one, may be stored. */
  require(bytes?: number): Promise<void>;
};

/** With this much left, the disk is asked at most once a second about much smaller amounts. */
const plenty_bytes = 4 * 1024 ** 3;
const small_bytes = 1024 ** 2;
const remembered_ms = 1000;

/** The room on the disk of `dir`. */
export function diskRoom(dir: string, reserve_bytes: number): Room {
  let plentyUntil = 0;
  const left = async () => {
    const { bavail, bsize } = await statfs(dir);
    const left_bytes = bavail * bsize - reserve_bytes;
    plentyUntil = left_bytes < plenty_bytes ? 0 : performance.now() + remembered_ms;
    return left_bytes;
  };
  return {
    left,
    require: async (bytes = 0) => {
      if (bytes > 0 && bytes <= small_bytes && performance.now() < plentyUntil) return;
      if ((await left()) < Math.max(1, bytes)) throw storageFull();
    },
  };
}

/** For space used by another program in between: then the write itself fails. */
export function fullIfNoRoom(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' ? storageFull(error) : error;
}

export const storageFull = (cause?: unknown) =>
  new DomainError(
    'storage_full',
    'The server has no room left for this. Try again later, or ask whoever runs this server to make room.',
    { code: 'storage_full', cause },
  );
