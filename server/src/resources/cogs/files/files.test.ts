import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { recordObject } from '../../../../test/objects.ts';
import { statementsOf } from '../../../../test/statements.ts';
import type { Caller } from '../../../callers.ts';
import { DomainError } from '../../../errors.ts';
import { objectStored } from '../../../objects/objects.ts';
import type { Services } from '../../../services.ts';
import { addResults, ensureFolderPath, readableFiles } from './files.ts';

const callerOf = ({ user }: Client): Caller => ({
  user_id: user.id,
  tenant_id: user.tenant_id,
  role: user.role,
  is_platform_admin: false,
});

const folder = async (by: Client, name: string, parent_id?: number) =>
  (
    await by.post('/cogs/', {
      name,
      cog_type: 'asset_folder',
      ...(parent_id === undefined ? {} : { parent_id }),
    })
  ).body;

const share = (by: Client, id: number, to: Client) =>
  by.post(`/permissions/cogs/${id}`, {
    target_type: 'cog',
    target_id: id,
    user_id: to.user.id,
    level: 'viewer',
  });

const problem = (word: string) => (error: unknown) =>
  error instanceof DomainError && error.problem === word;

/** Stored bytes without a file. */
async function storedObject({ db, storage }: Services, tenantId: number) {
  const { id, key } = await recordObject(db, tenantId, 600);
  await objectStored(db, tenantId, id, await storage.write(key, Readable.from([Buffer.from('x')])));
  return id;
}

describe('readableFiles', () => {
  it('opens folders to the files in them, in the order asked and by path, each once', async () => {
    const { owner, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const inner = await folder(owner, 'b inner', docs.id);
    const gone = await folder(owner, 'gone', docs.id);
    const c = (await owner.upload('c', '333', docs.id)).body;
    await owner.upload('a', '1', docs.id);
    await owner.upload('z', '22', inner.id);
    await owner.upload('hidden', 'x', gone.id);
    await owner.delete(`/cogs/${gone.id}`);
    const names = async (ids: number[]) =>
      (await readableFiles(server.services.db, callerOf(owner), ids)).map((file) => file.name);

    assert.deepEqual(await names([docs.id]), ['a', 'z', 'c']);
    assert.deepEqual(await names([c.id, docs.id, inner.id]), ['c', 'a', 'z']);
    const [file] = await readableFiles(server.services.db, callerOf(owner), [c.id]);
    assert.equal(file?.cog_id, c.id);
    assert.equal(file?.checksum_sha256, c.checksum_sha256);
    assert.deepEqual([file?.size_bytes, file?.version, file?.mime_type], [3, 1, c.mime_type]);
  });

  it('takes files and folders in the order in which lists show them', async () => {
    const { owner, server } = await cast();
    const docs = await folder(owner, 'Book');
    for (const chapter of ['chapter 10', 'chapter 2']) {
      const { id } = await folder(owner, chapter, docs.id);
      for (const page of ['page 10', 'Page 9', 'page 1'])
        await owner.upload(`${chapter} ${page}`, 'x', id);
    }
    const files = await readableFiles(server.services.db, callerOf(owner), [docs.id]);
    assert.deepEqual(
      files.map(({ name }) => name),
      ['chapter 2', 'chapter 10'].flatMap((chapter) =>
        ['page 1', 'Page 9', 'page 10'].map((page) => `${chapter} ${page}`),
      ),
    );
  });

  it('gives a member of the root only what they may see, an admin all', async () => {
    const { owner, viewer, admin, server } = await cast();
    const { db } = server.services;
    const { body: root } = await owner.get('/cogs/root');
    const docs = await folder(owner, 'Docs');
    const inner = await folder(owner, 'inner', docs.id);
    const seen = (await owner.upload('seen', 'x', inner.id)).body;
    await owner.upload('unseen', 'x', docs.id);
    await share(owner, inner.id, viewer);

    const ofViewer = await readableFiles(db, callerOf(viewer), [root.id]);
    const ofAdmin = await readableFiles(db, callerOf(admin), [root.id]);

    assert.deepEqual(
      ofViewer.map((file) => file.cog_id),
      [seen.id],
    );
    assert.equal(ofAdmin.length, 2);
  });

  it('finds nothing foreign or unknown, and refuses what the caller may not see', async () => {
    const { owner, viewer, stranger, server } = await cast();
    const { db } = server.services;
    const docs = await folder(owner, 'Docs');

    const read = (by: Client, ...ids: number[]) => readableFiles(db, callerOf(by), ids);
    await assert.rejects(read(stranger, docs.id), problem('not_found'));
    await assert.rejects(read(owner, docs.id, 999_999_999), problem('not_found'));
    await assert.rejects(read(viewer, docs.id), problem('forbidden'));
    assert.deepEqual(await read(owner), []);
  });
});

describe('ensureFolderPath', () => {
  it('makes what is missing once, whoever asks at the same time, for its owner', async () => {
    const { owner, viewer, server } = await cast();
    const { db } = server.services;
    const { tenant_id, id: ownerId } = owner.user;
    const path = ['Resize', '7'];

    const ids = await Promise.all(
      Array.from({ length: 6 }, () =>
        db.transaction((tx) => ensureFolderPath(tx, tenant_id, ownerId, null, path)),
      ),
    );

    assert.equal(new Set(ids).size, 1);
    const found = (await owner.get(`/cogs/${ids[0]}/path`)).body;
    assert.deepEqual(
      found.map((cog: { name: string }) => cog.name),
      ['My Files', 'Workflow outputs', ...path],
    );
    assert.equal(found.at(-1).access.level, 'owner');
    const other = await db.transaction((tx) =>
      ensureFolderPath(tx, tenant_id, viewer.user.id, null, ['Resize']),
    );
    assert.equal((await viewer.get(`/cogs/${other}`)).body.access.level, 'owner');
    assert.equal((await owner.get(`/cogs/${other}`)).status, 403);
  });

  it('goes round a file that has the name, and not into another tenant', async () => {
    const { owner, stranger, server } = await cast();
    const { db } = server.services;
    const { tenant_id, id } = owner.user;
    const { body: root } = await owner.get('/cogs/root');
    await owner.upload('taken', 'x');
    const foreign = await folder(stranger, 'theirs');

    const around = await ensureFolderPath(db, tenant_id, id, root.id, ['taken']);
    assert.equal((await owner.get(`/cogs/${around}`)).body.name, 'taken (2)');
    await assert.rejects(
      ensureFolderPath(db, tenant_id, id, foreign.id, ['x']),
      problem('not_found'),
    );
  });
});

describe('addResults', () => {
  it('numbers names that are taken, side by side, without aborting the transaction', async () => {
    const { owner, server } = await cast();
    const { services } = server;
    const { db } = services;
    const docs = await folder(owner, 'Docs');
    const { tenant_id, id: owner_id } = owner.user;
    const add = async () => {
      const object_id = await storedObject(services, tenant_id);
      const into = { tenant_id, parent_id: docs.id, owner_id };
      return db.transaction(async (tx) => {
        await addResults(tx, into, [{ name: 'a.txt', object_id, mime_type: 'text/plain' }]);
        await tx`select 1`;
      });
    };

    await Promise.all(Array.from({ length: 5 }, add));

    const { body } = await owner.get(`/cogs/?parent_id=${docs.id}`);
    const expected = ['a (2).txt', 'a (3).txt', 'a (4).txt', 'a (5).txt', 'a.txt'];
    assert.deepEqual(
      body.map((cog: { name: string }) => cog.name),
      expected,
    );
  });

  it('gives each of many its name, in order, whatever is there and whatever they share', async () => {
    const { owner, server } = await cast();
    const { services } = server;
    const docs = await folder(owner, 'Docs');
    await folder(owner, 'a (2).txt', docs.id);
    const { tenant_id, id: owner_id } = owner.user;
    const names = ['a.txt', 'b', 'a.txt', 'a.txt', 'b'];
    const results = await Promise.all(
      names.map(async (name) => {
        const object_id = await storedObject(services, tenant_id);
        return { name, object_id, mime_type: 'text/plain' };
      }),
    );

    const made = await services.db.transaction((tx) =>
      addResults(tx, { tenant_id, parent_id: docs.id, owner_id }, results),
    );

    const given = ['a.txt', 'b', 'a (3).txt', 'a (4).txt', 'b (2)'];
    assert.deepEqual(
      made.map(({ name }) => name),
      given,
    );
  });

  it('takes thousands in a few statements, with names of their own or one for all', async () => {
    const { owner, server } = await cast();
    const { services } = server;
    const docs = await folder(owner, 'Docs');
    for (const taken of ['7.txt', '2600.txt', 'same (3).txt']) await folder(owner, taken, docs.id);
    const { tenant_id, id: owner_id } = owner.user;
    const object_id = await storedObject(services, tenant_id);
    const results = Array.from({ length: 5200 }, (_, at) => ({
      ...{ object_id, mime_type: 'text/plain' },
      name: at % 2 === 0 ? `${at / 2}.txt` : 'same.txt',
    }));

    let made: { name: string }[] = [];
    const { texts } = await statementsOf(server, () =>
      services.db.transaction(async (tx) => {
        made = await addResults(tx, { tenant_id, parent_id: docs.id, owner_id }, results);
      }),
    );

    const names = made.map(({ name }) => name);
    const sameAs = (n: number) => (n === 1 ? 'same.txt' : `same (${n}).txt`);
    assert.equal(new Set(names).size, 5200);
    assert.deepEqual(
      names.filter((_, at) => at % 2 === 1),
      // The third name was taken.
      Array.from({ length: 2600 }, (_, at) => sameAs(at < 2 ? at + 1 : at + 2)),
    );
    assert.deepEqual([names[0], names[14], names[16]], ['0.txt', '7 (2).txt', '8.txt']);
    assert.ok(texts.length < 30, `${texts.length} statements`);
  });

  it('makes bytes live with the file, or neither', async () => {
    const { owner, server } = await cast();
    const { services } = server;
    const { db } = services;
    const docs = await folder(owner, 'Docs');
    const { tenant_id, id: owner_id } = owner.user;
    const object_id = await storedObject(services, tenant_id);
    const into = { tenant_id, parent_id: docs.id, owner_id };
    const results = [{ name: 'a', object_id, mime_type: 'x/y' }];
    const states = async () =>
      (await db<{ state: string }[]>`select state from objects where id = ${object_id}`)[0]?.state;

    const undone = db.transaction(async (tx) => {
      await addResults(tx, into, results);
      throw new Error('something else of the report failed');
    });
    await assert.rejects(undone, /something else/);
    assert.equal(await states(), 'pending');
    const [made] = await db.transaction((tx) => addResults(tx, into, results));
    assert.equal(await states(), 'live');

    assert.equal((await owner.get(`/cogs/${made?.id}`)).body.size_bytes, 1);
  });
});
