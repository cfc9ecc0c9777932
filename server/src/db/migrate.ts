/** Migrates a database to the schema of this release: plain SQL files, forward only, each once. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { ConfigError } from '../config.ts';
import { type Connection, type Db, sqlState } from './connection.ts';
import { icuIsMissing, renewNaturalOrder } from './natural-order.ts';

export const migrationsDir = join(import.meta.dirname, '../../../migrations');

/**
 * Applies missing migrations in order of name, in one transaction. Safe to run from several processes
 * at once: one does it, the others wait. Before, what depends on the version of PostgreSQL's ICU is
 * built again if that has changed.
 *
 * @returns the names of the migrations applied now.
 * @throws Error if a migration applied earlier has been changed since.
 */
export async function migrate(db: Connection, log?: Pick<Logger, 'warn'>): Promise<string[]> {
  const files = (await readdir(migrationsDir)).filter((name) => name.endsWith('.sql')).sort();
  const sources = await Promise.all(
    files.map(async (name) => ({ name, sql: await readFile(join(migrationsDir, name), 'utf8') })),
  );
  return alone(db, async (tx) => {
    await renewNaturalOrder(tx, log);
    await tx`
      create table if not exists schema_migrations (
        name       text primary key,
        checksum   text not null,
        applied_at timestamptz(3) not null default now()
      )
    `;
    const applied = new Map(
      (
        await tx<{ name: string; checksum: string }[]>`select name, checksum from schema_migrations`
      ).map((row) => [row.name, row.checksum]),
    );
    const done: string[] = [];
    for (const { name, sql } of sources) {
      const checksum = createHash('sha256').update(sql).digest('hex');
      const before = applied.get(name);
      if (before === checksum) continue;
      if (before !== undefined)
        throw new Error(`Migration ${name} was changed after it had been applied.`);
      await tx.script(sql).catch((error: unknown) => {
        throw operatorsProblem(error);
      });
      await tx`insert into schema_migrations (name, checksum) values (${name}, ${checksum})`;
      done.push(name);
    }
    return done;
  });
}

/** PostgreSQL may have been replaced by one with another ICU while this process ran. */
export const checkNaturalOrder = (db: Connection, log: Pick<Logger, 'warn'>): Promise<void> =>
  alone(db, (tx) => renewNaturalOrder(tx, log));

/** In one transaction, which only one process has at a time. */
const alone = <T>(db: Connection, work: (tx: Db) => Promise<T>) =>
  db.transaction(async (tx) => {
    // Indexing a large table takes minutes, or another process may be migrating; no request waits
    // here.
    await tx`set local statement_timeout = 0`;
    await tx`set local lock_timeout = 0`;
    // An arbitrary constant that identifies the lock.
    await tx`select pg_advisory_xact_lock(7246001)`;
    return work(tx);
  });

/**
 * Problems an operator can fix: an extension that is missing, or that only another role may create;
 * a PostgreSQL without ICU.
 */
function operatorsProblem(error: unknown): unknown {
  const message = error instanceof Error ? error.message : '';
  if (sqlState(error) === '0A000' && /\bICU\b/.test(message))
    return new ConfigError(icuIsMissing, { cause: error });
  const name = /extension "(\w+)"/.exec(message)?.[1];
  if (name === undefined) return error;
  return new ConfigError(
    `PostgreSQL's extension ${name} could not be created: ${message}. Install PostgreSQL's contrib package, or let a superuser run "create extension ${name}" in this database.`,
    { cause: error },
  );
}
