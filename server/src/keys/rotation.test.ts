import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { cloneDatabase } from '../../test/database.ts';
import { type Config, readConfig } from '../config.ts';
import { createTenant } from '../resources/users/users.ts';
import { holdMasterKey } from './holders.ts';
import { openKeys } from './keys.ts';
import { masterKeyFile, masterKeyOf, newMasterKeyFile, writeKey } from './master-keys.ts';
import { rotateMasterKey } from './rotation.ts';

const log = pino({ level: 'silent' });
const freshKey = () => masterKeyOf(randomBytes(32));

/** An installation with its master key in a file, closed after `work`. */
async function installed(
  work: (at: Awaited<ReturnType<typeof parts>>) => Promise<void>,
): Promise<void> {
  const at = await parts();
  try {
    await work(at);
  } finally {
    await at.drop();
    await rm(at.config.data_dir, { recursive: true });
  }
}

async function parts() {
  const config = readConfig({ DATA_DIR: await mkdtemp(join(tmpdir(), 'cogworks-test-')) });
  const { db, drop } = await cloneDatabase();
  const keys = await openKeys(config, db);
  const rotate = () => {
    const next = freshKey();
    return rotateMasterKey(config, db, next, () => writeKey(newMasterKeyFile(config), next));
  };
  /** Every tenant's key, as a newly started process opens it. */
  const opened = async () => {
    const fresh = await openKeys(config, db);
    const tenants = await db<{ id: number }[]>`select id from tenants order by id`;
    return Promise.all(
      tenants.map(async ({ id }) => (await fresh.tenantKey(db, id)).export().toString('hex')),
    );
  };
  return { config, db, drop, keys, rotate, opened };
}

describe('the master key', () => {
  it('is replaced under processes that go on to open and to make tenants', () =>
    installed(async ({ config, db, keys, rotate, opened }) => {
      const other = await openKeys(config, db);
      let isOver = false;
      const busy = [keys, other].map(async (mine) => {
        const known = new Map<number, string>();
        while (!isOver || known.size < 3) {
          const id = await createTenant(db, mine, 'Tenant');
          known.set(id, (await mine.tenantKey(db, id)).export().toString('hex'));
          for (const [one, key] of known)
            assert.equal((await mine.tenantKey(db, one)).export().toString('hex'), key);
        }
        return [...known];
      });

      for (let times = 0; times < 5; times += 1) assert.deepEqual(await rotate(), []);
      isOver = true;

      const made = (await Promise.all(busy)).flat().sort(([a], [b]) => a - b);
      assert.deepEqual(
        await opened(),
        made.map(([, key]) => key),
      );
      const [row] = await db`
        select count(distinct sealed_with) as keys, bool_or(sealed_with is null) as unnamed
        from (select sealed_with from tenants union all select sealed_with from installation)
      `;
      assert.deepEqual({ ...row }, { keys: 1, unnamed: false });
    }));

  it('opens what was sealed before keys had ids, and its rotation gives them', () =>
    installed(async ({ db, keys, rotate, opened }) => {
      const id = await createTenant(db, keys, 'Tenant');
      const key = (await keys.tenantKey(db, id)).export();
      await db`update tenants set sealed_with = null`;
      await db`update installation set sealed_with = null`;

      assert.deepEqual(await opened(), [key.toString('hex')]);
      assert.deepEqual((await keys.tenantKey(db, id)).export(), key);
      await rotate();

      assert.deepEqual(await opened(), [key.toString('hex')]);
      const [row] = await db`select count(*) as named from tenants where sealed_with is not null`;
      assert.equal(row?.named, 1);
    }));

  it('leaves what the present key does not open, and says which', () =>
    installed(async ({ db, keys, rotate, opened }) => {
      const lost = await createTenant(db, keys, 'Lost');
      const kept = await createTenant(db, keys, 'Kept');
      await db`update tenants set sealed_with = 'unknown' where id = ${lost}`;

      assert.deepEqual(await rotate(), [lost]);

      await assert.rejects(opened(), /was replaced/);
      assert.equal((await keys.tenantKey(db, kept)).symmetricKeySize, 32);
    }));
});

describe('a rotation that is killed', () => {
  it('before anything was sealed leaves all as it was, and the next one works', () =>
    installed(async ({ config, db, keys, rotate, opened }) => {
      await createTenant(db, keys, 'Tenant');
      const before = await opened();
      const next = freshKey();
      const killed = rotateMasterKey(config, db, next, async () => {
        await writeKey(newMasterKeyFile(config), next);
        throw new Error('killed');
      });
      await assert.rejects(killed, /killed/);

      assert.deepEqual(await opened(), before);
      await rotate();
      assert.deepEqual(await opened(), before);
      assert.deepEqual(await readdir(config.data_dir), ['master.key']);
    }));

  it('before the new key took its place is finished by the next one', () =>
    installed(async ({ config, db, keys, rotate, opened }) => {
      await createTenant(db, keys, 'Tenant');
      const before = await opened();
      const old = await readFile(masterKeyFile(config), 'utf8');
      await rotate();
      await writeFile(newMasterKeyFile(config), await readFile(masterKeyFile(config)));
      await writeFile(masterKeyFile(config), old);

      // A running process knows both keys, and finds one left by a killed command without a
      // restart.
      assert.equal((await keys.tenantKey(db, 1)).export().toString('hex'), before[0]);
      await rotate();

      assert.deepEqual(await opened(), before);
      assert.deepEqual(await readdir(config.data_dir), ['master.key']);
    }));

  it('while it wrote the next key leaves a file that nobody minds', () =>
    installed(async ({ config, rotate, opened }) => {
      await writeFile(newMasterKeyFile(config), 'half a k');
      assert.deepEqual(await opened(), []);
      await rotate();
      assert.deepEqual(await readdir(config.data_dir), ['master.key']);
    }));
});

describe('a rotation beside a server', () => {
  const hold = async (config: Config, { db }: Awaited<ReturnType<typeof parts>>) =>
    holdMasterKey({ config, db, keys: await openKeys(config, db), log }, 'serve');

  it('that reads the same file goes on', () =>
    installed(async (at) => {
      const holder = await hold(at.config, at);
      assert.deepEqual(await at.rotate(), []);
      await holder.stop();
    }));

  it('that has its key from the environment is refused, with what to do, until that stops', () =>
    installed(async (at) => {
      const before = await readFile(masterKeyFile(at.config), 'utf8');
      const holder = await hold({ ...at.config, master_key: before }, at);

      await assert.rejects(at.rotate(), { code: 'server_runs' });
      await assert.rejects(at.rotate(), new RegExp(`process ${process.pid} .*stop it, rotate`));
      assert.equal(await readFile(masterKeyFile(at.config), 'utf8'), before);
      assert.deepEqual(await readdir(at.config.data_dir), ['master.key']);

      await holder.stop();
      assert.deepEqual(await at.rotate(), []);
    }));

  it('that keeps its key in a folder of its own is refused', () =>
    installed(async (at) => {
      const elsewhere = await mkdtemp(join(tmpdir(), 'cogworks-test-'));
      const config = readConfig({ DATA_DIR: elsewhere });
      await writeFile(masterKeyFile(config), await readFile(masterKeyFile(at.config)));
      const holder = await hold(config, at);

      await assert.rejects(at.rotate(), /in another folder/);

      await holder.stop();
      await rm(elsewhere, { recursive: true });
    }));

  it('is refused where the key comes from the environment, whoever runs', () =>
    installed(async (at) => {
      const holder = await hold(at.config, at);
      const config = { ...at.config, master_key: await readFile(masterKeyFile(at.config), 'utf8') };
      let told = 0;
      const tell = async () => {
        told += 1;
      };

      await assert.rejects(rotateMasterKey(config, at.db, freshKey(), tell), {
        code: 'server_runs',
      });
      assert.equal(told, 0);
      await holder.stop();
      await rotateMasterKey(config, at.db, freshKey(), tell);
      assert.equal(told, 1);
    }));

  it('that was killed a minute ago goes on', () =>
    installed(async (at) => {
      const config = { ...at.config, master_key: await readFile(masterKeyFile(at.config), 'utf8') };
      const holder = await hold(config, at);
      await at.db`update server_processes set seen_at = now() - interval '61 seconds'`;

      assert.deepEqual(await at.rotate(), []);

      await holder.stop();
      await assert.rejects(hold(config, at), /does not fit/);
    }));
});
