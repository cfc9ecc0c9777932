import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { cast } from '../../test/cast.ts';
import { objectGoesLive, recordObject } from '../../test/objects.ts';
import { startServer } from '../../test/server.ts';
import { ConfigError } from '../config.ts';
import { collectDeadObjects, markDead, objectStored } from '../objects/objects.ts';
import { findObjectByKey } from '../objects/queries.ts';
import { diskStorage } from './disk.ts';
import { requireOwnStorage } from './own-storage.ts';

const dirs: string[] = [];
after(() => Promise.all(dirs.map((dir) => rm(dir, { recursive: true, force: true }))));

async function folder() {
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-own-'));
  dirs.push(dir);
  return dir;
}
const open = (dir: string) => diskStorage(dir, Buffer.alloc(32), () => 'http://x');

async function installation() {
  const server = await startServer();
  const { owner } = await cast(server);
  const { db, storage, config } = server.services;
  const tenantId = owner.user.tenant_id;
  const written = async () => {
    const object = await recordObject(db, tenantId, 600);
    const bytes = await storage.write(object.key, Readable.from([Buffer.from('bytes')]));
    await objectStored(db, tenantId, object.id, bytes);
    return object;
  };
  return {
    db,
    storage,
    dir: config.storage_dir,
    stored: async () => {
      const object = await written();
      await objectGoesLive(db, tenantId, object.id);
      return object;
    },
    /** Stored, then marked dead. */
    dead: async () => {
      const object = await written();
      await markDead(db, tenantId, [object.id]);
      return object;
    },
  };
}

const refused = (words: RegExp) => (error: unknown) =>
  error instanceof ConfigError && words.test(error.message);

describe("an installation's storage", () => {
  it('is that of the first server; an engine waits for one, and both refuse any other', async () => {
    const { db, storage } = await installation();
    const other = await open(await folder());

    await assert.rejects(requireOwnStorage(db, storage, false), refused(/start the role `serve`/));
    await requireOwnStorage(db, storage, true);
    await requireOwnStorage(db, storage, false);

    for (const mayClaim of [true, false]) {
      await assert.rejects(
        requireOwnStorage(db, other, mayClaim),
        refused(new RegExp(`${other.mark} should hold ${storage.id}`)),
      );
    }
    // What the error message says to do if only the mark was lost.
    await writeFile(other.mark, storage.id);
    await requireOwnStorage(db, await open(join(other.mark, '..')), false);
  });

  it('is one, when servers with folders of their own start together', async () => {
    const { db } = await installation();
    const folders = await Promise.all(Array.from({ length: 4 }, folder));
    const storages = await Promise.all(folders.map(open));

    const results = await Promise.allSettled(
      storages.map((storage) => requireOwnStorage(db, storage, true)),
    );

    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  it('of an earlier release is the one with its files', async () => {
    const { db, storage, stored } = await installation();
    await stored();
    const empty = await open(await folder());

    await assert.rejects(requireOwnStorage(db, empty, true), refused(/none of them is beside/));
    await requireOwnStorage(db, storage, true);
  });
});

describe('the collector', () => {
  it('forgets no object while the storage is not there, and goes on when it is', async () => {
    const { db, storage, dir, dead } = await installation();
    const object = await dead();
    await rename(dir, `${dir}.away`);

    await assert.rejects(collectDeadObjects({ db, storage }, new Date(), 10), /mounted/);

    assert.equal((await findObjectByKey(db, object.key))?.state, 'dead');
    await rename(`${dir}.away`, dir);
    await collectDeadObjects({ db, storage }, new Date(), 10);
    assert.equal(await findObjectByKey(db, object.key), undefined);
    assert.equal(await storage.stat(object.key), undefined);
  });

  it('forgets no object when the storage goes away while it removes', async () => {
    const { db, storage, dir, dead } = await installation();
    const object = await dead();
    const leaving = {
      ...storage,
      remove: async (key: string) => {
        await rename(dir, `${dir}.gone`);
        await storage.remove(key);
      },
    };

    await assert.rejects(collectDeadObjects({ db, storage: leaving }, new Date(), 10), /mounted/);

    assert.equal((await findObjectByKey(db, object.key))?.state, 'dead');
    await rename(`${dir}.gone`, dir);
    assert.equal((await storage.stat(object.key))?.size_bytes, 5);
  });
});
