import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast, client } from '../../test/cast.ts';
import { cloneDatabase, databaseBefore } from '../../test/database.ts';
import { pages } from '../../test/pages.ts';
import { startServer } from '../../test/server.ts';
import { folder } from '../../test/sharing.ts';
import { until } from '../../test/until.ts';
import { ConfigError } from '../config.ts';
import { connect, type Db } from './connection.ts';
import { migrate } from './migrate.ts';

const names = Array.from({ length: 40 }, (_, at) => `scan ${at}`);

/** As if ICU had this order. Sessions learn of it when they begin. */
async function pretendOrder(db: Db, locale: string) {
  const [{ column } = {}] = await db<{ column: string }[]>`
    select attname as column from pg_attribute
    where attrelid = 'pg_collation'::regclass and attname in ('colllocale', 'colliculocale')
  `;
  await db.script(`
    update pg_collation set ${column} = '${locale}' where collname = 'natural_order'
  `);
}

const versionOf = async (db: Db) =>
  (await db`select collversion from pg_collation where collname = 'natural_order'`)[0]?.collversion;

/** Collects what is logged. */
function record() {
  const lines: { fields: object; text: string | undefined }[] = [];
  const warn = (fields: object, text?: string) => void lines.push({ fields, text });
  return { lines, warn };
}

/** A folder that was filled before PostgreSQL got an ICU with another order. */
async function afterUpgrade() {
  const database = await cloneDatabase();
  const version = await versionOf(database.db);
  await pretendOrder(database.db, 'und');
  const server = await startServer({}, undefined, { database });
  const { owner } = await cast(server);
  const { id } = await folder(owner, 'Scans');
  for (const name of names) await folder(owner, name, id);
  await pretendOrder(database.db, 'und-u-kn-true');
  await database.db`
    update pg_collation set collversion = 'old' where collname = 'natural_order'
  `;
  const list = async (url = server.url) => {
    const found = await pages(
      { ...owner, ...client(url, owner.token) },
      `/cogs/?parent_id=${id}&limit=7`,
    );
    return found.flat().map(({ name }) => name);
  };
  return { server, database, version, list };
}

describe('when PostgreSQL has another version of ICU', () => {
  it('servers that start build the indexes of names again, once, before they list anything', async () => {
    const { server, database, version, list } = await afterUpgrade();
    const { lines, warn } = record();
    const starting = Array.from({ length: 3 }, () => connect(database.to, { max: 1 }));

    const done = await Promise.all(starting.map((db) => migrate(db, { warn } as never)));

    for (const db of starting) await db.close();
    assert.deepEqual(done, [[], [], []]);
    assert.equal(lines.length, 1);
    assert.deepEqual(lines[0]?.fields, {
      built_with: 'old',
      now_with: version,
      indexes: ['cogs_folders_in_folder', 'cogs_in_folder_by_name', 'cogs_in_order_of_name'],
    });
    assert.equal(await versionOf(database.db), version);
    const started = await startServer({}, undefined, { beside: server });
    assert.deepEqual(await list(started.url), names);
  });

  it('a server that runs does so as soon as it is connected again', async () => {
    const { database, version, list } = await afterUpgrade();

    // From outside: no session outlives a PostgreSQL that is replaced.
    const outside = connect(database.to, { max: 1 });
    await outside`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
    `;
    await until('the indexes are built again', async () => (await versionOf(outside)) === version);
    await outside.close();

    assert.deepEqual(await list(), names);
  });

  it('nothing is built again while the version is the same', async () => {
    const database = await cloneDatabase();
    const { lines, warn } = record();
    const files = () => database.db`
      select relname, relfilenode from pg_class where relname like 'cogs%' order by 1
    `;
    const before = await files();

    await migrate(database.db, { warn } as never);

    assert.deepEqual(await files(), before);
    assert.deepEqual(lines, []);
    await database.drop();
  });
});

describe('a PostgreSQL without ICU', () => {
  it('is refused with what it needs, and nothing is left of the migration', async () => {
    const { db, drop } = await databaseBefore('0101');
    // As PostgreSQL says it where it was built without.
    await db.script(`
      create function refuse() returns event_trigger language plpgsql as $$
      begin
        raise exception 'ICU is not supported in this build' using errcode = '0A000';
      end $$;
      create event trigger without_icu on ddl_command_start
        when tag in ('CREATE COLLATION') execute function refuse();
    `);

    await assert.rejects(migrate(db), (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /was built without ICU/);
      return true;
    });

    const left = await db`select name from schema_migrations where name >= '0101'`;
    assert.equal(left.length, 0);
    await drop();
  });
});
