/**
 * The database of a new installation, for tests that start one. It is created and migrated once:
 * that takes three seconds of a processor. First starts have tests of their own
 * (faults/starting.test.ts, tools/demo/demo.test.ts).
 */
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/roles/parts.ts';
import { schemaHash, testPostgresDir } from './database.ts';

/** The made ones; `npm test` removes those of earlier runs. */
export const newDatabases = join(dirname(testPostgresDir), 'new-databases');

/** @param dataDir the DATA_DIR of an installation that has no database yet. */
export async function copyNewDatabase(dataDir: string): Promise<void> {
  const made = join(newDatabases, await schemaHash());
  // Kept links, modes and all: PostgreSQL refuses a folder that others may read.
  const copy = () => cp(made, dataDir, { recursive: true, verbatimSymlinks: true });
  await copy().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await make(made);
    await copy();
  });
}

async function make(path: string): Promise<void> {
  await mkdir(newDatabases, { recursive: true });
  const fresh = await mkdtemp(`${path}-`);
  const config = readConfig({ DATA_DIR: fresh });
  const { db, close } = await openDatabase(config, pino({ level: 'silent' }));
  await migrate(db);
  await close();
  await rename(fresh, path).catch(async (error: NodeJS.ErrnoException) => {
    // Another process has made one meanwhile.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(fresh, { recursive: true });
  });
}
