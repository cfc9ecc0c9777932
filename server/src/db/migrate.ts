/** Migrates a database to the schema of this release: plain SQL files, forward only, each once. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config.ts';
import type { Connection } from './connection.ts';

export const migrationsDir = join(import.meta.dirname, '../../../migrations');

/**
 * Applies missing migrations in order of name, each file in its own transaction. Safe to run from
 * several processes at once: one does it, the others wait.
 *
 * @returns the names of the migrations applied now.
 * @throws Error if a migration applied earlier has been changed since.
 */
export async function migrate(db: Connection): Promise<string[]> {
  const files = (await readdir(migrationsDir)).filter((name) => name.endsWith('.sql')).sort();
  const sources = await Promise.all(
    files.map(async (name) => ({ name, sql: await readFile(join(migrationsDir, name), 'utf8') })),
  );
  return db.transaction(async (tx) => {
    // Indexing a large table takes minutes, or another process may be migrating; no request waits
    // here.
    await tx`set local statement_timeout = 0`;
    await tx`set local lock_timeout = 0`;
    // An arbitrary constant that identifies the lock.
    await tx`select pg_advisory_xact_lock(7246001)`;
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
        throw extensionProblem(error);
      });
      await tx`insert into schema_migrations (name, checksum) values (${name}, ${checksum})`;
      done.push(name);
    }
    return done;
  });
}

/**
 * Problems an operator can fix: an extension that is missing, or that only another role may create.
 */
function extensionProblem(error: unknown): unknown {
  const message = error instanceof Error ? error.message : '';
  const name = /extension "(\w+)"/.exec(message)?.[1];
  if (name === undefined) return error;
  return new ConfigError(
    `PostgreSQL's extension ${name} could not be created: ${message}. Install PostgreSQL's contrib package, or let a superuser run "create extension ${name}" in this database.`,
    { cause: error },
  );
}
