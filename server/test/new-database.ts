/**
 * The database of a new installation, for tests that start one. It is created and migrated once:
 * that takes three seconds of a processor. First starts have tests of their own
 * (faults/starting.test.ts, tools/demo/demo.test.ts).
 */
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { connect } from '../src/db/connection.ts';
import { startEmbedded } from '../src/db/embedded.ts';
import { migrate } from '../src/db/migrate.ts';
import { schemaHash, testPostgresDir } from './database.ts';

/** @param dir of the embedded database; there is none yet. */
export async function copyNewDatabase(dir: string): Promise<void> {
  const made = join(dirname(testPostgresDir), `new-${await schemaHash()}`);
  // Kept links, modes and all: PostgreSQL refuses a folder that others may read.
  const copy = () => cp(made, dir, { recursive: true, verbatimSymlinks: true });
  await copy().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await make(made);
    await copy();
  });
}

async function make(path: string): Promise<void> {
  const fresh = await mkdtemp(`${path}-`);
  const server = await startEmbedded(fresh, { settings: { fsync: 'off' } });
  const postgres = connect(server.at('postgres'), { max: 1 });
  await postgres.script('create database cogworks');
  await postgres.close();
  const db = connect(server.at('cogworks'), { max: 1 });
  await migrate(db);
  await db.close();
  await server.stop();
  await rename(fresh, path).catch(async (error: NodeJS.ErrnoException) => {
    // Another process has made one meanwhile.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(fresh, { recursive: true });
  });
}
