/** Checks that a process uses the installation's own storage, and not an empty folder. */
import { ConfigError } from '../config.ts';
import type { Db } from '../db/connection.ts';
import { claimStorageId, findStorageId, someStoredKeys } from './queries.ts';
import type { Storage } from './storage.ts';

/**
 * Called at the start of every process that stores or collects: with a wrong folder it would answer
 * "gone" for existing files, and forget objects whose bytes it cannot remove.
 *
 * @param mayClaim whether this storage becomes the installation's if there is none yet.
 * @throws ConfigError that says what to mount, or what to start first.
 */
export async function requireOwnStorage(
  db: Db,
  storage: Storage,
  mayClaim: boolean,
): Promise<void> {
  let own = await findStorageId(db);
  if (own === undefined && mayClaim) {
    await requireKnownBytes(db, storage);
    own = await claimStorageId(db, storage.id);
  }
  if (own === undefined) {
    throw new ConfigError(
      'This installation has no storage yet: start the role `serve` first, which sets it up.',
    );
  }
  if (own !== storage.id) {
    throw new ConfigError(
      `This is not the storage of this installation: ${storage.mark} should hold ${own}. Every process needs the same storage: mount its folder, or set DATA_DIR or STORAGE_URL. If this is the right one and only the mark was lost, write that id into it.`,
    );
  }
}

/** For an installation from before storages had marks: its folder is the one with its files. */
async function requireKnownBytes(db: Db, storage: Storage) {
  const keys = await someStoredKeys(db);
  const found = await Promise.all(keys.map((key) => storage.stat(key)));
  if (keys.length === 0 || found.some((bytes) => bytes !== undefined)) return;
  throw new ConfigError(
    `The database knows stored files, but none of them is beside ${storage.mark}. Mount the folder with the files there, or set DATA_DIR or STORAGE_URL.`,
  );
}
