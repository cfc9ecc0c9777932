import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Client, cast } from '../../../../test/cast.ts';
import { isInBucket } from '../../../../test/storage.ts';
import {
  bytesFor,
  chunk,
  confirm,
  download,
  initiated,
  putPart,
  sent,
  sha256,
  type Upload,
  uploaded,
} from '../../../../test/uploads.ts';

const folder = async (by: Client, name: string) =>
  (await by.post('/cogs/', { name, cog_type: 'asset_folder' })).body;

describe('a large upload', () => {
  it('is announced, sent in parts, and confirmed to a file with all its bytes', async () => {
    const { owner } = await cast();
    const docs = await folder(owner, 'Docs');
    const bytes = bytesFor(2, 77);

    const upload = await initiated(owner, bytes, { parent_id: docs.id, name: 'a.png' });

    assert.equal(upload.chunk_size, chunk);
    const sizes = upload.parts.map(({ size_bytes }: { size_bytes: number }) => size_bytes);
    assert.deepEqual(sizes, [chunk, chunk, 77]);
    const hours = (Date.parse(upload.expires_at) - Date.now()) / 3_600_000;
    assert.ok(hours > 7 * 24 - 1 && hours <= 7 * 24);

    const parts = await sent(upload, bytes);
    const { status, body } = await confirm(owner, upload, bytes.length, parts);

    assert.equal(status, 201, JSON.stringify(body));
    const { name, parent_id, size_bytes, mime_type, checksum_sha256, version } = body;
    assert.deepEqual(
      { name, parent_id, size_bytes, mime_type, checksum_sha256, version },
      {
        ...{ name: 'a.png', parent_id: docs.id, size_bytes: bytes.length, version: 1 },
        ...{ mime_type: 'image/png', checksum_sha256: sha256(bytes) },
      },
    );
    assert.deepEqual(await download(owner, body.id), bytes);
  });

  it('gives any range of the file, also across parts', async () => {
    const { owner } = await cast();
    const bytes = bytesFor(2, 10);
    const { body } = await uploaded(owner, bytes);
    for (const [start, end] of [
      [0, 0],
      [chunk - 1, chunk],
      [chunk, 2 * chunk - 1],
      [chunk - 3, 2 * chunk + 3],
      [2 * chunk + 9, 2 * chunk + 9],
    ] as const) {
      const range = await download(owner, body.id, `bytes=${start}-${end}`);
      assert.deepEqual(range, bytes.slice(start, end + 1), `${start}-${end}`);
    }
    assert.deepEqual(await download(owner, body.id, 'bytes=-11'), bytes.slice(-11));
  });

  it('takes any small size as one part, also nothing at all, and the usual chunk', async () => {
    const { owner } = await cast();
    for (const size of [0, 1, chunk]) {
      const bytes = bytesFor(0, size);
      const fields = { name: `${size}`, file_size: size };
      const { body: upload } = await owner.post('/cogs/uploads/initiate', fields);
      assert.equal(upload.chunk_size, 64 * 1024 ** 2);
      assert.deepEqual(
        upload.parts.map(({ url: _, ...part }: { url: string }) => part),
        [{ part_number: 1, size_bytes: size }],
      );

      const { status, body } = await confirm(owner, upload, size, await sent(upload, bytes));

      assert.equal(status, 201, JSON.stringify(body));
      assert.equal(body.checksum_sha256, sha256(bytes));
      assert.deepEqual(await download(owner, body.id), bytes);
    }
  });

  it('has at most 10,000 parts, whatever the chunk asked for', async () => {
    const { owner } = await cast();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 1024 ** 4 }),
        fc.integer({ min: chunk, max: 5 * 1024 ** 3 }),
        async (file_size, chunk_size) => {
          const fields = { name: 'sized', file_size, chunk_size };
          const { status, body } = await owner.post('/cogs/uploads/initiate', fields);
          if (status === 507) return;
          assert.equal(status, 201);
          assert.ok(body.chunk_size >= chunk_size && body.parts.length <= 10_000);
          const sizes = body.parts.map((part: { size_bytes: number }) => part.size_bytes);
          assert.ok(sizes.slice(0, -1).every((size: number) => size === body.chunk_size));
          assert.equal(
            sizes.reduce((sum: number, size: number) => sum + size, 0),
            file_size,
          );
          await owner.delete(`/cogs/uploads/${body.upload_id}`);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('is refused before anything is sent: rights, name, size, chunk, room', async () => {
    const { owner, viewer, stranger, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const { body: file } = await owner.upload('taken', 'x', docs.id);
    const ask = async (by: Client, fields: object) => {
      const wanted = { name: 'n', file_size: 1, parent_id: docs.id, ...fields };
      const { status, body } = await by.post('/cogs/uploads/initiate', wanted);
      return [status, body.code ?? body.detail?.[0]?.loc?.at(-1)];
    };

    assert.deepEqual(await ask(owner, { name: 'taken' }), [409, 'name_collision']);
    assert.deepEqual(await ask(viewer, {}), [403, undefined]);
    assert.deepEqual(await ask(stranger, {}), [404, undefined]);
    assert.deepEqual(await ask(owner, { parent_id: file.id }), [400, undefined]);
    assert.deepEqual(await ask(owner, { name: 'a/b' }), [422, 'name']);
    assert.deepEqual(await ask(owner, { name: undefined }), [422, 'name']);
    assert.deepEqual(await ask(owner, { file_size: -1 }), [422, 'file_size']);
    assert.deepEqual(await ask(owner, { chunk_size: chunk - 1 }), [422, 'chunk_size']);
    assert.deepEqual(await ask(owner, { chunk_size: 5 * 1024 ** 3 + 1 }), [422, 'chunk_size']);
    assert.deepEqual(await ask(owner, { checksum_sha256: 'x' }), [422, 'checksum_sha256']);
    assert.deepEqual(await ask(owner, { cog_id: file.id }), [422, 'name']);
    // A bucket tells no limit.
    if (!isInBucket)
      assert.deepEqual(await ask(owner, { file_size: 5 * 1024 ** 4 }), [507, 'storage_full']);
    const { db } = server.services;
    assert.deepEqual(
      await db`select from uploads where tenant_id = ${owner.user.tenant_id}`,
      Object.assign([], { count: 0 }),
    );
  });

  it('shows its parts to resume, and gives fresh URLs', async () => {
    const { owner, admin } = await cast();
    const bytes = bytesFor(2, 5);
    const upload = await initiated(owner, bytes);
    const path = `/cogs/uploads/${upload.upload_id}`;
    const first = await putPart(upload.parts[1].url, bytes.subarray(chunk, 2 * chunk));

    const { body } = await owner.get(path);
    const { body: listed } = await owner.get('/cogs/uploads');

    assert.deepEqual(
      [body.state, body.is_stored, body.file_size, body.name],
      ['open', false, bytes.length, 'large.bin'],
    );
    const etag = first.etag.replaceAll('"', '');
    assert.deepEqual(body.parts, [{ part_number: 2, size_bytes: chunk, etag }]);
    assert.deepEqual(
      listed.map((one: Upload) => one.upload_id),
      [upload.upload_id],
    );
    assert.deepEqual((await admin.get('/cogs/uploads')).body, []);

    const fresh = await owner.post(`${path}/parts`, { part_numbers: [3, 1] });
    assert.equal(fresh.status, 200);
    const { parts } = fresh.body;
    assert.deepEqual(
      parts.map((part: Upload) => [part.part_number, part.size_bytes]),
      [
        [3, 5],
        [1, chunk],
      ],
    );
    const rest = await sent({ ...upload, parts }, bytes);
    const all = [...rest, { part_number: 2, etag }];
    const { status } = await confirm(owner, upload, bytes.length, all);
    assert.equal(status, 201);
    assert.deepEqual((await owner.get('/cogs/uploads')).body, []);
    assert.deepEqual((await owner.get(path)).body.state, 'done');
    assert.equal((await owner.post(`${path}/parts`, { part_numbers: [1] })).status, 409);
  });

  it('has only its own parts', async () => {
    const { owner } = await cast();
    const upload = await initiated(owner, bytesFor(1, 1));
    for (const part_numbers of [[0], [-1], [1e9], [3], [1, 1], [], ['1'], [1.5]]) {
      const path = `/cogs/uploads/${upload.upload_id}/parts`;
      const { status } = await owner.post(path, { part_numbers });
      assert.equal(status, 422, JSON.stringify(part_numbers));
    }
  });

  it('takes parts of exactly their size', async () => {
    const { owner } = await cast();
    for (const [full, rest] of [
      [1, 3],
      [0, 3],
    ] as const) {
      const bytes = bytesFor(full, rest);
      const upload = await initiated(owner, bytes, { name: `${full} and ${rest}` });
      const { url } = upload.parts.at(-1);
      // To a bucket it is another request than the signed one.
      const [few, many] = isInBucket ? [403, 403] : [400, 413];
      assert.equal((await putPart(url, bytes.slice(0, 2))).status, few);
      assert.equal((await putPart(url, new Uint8Array(4))).status, many);
      const details = await owner.get(`/cogs/uploads/${upload.upload_id}`);
      assert.deepEqual(details.body.parts, []);
      const { status } = await confirm(owner, upload, bytes.length, await sent(upload, bytes));
      assert.equal(status, 201);
    }
  });

  it('makes a new version of a file', async () => {
    const { owner, viewer } = await cast();
    const { body: file } = await owner.upload('notes.txt', 'first');
    const bytes = bytesFor(1, 1);

    const { status, body } = await uploaded(owner, bytes, { cog_id: file.id });

    assert.equal(status, 201, JSON.stringify(body));
    assert.deepEqual([body.id, body.version, body.name], [file.id, 2, 'notes.txt']);
    assert.deepEqual(await download(owner, file.id), bytes);
    const first = await owner.fetch(`/cogs/${file.id}/download?version=1`);
    assert.equal(await first.text(), 'first');
    const refused = await viewer.post('/cogs/uploads/initiate', { cog_id: file.id, file_size: 1 });
    assert.equal(refused.status, 403);
  });
});

describe('the bytes of an upload', () => {
  it('that is aborted are gone, and its URLs are worth nothing', async () => {
    const { owner, server } = await cast();
    const bytes = bytesFor(1, 2);
    const upload = await initiated(owner, bytes);
    const parts = await sent(upload, bytes);
    const path = `/cogs/uploads/${upload.upload_id}`;

    assert.equal((await owner.delete(path)).status, 204);
    assert.equal((await owner.delete(path)).status, 204);

    assert.equal((await owner.get(path)).body.state, 'aborted');
    assert.equal((await putPart(upload.parts[1].url, bytes.subarray(chunk))).status, 404);
    const { status, body } = await confirm(owner, upload, bytes.length, parts);
    assert.deepEqual([status, body.code], [409, 'upload_ended']);
    const { db } = server.services;
    const objects = await db<{ state: string }[]>`
      select state from objects where tenant_id = ${owner.user.tenant_id}
    `;
    assert.deepEqual(
      objects.map(({ state }) => state),
      ['dead'],
    );
  });

  it('are known to nobody else: not to others of the tenant, nor to strangers', async () => {
    const { owner, admin, stranger } = await cast();
    const bytes = bytesFor(0, 9);
    const upload = await initiated(owner, bytes);
    const parts = await sent(upload, bytes);
    for (const other of [admin, stranger]) {
      const path = `/cogs/uploads/${upload.upload_id}`;
      const answers = [
        await other.get(path),
        await other.delete(path),
        await other.post(`${path}/parts`, { part_numbers: [1] }),
        await confirm(other, upload, bytes.length, parts),
      ];
      for (const { status } of answers) assert.equal(status, 404);
      const own = await initiated(other, bytes);
      const mixed = { ...own, upload_id: upload.upload_id };
      assert.equal((await confirm(other, mixed, 9, parts)).status, 404);
      const stolen = { ...own, storage_upload_id: upload.storage_upload_id };
      const { status, body } = await confirm(other, stolen, 9, parts);
      assert.deepEqual([status, body.code], [409, 'parts_mismatch']);
    }
    assert.equal((await confirm(owner, upload, 9, parts)).status, 201);
  });
});
