/**
 * A database for one test file: a clone of a migrated template, in 50 ms instead of a migration.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, type ConnectTo, connect, type OnSend } from '../src/db/connection.ts';
import { runningEmbedded } from '../src/db/embedded.ts';
import { migrate, migrationsDir } from '../src/db/migrate.ts';
import { openPools, type Pools } from '../src/db/pools.ts';

/** The PostgreSQL that `npm test` uses; `node tools/test-database.ts` starts it alone. */
export const testPostgresDir = join(import.meta.dirname, '../../.cache/test/postgres');

export type TestDatabase = Pools & {
  to: ConnectTo;
  /** Listeners for every statement that the pools send (statements.ts). */
  listeners: Set<OnSend>;
  drop(): Promise<void>;
};

type Patience = NonNullable<NonNullable<Parameters<typeof openPools>[1]>['patience']>;

/** Small, because many files run at once. */
const sizes = { db: 6, engineDb: 3, kernelDb: 1, quickDb: 2 };

/** Clones the template. */
export async function cloneDatabase(patience: Patience = {}): Promise<TestDatabase> {
  const at = await testServer();
  return createDatabase(at, await ensureTemplate(at), patience);
}

/** A database as left by releases before this migration. */
export async function databaseBefore(migration: string): Promise<TestDatabase> {
  const database = await createDatabase(await testServer(), 'template1', {});
  const files = (await readdir(migrationsDir)).filter((name) => name < migration).sort();
  await database.db.transaction(async (tx) => {
    await tx.script(
      'create table schema_migrations (name text primary key, checksum text not null)',
    );
    for (const name of files) {
      const sql = await readFile(join(migrationsDir, name), 'utf8');
      await tx.script(sql);
      const checksum = createHash('sha256').update(sql).digest('hex');
      await tx`insert into schema_migrations (name, checksum) values (${name}, ${checksum})`;
    }
  });
  return database;
}

async function createDatabase(at: At, template: string, patience: Patience): Promise<TestDatabase> {
  const name = `test_${process.pid}_${randomUUID().slice(0, 8)}`;
  // To write each block to the log takes twice the time.
  const how = `template ${template} strategy file_copy`;
  await withServer(at, (server) => server.script(`create database ${name} ${how}`));
  const database = openTo(at(name), patience);
  return {
    ...database,
    drop: async () => {
      await database.drop();
      await withServer(at, (server) =>
        server.script(`drop database if exists ${name} with (force)`),
      );
    },
  };
}

/** Opens a database owned by another test: `drop` only disconnects. */
export function openTo(to: ConnectTo, patience: Patience = {}): TestDatabase {
  const listeners = new Set<OnSend>();
  const { close, ...pools } = openPools(to, {
    sizes,
    patience,
    onSend: (sent) => {
      for (const listener of listeners) listener(sent);
    },
  });
  return { ...pools, to, listeners, drop: close };
}

type At = (database: string) => ConnectTo;

async function testServer(): Promise<At> {
  const external = process.env.DATABASE_URL;
  if (external) {
    return (database) => {
      const url = new URL(external);
      url.pathname = `/${database}`;
      return { url: url.href };
    };
  }
  const running = await runningEmbedded(testPostgresDir);
  if (!running)
    throw new Error(
      'The test database does not run: use `npm test`, or `node tools/test-database.ts` beside single files.',
    );
  return running;
}

async function ensureTemplate(at: At): Promise<string> {
  const template = `template_${await schemaHash()}`;
  await withServer(at, async (server) => {
    // Of several files that start together, one creates it and the others wait.
    await server.script('select pg_advisory_lock(7246002)');
    const [found] = await server`select from pg_database where datname = ${template}`;
    if (!found) {
      const fresh = `${template}_new`;
      await server.script(`drop database if exists ${fresh} with (force)`);
      await server.script(`create database ${fresh}`);
      const db = connect(at(fresh), { max: 1 });
      await migrate(db);
      await db.close();
      await server.script(`alter database ${fresh} rename to ${template}`);
    }
    await server.script('select pg_advisory_unlock(7246002)');
  });
  return template;
}

/** Differs when a migration differs. */
export async function schemaHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of (await readdir(migrationsDir)).sort()) {
    hash.update(await readFile(join(migrationsDir, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function withServer<T>(at: At, work: (server: Connection) => Promise<T>): Promise<T> {
  const server = connect(at('postgres'), { max: 1 });
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}
