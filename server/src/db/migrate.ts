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
 * Applies missing migrations in order of name, each in a transaction of its own: what one locks is
 * free before the next begins, and after a failure the next call continues with the file that
 * failed. Safe to run from several processes at once, of different releases too: one file is applied
 * at a time, and each process returns when none of its files is missing. Before, what depends on the
 * version of PostgreSQL's ICU is built again if that has changed.
 *
 * @returns the names of the migrations that this process applied now.
 * @throws Error if a migration applied earlier has been changed since.
 */
export async function migrate(db: Connection, log?: Pick<Logger, 'warn'>): Promise<string[]> {
  const files = (await readdir(migrationsDir)).filter((name) => name.endsWith('.sql')).sort();
  const sources = await Promise.all(files.map(readSource));
  await alone(db, async (tx) => {
    await renewNaturalOrder(tx, log);
    await tx`
      create table if not exists schema_migrations (
        name       text primary key,
        checksum   text not null,
        applied_at timestamptz(3) not null default now()
      )
    `;
  });
  const done: string[] = [];
  for (;;) {
    const name = await alone(db, (tx) => applyNext(tx, sources));
    if (name === undefined) return done;
    done.push(name);
  }
}

type Source = { name: string; sql: string; checksum: string };

async function readSource(name: string): Promise<Source> {
  const sql = await readFile(join(migrationsDir, name), 'utf8');
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}

/**
 * Applies the first migration that is missing, and returns its name. Between two of this process
 * another may have applied some, so each time all of them are compared again.
 */
async function applyNext(tx: Db, sources: Source[]): Promise<string | undefined> {
  const rows = await tx<{ name: string; checksum: string }[]>`
    select name, checksum from schema_migrations
  `;
  const applied = new Map(rows.map((row) => [row.name, row.checksum]));
  const changed = sources.find((one) => (applied.get(one.name) ?? one.checksum) !== one.checksum);
  if (changed) throw new Error(`Migration ${changed.name} was changed after it had been applied.`);
  const next = sources.find((one) => !applied.has(one.name));
  if (!next) return undefined;
  await tx.script(next.sql).catch((error: unknown) => {
    throw operatorsProblem(error) ?? failed(next, error);
  });
  await tx`
    insert into schema_migrations (name, checksum) values (${next.name}, ${next.checksum})
  `;
  return next.name;
}

const failed = ({ name }: Source, cause: unknown) =>
  new Error(
    `Migration ${name} failed: ${(cause as Error).message}. Nothing of it was done; those before it stay, and the next start continues with it.`,
    { cause },
  );

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
function operatorsProblem(error: unknown): ConfigError | undefined {
  const message = error instanceof Error ? error.message : '';
  if (sqlState(error) === '0A000' && /\bICU\b/.test(message))
    return new ConfigError(icuIsMissing, { cause: error });
  const name = /extension "(\w+)"/.exec(message)?.[1];
  if (name === undefined) return undefined;
  return new ConfigError(
    `PostgreSQL's extension ${name} could not be created: ${message}. Install PostgreSQL's contrib package, or let a superuser run "create extension ${name}" in this database.`,
    { cause: error },
  );
}
