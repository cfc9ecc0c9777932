/** A new master key, for when the old one may be known to somebody, or once in a while. */
import { randomBytes } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import type { Db } from '../db/connection.ts';
import { masterKeyFile, newMasterKeyFile, rotateMasterKey } from '../keys.ts';

/** @returns what the operator has to know; it holds the key only when there is no file for it. */
export async function replaceMasterKey({
  config,
  db,
}: {
  config: Config;
  db: Db;
}): Promise<string> {
  const next = randomBytes(32);
  if (config.master_key !== undefined) {
    await rotateMasterKey(config, db, next);
    console.error(
      'All keys are sealed anew. Set MASTER_KEY to the value below and restart every server now; with the old one they do not start any more.',
    );
    return next.toString('base64');
  }

  // The new key is safe on the disk before anything depends on it, and takes the old one's
  // place in one step. A server that starts in between finds it, see keys.ts.
  const file = masterKeyFile(config);
  const fresh = newMasterKeyFile(config);
  await writeSynced(fresh, next.toString('base64'));
  await rotateMasterKey(config, db, next);
  await rename(fresh, file).catch((error: NodeJS.ErrnoException) => {
    // A server that started just now has done it.
    if (error.code !== 'ENOENT') throw error;
  });
  await syncFolder(dirname(file));
  console.error(
    'Restart every server now. Servers on other machines need the new file as well, and so do your backups of it; backups of the database from before need the old one.',
  );
  return `All keys are sealed anew with ${file}.`;
}

async function writeSynced(path: string, text: string) {
  const file = await open(path, 'w', 0o600);
  await file.writeFile(text);
  await file.sync();
  await file.close();
}

async function syncFolder(path: string) {
  const folder = await open(path, 'r');
  await folder.sync();
  await folder.close();
}
