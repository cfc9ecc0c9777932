/** Migrations of a large installation: what they lock, and what is left if one ends half way. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { databaseBefore, type TestDatabase } from '../../test/database.ts';
import { until } from '../../test/until.ts';
import { connect, type Db } from './connection.ts';
import { migrate, migrationsDir } from './migrate.ts';

const files = (await readdir(migrationsDir)).filter((name) => name.endsWith('.sql')).sort();

/** An installation as it was before this migration. */
async function before(t: TestContext, migration: string) {
  const database = await databaseBefore(migration);
  t.after(database.drop);
  return { ...database, missing: files.filter((name) => name >= migration) };
}

/** What `migrate` of another process comes to. */
async function migrating({ to }: TestDatabase) {
  const db = connect(to, { max: 1 });
  return migrate(db).finally(db.close);
}

const appliedIn = async (db: Db) =>
  (await db<{ name: string }[]>`select name from schema_migrations order by name`).map(
    ({ name }) => name,
  );

/** Does this while somebody writes users, for which migration 0185 has to wait. */
const whileUsersAreWritten = ({ db }: TestDatabase, work: () => Promise<void>) =>
  db.transaction(async (tx) => {
    await tx`lock table users in row exclusive mode`;
    await work();
  });

/** The session that waits for this table, or for its turn to migrate. */
const waitingFor = ({ db }: TestDatabase, what: 'users' | 'turn') =>
  until(`a migration waits for ${what}`, async () => {
    const [found] = await db<{ pid: number }[]>`
      select pid from pg_locks
      where not granted and database = (select oid from pg_database where datname = current_database())
        and case ${what} when 'users' then relation = 'users'::regclass
            else locktype = 'advisory' and objid = 7246001 end
    `;
    return found?.pid;
  });

describe('migrations', () => {
  it('lock nothing any more of what those before them have changed', async (t) => {
    const database = await before(t, '0182');
    const { db } = database;
    let done: Promise<string[]> | undefined;

    await whileUsersAreWritten(database, async () => {
      done = migrating(database);
      await waitingFor(database, 'users');

      for (const table of ['audit_events', 'triggers', 'firings', 'deliveries', 'trigger_files'])
        await db.transaction((tx) => tx.script(`lock table ${table} in row exclusive mode nowait`));
    });

    assert.deepEqual(await done, database.missing);
  });

  it('stay where they are done when a later one fails, and the next start continues', async (t) => {
    const database = await before(t, '0182');
    const { db } = database;
    await db.script('create table notices_by_workflow ()');

    await assert.rejects(migrating(database), /Migration 0185_large_lists\.sql failed: .*exists/);

    assert.equal((await appliedIn(db)).at(-1), '0184_histories_of_deleted_triggers.sql');
    const [part] = await db`select to_regclass('users_by_part') as of_it`;
    assert.deepEqual(part, {});
    await db.script('drop table notices_by_workflow');
    assert.deepEqual(
      await migrating(database),
      files.filter((name) => name >= '0185'),
    );
    assert.deepEqual(await appliedIn(db), files);
  });

  it('are continued by a server that waits, when the one before it dies half way', async (t) => {
    const database = await before(t, '0182');
    const { db } = database;
    let second: Promise<string[]> | undefined;

    await whileUsersAreWritten(database, async () => {
      const first = migrating(database);
      const pid = await waitingFor(database, 'users');
      second = migrating(database);
      await waitingFor(database, 'turn');

      const dies = assert.rejects(first, /Migration 0185_large_lists\.sql failed/);
      await db`select pg_terminate_backend(${pid})`;
      await dies;
    });

    assert.deepEqual(
      await second,
      files.filter((name) => name >= '0185'),
    );
    assert.deepEqual(await appliedIn(db), files);
  });

  it('are each done once, by whichever of the servers that start together', async (t) => {
    const database = await before(t, '0118');

    const done = await Promise.all(Array.from({ length: 4 }, () => migrating(database)));

    assert.deepEqual(done.flat().toSorted(), database.missing);
    assert.deepEqual(await appliedIn(database.db), files);
  });

  it('build the indexes of the audit trail while it can be read', async (t) => {
    const database = await before(t, '0183');
    await database.db.script(`
      create function refuse() returns event_trigger language plpgsql as $$
      begin
        if exists (
          select from pg_locks
          where pid = pg_backend_pid() and relation = 'audit_events'::regclass
            and mode = 'AccessExclusiveLock'
        ) then
          raise exception 'nobody can read while this index is built';
        end if;
      end $$;
      create event trigger readers_come_first on ddl_command_start
        when tag in ('CREATE INDEX') execute function refuse();
    `);

    assert.deepEqual(await migrating(database), database.missing);
  });
});
