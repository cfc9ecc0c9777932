import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast, client } from '../../../../test/cast.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';
import { isInBucket } from '../../../../test/storage.ts';
import { after, kept, stateOf, stored } from '../../../../test/stored-uploads.ts';
import {
  bytesFor,
  chunk,
  confirm,
  download,
  initiated,
  putPart,
  sent,
  sha256,
} from '../../../../test/uploads.ts';
import type { UploadLimits } from '../../../limits.ts';
import { collectDeadObjects } from '../../../objects/objects.ts';
import { endExpiredUploads } from './expiry.ts';

const folder = async (by: Client, name: string) =>
  (await by.post('/cogs/', { name, cog_type: 'asset_folder' })).body;

/** Another process on the same data, with other limits for confirmations. */
const another = (server: TestServer, limits: Partial<UploadLimits>) =>
  startServer({}, undefined, {
    beside: server,
    limits: { uploads: { ...server.services.limits.uploads, beat_ms: 20, ...limits } },
  });

const at = ({ url }: TestServer, { user, token }: Client): Client => ({
  ...{ user, token },
  ...client(url, token),
});

/** Lets nothing be read from a server's storage until `go`; or it fails for ever, as if killed. */
function holdReading({ services }: TestServer) {
  const { storage } = services;
  const { copyTo } = storage;
  const { promise: going, resolve: go } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  storage.copyTo = async (object, range, out) => {
    begin();
    await going;
    return copyTo(object, range, out);
  };
  return { begun, go };
}

describe('confirmations at once', () => {
  it('make one file, in one process and in several', async () => {
    const { owner, server } = await cast();
    const second = await another(server, {});
    for (const parts of [0, 1]) {
      const { upload, bytes, list } = await stored(owner, parts, { name: `${parts}` });
      const people = [owner, at(second, owner)];

      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, number) =>
          confirm(people[number % 2] as Client, upload, bytes.length, list),
        ),
      );

      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
      const { body: files } = await owner.get(`/cogs/?name=${parts}`);
      assert.equal(files.length, 1);
      assert.deepEqual(await download(owner, files[0].id), bytes);
    }
  });

  it('and an abort have one winner', async () => {
    const people = await cast();
    const { owner } = people;
    for (let times = 0; times < 6; times += 1) {
      const { upload, again } = await stored(owner, times % 2, { name: `${times}` });
      const path = `/cogs/uploads/${upload.upload_id}`;

      const [confirmed, aborted] = await Promise.all([again(), owner.delete(path)]);

      const { state } = await stateOf(owner, upload);
      const { body: files } = await owner.get(`/cogs/?name=${times}`);
      const told = JSON.stringify([confirmed.body, aborted.body, state]);
      if (state === 'done') {
        assert.deepEqual([confirmed.status, aborted.status, files.length], [201, 409, 1], told);
      } else {
        assert.equal(state, 'aborted', told);
        assert.deepEqual([confirmed.status, confirmed.body.code], [409, 'upload_ended'], told);
        assert.deepEqual([aborted.status, files.length], [204, 0], told);
      }
    }
    const { db, storage } = people.server.services;
    await endExpiredUploads({ db, storage }, after(0), 100);
    await collectDeadObjects({ db, storage }, new Date(), 100);
    const { states, whole, parts } = await kept(people);
    assert.ok(states.every((state) => state === 'live'));
    assert.deepEqual([whole, parts], [states.length, 0]);
  });
});

describe('reading the bytes', () => {
  it('is waited for a limited time, and goes on until the file is there', async () => {
    const { owner, server } = await cast();
    const { upload, bytes, again } = await stored(owner, 1);
    const impatient = await another(server, { wait_ms: 0 });
    const { go, begun } = holdReading(impatient);
    const there = at(impatient, owner);

    const first = await again({}, there);
    await begun;
    const second = await again({}, there);

    for (const { status, body } of [first, second]) {
      const waiting = { state: 'verifying', verified_bytes: 0, file_size: bytes.length };
      assert.deepEqual([status, body], [202, waiting]);
    }
    assert.equal((await stateOf(owner, upload)).state, 'completing');
    const waiting = again();
    go();
    const { status, body } = await waiting;
    assert.equal(status, 201);
    assert.equal(body.checksum_sha256, sha256(bytes));
    assert.equal((await stateOf(owner, upload)).verified_bytes, bytes.length);
  });

  it('is begun again when its process shows no life', async () => {
    const { owner, server } = await cast();
    const { upload, bytes, again } = await stored(owner, 1);
    const dying = await another(server, { wait_ms: 0, claim_ms: 300, beat_ms: 1e8 });
    const { begun, go } = holdReading(dying);
    assert.equal((await again({}, at(dying, owner))).status, 202);
    await begun;
    assert.equal((await stateOf(owner, upload)).is_stored, true);

    const { status, body } = await again();

    assert.equal(status, 201, JSON.stringify(body));
    assert.deepEqual(await download(owner, body.id), bytes);
    // It was only held up: it changes nothing any more.
    go();
    const late = await again({}, at(dying, owner));
    assert.deepEqual([late.status, late.body], [201, body]);
  });

  it('stops when the upload is aborted', async () => {
    const people = await cast();
    const { owner, server } = people;
    const { upload, again } = await stored(owner, 1);
    const other = await another(server, {});
    const { begun, go } = holdReading(other);
    const confirming = again({}, at(other, owner));
    await begun;

    assert.equal((await owner.delete(`/cogs/uploads/${upload.upload_id}`)).status, 204);
    go();

    const { status, body } = await confirming;
    assert.deepEqual([status, body.code], [409, 'upload_ended']);
    const { db, storage } = server.services;
    await collectDeadObjects({ db, storage }, new Date(), 100);
    assert.deepEqual(await kept(people), { states: [], whole: 0, parts: 0 });
  });

  it('stops with the server, and the upload can be confirmed at another one', async () => {
    const { owner, server } = await cast();
    const { again } = await stored(owner, 1);
    const ending = await another(server, { wait_ms: 0 });
    const { begun, go } = holdReading(ending);
    assert.equal((await again({}, at(ending, owner))).status, 202);
    await begun;
    const closed = ending.http.close();
    go();
    await closed;

    assert.equal((await again()).status, 201);
  });
});

describe('a confirmation after', () => {
  it('rights were revoked is refused, and taken once they are back', async () => {
    const { owner, editor } = await cast();
    const docs = await folder(owner, 'Docs');
    const grant = {
      ...{ target_type: 'cog', target_id: docs.id, user_id: editor.user.id, level: 'editor' },
    };
    for (const parts of [0, 1]) {
      const given = await owner.post(`/permissions/cogs/${docs.id}`, grant);
      const { again, upload } = await stored(editor, parts, {
        ...{ parent_id: docs.id, name: `${parts}` },
      });
      await owner.delete(`/permissions/${given.body.permission_id}`);

      assert.equal((await again()).status, 403);

      // A bucket makes an object also of a file in one part.
      assert.equal((await stateOf(editor, upload)).is_stored, parts > 0 || isInBucket);
      await owner.post(`/permissions/cogs/${docs.id}`, grant);
      assert.equal((await again()).status, 201);
      await owner.delete(`/permissions/${given.body.permission_id}`);
    }
  });

  it('the right has expired is refused, like any further part of the way', async () => {
    const { owner, editor, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const grant = { target_type: 'cog', target_id: docs.id, user_id: editor.user.id };
    const expires_at = after(1).toISOString();
    const { body } = await owner.post(`/permissions/cogs/${docs.id}`, {
      ...{ ...grant, level: 'editor', expires_at },
    });
    const { again } = await stored(editor, 0, { parent_id: docs.id });
    await server.services.db`
      update permissions set expires_at = now() where id = ${body.permission_id}
    `;

    assert.equal((await again()).status, 403);

    const next = { name: 'next', file_size: 1, parent_id: docs.id };
    assert.equal((await editor.post('/cogs/uploads/initiate', next)).status, 403);
    assert.deepEqual((await owner.get(`/cogs/?parent_id=${docs.id}`)).body, []);
  });

  it('the folder was deleted can go to another one', async () => {
    const { owner } = await cast();
    const [docs, other] = [await folder(owner, 'Docs'), await folder(owner, 'Other')];
    const { again } = await stored(owner, 1, { parent_id: docs.id });
    await owner.delete(`/cogs/${docs.id}`);

    assert.equal((await again()).status, 404);
    const { status, body } = await again({ parent_id: other.id });

    assert.deepEqual([status, body.parent_id], [201, other.id]);
  });

  it('the name was taken can have another one', async () => {
    const { owner } = await cast();
    const { again, upload } = await stored(owner, 1);
    await owner.upload('large.bin', 'x');

    const taken = await again();
    assert.deepEqual([taken.status, taken.body.code], [409, 'name_collision']);
    assert.equal((await stateOf(owner, upload)).state, 'open');
    assert.equal((await again({ name: 'a/b' })).status, 422);
    const { status, body } = await again({ name: 'free.bin' });

    assert.deepEqual([status, body.name], [201, 'free.bin']);
    const repeated = await again({ name: 'another.bin' });
    assert.deepEqual([repeated.status, repeated.body.id], [201, body.id]);
  });

  it('the parts were put together, but not noted, goes on', async () => {
    const { owner, server } = await cast();
    const { upload, again, bytes } = await stored(owner, 1);
    const { db, storage } = server.services;
    const [row] = await db<{ key: string }[]>`
      select key from objects where tenant_id = ${owner.user.tenant_id}
    `;
    const parts = { key: row?.key ?? '', storage_upload_id: upload.storage_upload_id };
    await storage.completeParts(parts, (await storage.storedParts(parts)) ?? []);

    const details = await stateOf(owner, upload);
    assert.deepEqual([details.is_stored, details.parts], [true, []]);
    const { status, body } = await again();

    assert.equal(status, 201);
    assert.deepEqual(await download(owner, body.id), bytes);
  });

  it('the content of the file changed keeps the promise of If-Match', async () => {
    const { owner } = await cast();
    const { body: file } = await owner.upload('a.txt', 'first');
    const { upload, list, bytes } = await stored(owner, 0, { cog_id: file.id });
    const { upload_id, storage_upload_id } = upload;
    const body = { upload_id, storage_upload_id, file_size: bytes.length, parts_json: list };
    const ifMatch = (tag: string) =>
      owner.post('/cogs/confirm-upload', body, { headers: { 'if-match': `"${tag}"` } });

    assert.equal((await ifMatch('other')).status, 412);
    const { status, body: cog } = await ifMatch(file.checksum_sha256);

    assert.deepEqual([status, cog.version], [201, 2]);
  });
});

describe('an announcement', () => {
  it('repeated with its key is one upload', async () => {
    const { owner } = await cast();
    const fields = { name: 'x', file_size: 2 * chunk, chunk_size: chunk };
    const headers = { 'idempotency-key': 'one' };
    const [first, again] = await Promise.all([
      owner.post('/cogs/uploads/initiate', fields, { headers }),
      owner.post('/cogs/uploads/initiate', fields, { headers }),
    ]);
    assert.deepEqual(first.body, again.body);
    assert.equal((await owner.get('/cogs/uploads')).body.length, 1);
  });
});

describe('bytes that are put again', () => {
  it('after a refused confirmation never become a file with the checksum of others', async () => {
    const { owner } = await cast();
    const bytes = bytesFor(0, 700);
    const upload = await initiated(owner, bytes, { name: 'taken' });
    await folder(owner, 'taken');
    const list = await sent(upload, bytes);
    const refused = await confirm(owner, upload, bytes.length, list);
    assert.equal(refused.body.code, 'name_collision');
    const path = `/cogs/uploads/${upload.upload_id}/parts`;
    const { body: fresh } = await owner.post(path, { part_numbers: [1] });
    const other = bytesFor(0, 700);
    const { status, etag } = await putPart(fresh.parts[0].url, other);

    const parts = status === 200 ? [{ part_number: 1, etag }] : list;
    const { body } = await confirm(owner, upload, bytes.length, parts, { name: 'free' });

    const stored = await download(owner, body.id);
    assert.deepEqual(stored, status === 200 ? other : bytes);
    assert.equal(body.checksum_sha256, sha256(stored));
  });
});
