/** The role `migrate`: brings the database to this release's schema and ends. */
import type { Config } from '../config.ts';
import { migrate } from '../db/migrate.ts';
import { makeLog } from '../log.ts';
import { openDatabase } from './parts.ts';

export async function migrateOnly(config: Config): Promise<void> {
  const log = makeLog(config.log_level);
  const { db, close } = await openDatabase(config, log);
  const done = await migrate(db, log).finally(close);
  console.log(done.length === 0 ? 'Nothing to migrate.' : `Migrated: ${done.join(', ')}.`);
}
