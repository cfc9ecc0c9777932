import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { recordObject } from '../../../../test/objects.ts';
import { statementsOf } from '../../../../test/statements.ts';
import { until } from '../../../../test/until.ts';
import { makeFiles } from './new-files.ts';

async function withFolder(name = 'Docs') {
  const people = await cast();
  const { body } = await people.owner.post('/cogs/', { name, cog_type: 'asset_folder' });
  return { ...people, folder: body.id as number };
}

/** Uploads a file of each name concurrently. */
const uploadAll = (by: Client, names: readonly string[], parentId: number) =>
  Promise.all(names.map((name) => by.upload(name, `bytes of ${name}`, parentId)));

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `file ${index}`);

const isCommit = (text: string) => text === 'commit';

/** Resolves when the server has processed everything received so far. */
async function answered({ url }: { url: string }): Promise<void> {
  for (let times = 0; times < 20; times += 1) await (await fetch(`${url}/healthz`)).text();
}

describe('uploads', () => {
  it('cost three round trips beyond their bytes, in two transactions', async () => {
    const { server, owner, admin, folder } = await withFolder();
    for (const by of [owner, admin]) {
      await by.upload(`before ${by.user.id}`, 'x', folder);

      const { texts, round_trips } = await statementsOf(server, () =>
        by.upload(`after ${by.user.id}`, 'x', folder),
      );

      assert.ok(round_trips <= 3 && texts.length <= 9, texts.join('\n'));
      assert.equal(texts.filter(isCommit).length, 2);
    }
  });

  it('that come together share their transactions', async () => {
    const { server, owner, folder } = await withFolder();
    const { engineDb, storage } = server.services;
    const { tenant_id } = owner.user;
    await owner.upload('before', 'x', folder);
    const requests: IncomingMessage[] = [];
    server.http.server.on('request', (request) => void requests.push(request));
    // A client may send a body some time after its headers.
    const allAreReceived = () =>
      requests.length >= 40 && requests.every((request) => request.complete);
    const isStored = async ({ key }: { key: string }) => (await storage.stat(key)) !== undefined;
    const allAreStored = async () => {
      const pending = await engineDb<{ key: string }[]>`
        select key from objects where tenant_id = ${tenant_id} and state = 'pending'
      `;
      return pending.length === 40 && (await Promise.all(pending.map(isStored))).every(Boolean);
    };

    const { texts } = await statementsOf(server, async () => {
      // The first of them waits in its transaction until all others have arrived: before the bytes
      // until all have been received, and after them until all are stored.
      const { uploads } = await engineDb.transaction(async (files) => {
        await files`lock table cogs in share row exclusive mode`;
        const uploads = await engineDb.transaction(async (objects) => {
          await objects`lock table objects in share row exclusive mode`;
          const uploads = uploadAll(owner, numbered(40), folder);
          await until('all have been received', allAreReceived);
          await answered(server);
          return { uploads };
        });
        await until('all are stored', allAreStored);
        await answered(server);
        return uploads;
      });
      const answers = await uploads;
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    });

    // The first and the others, before and after the bytes, and the two that delayed them.
    const commits = texts.filter(isCommit).length;
    assert.ok(commits <= 4 + 2, `${commits} commits`);
    const listed = await owner.get(`/cogs/?parent_id=${folder}&limit=100`);
    assert.equal(listed.body.length, 41);
  });

  it('are answered each on its own, with what is theirs', async () => {
    const { owner, editor, admin, stranger, folder } = await withFolder();
    const own = (await editor.post('/cogs/', { name: 'Own', cog_type: 'asset_folder' })).body.id;
    const sent: [Client, string, number, number][] = [
      ...numbered(5).map((name): [Client, string, number, number] => [owner, name, folder, 201]),
      [owner, 'twice', folder, 201],
      [admin, 'of admin', folder, 201],
      [editor, 'mine', own, 201],
      [editor, 'not mine', folder, 403],
      [stranger, 'foreign', folder, 404],
      [owner, 'nowhere', 999_999_999, 404],
    ];

    const answers = await Promise.all(
      sent.map(([by, name, parentId]) => by.upload(name, `bytes of ${name}`, parentId)),
    );

    for (const [index, [by, name, parent_id, status]] of sent.entries()) {
      const { body, ...answer } = answers[index] ?? { status: 0, body: {} };
      assert.equal(answer.status, status, `${name}: ${JSON.stringify(body)}`);
      if (status !== 201) continue;
      const { created_at, updated_at, ...cog } = body;
      assert.deepEqual((await by.get(`/cogs/${cog.id}`)).body, { created_at, updated_at, ...cog });
      assert.deepEqual([cog.name, cog.parent_id, cog.owner_id], [name, parent_id, by.user.id]);
      const text = await (await by.fetch(`/cogs/${cog.id}/download`)).text();
      assert.equal(text, `bytes of ${name}`);
      assert.equal(cog.checksum_sha256, createHash('sha256').update(text).digest('hex'));
    }
  });

  it('of one name at the same time are one file and refusals', async () => {
    const { owner, editor, folder } = await withFolder();
    await owner.post(`/permissions/cogs/${folder}`, {
      target_type: 'cog',
      target_id: folder,
      user_id: editor.user.id,
      level: 'editor',
    });

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? owner : editor).upload('same', `${index}`, folder),
      ),
    );

    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array(19).fill(409)]);
    const made = answers.find(({ status }) => status === 201)?.body;
    const text = await (await owner.fetch(`/cogs/${made.id}/download`)).text();
    assert.equal(made.checksum_sha256, createHash('sha256').update(text).digest('hex'));
  });

  it('do not wait for one whose folder is being deleted, which waits', async () => {
    const { server, owner, folder } = await withFolder();
    const { id } = (await owner.post('/cogs/', { name: 'Going', cog_type: 'asset_folder' })).body;
    const { promise: othersAreDone, resolve: done } = Promise.withResolvers<void>();
    const { promise: held, resolve: hold } = Promise.withResolvers<void>();
    const deleting = server.services.db.transaction(async (tx) => {
      await tx`select from cogs where id = ${id} for update`;
      await tx`update cogs set deleted_at = now(), deleted_by = ${owner.user.id} where id = ${id}`;
      hold();
      await othersAreDone;
    });
    await held;

    const waiting = [owner.upload('a', 'x', id), owner.upload('b', 'x', id)];
    const others = await uploadAll(owner, numbered(10), folder);
    done();
    await deleting;

    assert.deepEqual([...new Set(others.map(({ status }) => status))], [201]);
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ status }) => status),
      [404, 404],
    );
  });

  it('make the root together when there is none', async () => {
    const { owner } = await cast();

    const answers = await Promise.all(numbered(6).map((name) => owner.upload(name, 'x')));

    const parents = answers.map(({ status, body }) => [status, body.parent_id]);
    const root = (await owner.get('/cogs/root')).body.id;
    assert.deepEqual(parents, Array(6).fill([201, root]));
  });

  it('of somebody who was disabled meanwhile are refused', async () => {
    const { server, owner, folder } = await withFolder();
    const { db } = server.services;
    const file = await storedFile(server, owner, folder, 'late');
    await db`update users set status = 'disabled' where id = ${owner.user.id}`;

    const [outcome] = await makeFiles(db, owner.user.tenant_id, [file]);

    assert.match(String(outcome && 'error' in outcome && outcome.error), /disabled/);
  });

  it('keep the CRC-32 that was recorded before, if they come without one', async () => {
    const { server, owner, folder } = await withFolder();
    const { db } = server.services;
    const { crc32, ...file } = await storedFile(server, owner, folder, 'direct');
    await db`update objects set crc32 = ${crc32 ?? null} where id = ${file.object_id}`;

    await makeFiles(db, owner.user.tenant_id, [file]);

    const [row] = await db`select state, crc32 from objects where id = ${file.object_id}`;
    assert.deepEqual(row, { state: 'live', crc32 });
  });

  it('that the database refuses fail alone', async () => {
    const { server, owner, folder } = await withFolder();
    const names = ['good', 'bad', 'better'];
    const files = await Promise.all(names.map((name) => storedFile(server, owner, folder, name)));
    const given = files.map((file) =>
      file.name === 'bad' ? { ...file, mime_type: 'x/'.padEnd(300, 'x') } : file,
    );

    const outcomes = await makeFiles(server.services.db, owner.user.tenant_id, given);

    assert.deepEqual(
      outcomes.map((outcome) => outcome && 'result' in outcome),
      [true, false, true],
    );
    const listed = (await owner.get(`/cogs/?parent_id=${folder}`)).body;
    assert.deepEqual(
      listed.map(({ name }: { name: string }) => name),
      ['better', 'good'],
    );
  });
});

/** A file whose bytes are stored, about to be created. */
async function storedFile(
  { services: { db, storage } }: Awaited<ReturnType<typeof cast>>['server'],
  { user }: Client,
  parent_id: number,
  name: string,
) {
  const { id: object_id, key } = await recordObject(db, user.tenant_id, 600);
  const stored = await storage.write(key, Readable.from([Buffer.from(name)]));
  return { ...stored, object_id, user_id: user.id, parent_id, name, mime_type: 'text/plain' };
}
