import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { statementsOf } from '../../../../test/statements.ts';
import {
  bytesFor,
  chunk,
  confirmation,
  download,
  putPart,
  sent,
  sha256,
  type Upload,
} from '../../../../test/uploads.ts';

const folder = async (by: Client, name: string, parent_id?: number) =>
  (await by.post('/cogs/', { name, cog_type: 'asset_folder', ...(parent_id && { parent_id }) }))
    .body;

const announce = (by: Client, files: object[], parent_id?: number) =>
  by.post('/cogs/uploads/batch', { files, ...(parent_id === undefined ? {} : { parent_id }) });

/** Announces files of these texts, sends and confirms them. */
async function uploadAll(by: Client, texts: Record<string, string>, parent_id?: number) {
  const bytes = Object.values(texts).map((text) => new TextEncoder().encode(text));
  const files = Object.keys(texts).map((path, at) => ({ path, file_size: bytes[at]?.length }));
  const { status, body } = await announce(by, files, parent_id);
  assert.equal(status, 201, JSON.stringify(body));
  const uploads = await Promise.all(
    body.uploads.map(async ({ upload }: Upload, at: number) =>
      confirmation(upload, bytes[at]?.length ?? 0, await sent(upload, bytes[at] as never)),
    ),
  );
  return by.post('/cogs/confirm-uploads', { uploads });
}

/** The paths of everything below a folder, for one who sees it all. */
async function below(by: Client, id: number, path = ''): Promise<string[]> {
  const { body } = await by.get(`/cogs/?parent_id=${id}&limit=1000`);
  const paths: string[] = [];
  for (const cog of body) {
    paths.push(path + cog.name);
    if (cog.cog_type !== 'file') paths.push(...(await below(by, cog.id, `${path}${cog.name}/`)));
  }
  return paths.sort();
}

const codesOf = (results: Upload[]) =>
  results.map(
    ({ error }) => error && [error.status, error.code ?? error.detail[0]?.loc?.join('.')],
  );

describe('many files at once', () => {
  it('are announced with the folders of their paths, and confirmed with a result each', async () => {
    const { owner } = await cast();
    const docs = await folder(owner, 'Docs');
    const old = await folder(owner, 'old', docs.id);
    const texts = { 'a.txt': 'A', 'old/b.txt': 'B', 'new/c.txt': '', 'new/deep/er/d.txt': 'D' };

    const { status, body } = await uploadAll(owner, texts, docs.id);

    assert.equal(status, 200);
    assert.deepEqual(codesOf(body.results), [undefined, undefined, undefined, undefined]);
    for (const [at, text] of Object.values(texts).entries()) {
      const { cog, upload_id } = body.results[at];
      assert.ok(upload_id > 0);
      assert.equal(new TextDecoder().decode(await download(owner, cog.id)), text);
      assert.deepEqual(cog.access.level, 'owner');
    }
    assert.equal(body.results[1].cog.parent_id, old.id);
    assert.deepEqual(await below(owner, docs.id), [
      ...['a.txt', 'new', 'new/c.txt', 'new/deep', 'new/deep/er', 'new/deep/er/d.txt'],
      ...['old', 'old/b.txt'],
    ]);
  });

  it('are 500 in one request, in few statements', async () => {
    const { owner, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const files = Array.from({ length: 500 }, (_, at) => ({
      path: `set ${at % 10}/part ${at % 50}/file ${at}`,
      file_size: 1,
    }));
    let uploads: Upload[] = [];

    const announced = await statementsOf(server, async () => {
      const { status, body } = await announce(owner, files, docs.id);
      assert.equal(status, 201);
      uploads = body.uploads;
    });

    assert.ok(announced.statements <= 15, announced.texts.join('\n'));
    assert.equal(new Set(uploads.map(({ upload }) => upload.upload_id)).size, 500);
    const confirmations: object[] = [];
    for (const { upload } of uploads) {
      confirmations.push(confirmation(upload, 1, await sent(upload, new Uint8Array(1))));
    }
    const confirmed = await statementsOf(server, async () => {
      const { body } = await owner.post('/cogs/confirm-uploads', { uploads: confirmations });
      assert.ok(body.results.every(({ cog }: Upload) => cog.size_bytes === 1));
    });
    assert.ok(confirmed.statements <= 120, confirmed.texts.join('\n'));
    assert.equal((await below(owner, docs.id)).length, 500 + 10 + 50);

    const many = await announce(owner, [...files, { path: 'one more', file_size: 1 }]);
    assert.equal(many.status, 422);
  });

  it('are divided into parts of the size that is asked for', async () => {
    const { owner } = await cast();
    const files = [
      { path: 'small', file_size: 5 },
      { path: 'large', file_size: 2 * chunk + 1 },
    ];

    const { body } = await owner.post('/cogs/uploads/batch', { chunk_size: chunk, files });

    const sizes = body.uploads.map(({ upload }: Upload) =>
      upload.parts.map(({ size_bytes }: Upload) => size_bytes),
    );
    assert.deepEqual(sizes, [[5], [chunk, chunk, 1]]);
    const less = await owner.post('/cogs/uploads/batch', { chunk_size: chunk - 1, files });
    assert.equal(less.status, 422);
  });

  it('are aborted together, but only those of the caller that have not ended', async () => {
    const { owner, editor, server } = await cast();
    const { body: done } = await uploadAll(owner, { 'done.txt': 'done' });
    const files = ['a', 'b', 'c'].map((path) => ({ path, file_size: chunk + 1 }));
    const { body: begun } = await owner.post('/cogs/uploads/batch', {
      ...{ chunk_size: chunk, files },
    });
    const [first, ...others] = begun.uploads.map(({ upload }: Upload) => upload);
    await putPart(first.parts[1].url, new Uint8Array(1));
    const upload_ids = [first, others[0]].map(({ upload_id }) => upload_id);
    const all = [...upload_ids, done.results[0].upload_id, 987_654_321];
    const abort = (by: Client) => by.post('/cogs/uploads/abort', { upload_ids: all });

    assert.equal((await abort(editor)).status, 204);
    assert.equal((await owner.get('/cogs/uploads')).body.length, 3);
    const aborted = await statementsOf(server, async () => {
      assert.equal((await abort(owner)).status, 204);
      assert.equal((await abort(owner)).status, 204);
    });

    assert.ok(aborted.statements <= 12, aborted.texts.join('\n'));
    const open = (await owner.get('/cogs/uploads')).body;
    assert.deepEqual(
      open.map(({ name }: Upload) => name),
      ['c'],
    );
    const { status } = await putPart(first.parts[0].url, new Uint8Array(chunk));
    assert.equal(status, 404);
    assert.equal((await owner.get(`/cogs/${done.results[0].cog.id}`)).status, 200);
  });

  it('do not affect each other: each has an error of its own', async () => {
    const { owner, viewer } = await cast();
    const docs = await folder(owner, 'Docs');
    await owner.upload('taken', 'x', docs.id);
    const closed = await folder(viewer, 'Closed');
    assert.equal(closed.owner_id, viewer.user.id);
    const file_size = 1;

    const { status, body } = await announce(owner, [
      { path: 'Docs/taken', file_size },
      { path: 'Docs/taken/x', file_size },
      { path: 'Docs/good', file_size },
      { path: 'Docs/good', file_size },
      { path: 'Docs//x', file_size },
      { path: '../x', file_size },
      { path: '/x', file_size },
      { path: 'Closed/x', file_size },
      { path: 'Closed/new/x', file_size },
      { path: 'Workflow outputs/x', file_size },
      { path: `${'d/'.repeat(101)}x`, file_size },
      { path: 'New/good', file_size },
    ]);

    assert.equal(status, 201);
    assert.deepEqual(codesOf(body.uploads), [
      [409, 'name_collision'],
      [409, 'name_collision'],
      undefined,
      [409, 'name_collision'],
      [422, 'body.files.4.path'],
      [422, 'body.files.5.path'],
      [422, 'body.files.6.path'],
      [403, undefined],
      [403, undefined],
      [409, 'name_reserved'],
      [409, 'depth_limit'],
      undefined,
    ]);
    assert.equal(body.uploads[2].path, 'Docs/good');
    const { body: uploads } = await owner.get('/cogs/uploads');
    assert.equal(uploads.length, 2);
  });

  it('need the right to add to the folder, and stay inside what is granted', async () => {
    const { owner, editor, viewer, stranger } = await cast();
    const docs = await folder(owner, 'Docs');
    const own = await folder(owner, 'Own', docs.id);
    const share = (id: number, user_id: number, level: string) =>
      owner.post(`/permissions/cogs/${id}`, {
        ...{ target_type: 'cog', target_id: id, user_id, level },
      });
    await share(docs.id, editor.user.id, 'editor');
    await share(own.id, editor.user.id, 'viewer');
    await share(docs.id, viewer.user.id, 'viewer');
    await share(own.id, viewer.user.id, 'editor');
    const files = [
      { path: 'New/x', file_size: 1 },
      { path: 'Own/x', file_size: 1 },
    ];

    assert.equal((await announce(stranger, files, docs.id)).status, 404);
    assert.equal((await announce(viewer, files, docs.id)).status, 403);
    const { body } = await announce(editor, files, docs.id);

    assert.deepEqual(codesOf(body.uploads), [undefined, [403, undefined]]);
    const { body: made } = await editor.get(`/cogs/?parent_id=${docs.id}&name=New`);
    assert.equal(made[0].access.level, 'owner');
    const inner = await announce(viewer, [{ path: 'x', file_size: 1 }], own.id);
    assert.deepEqual(codesOf(inner.body.uploads), [undefined]);
  });

  it('may be large ones among them, in parts', async () => {
    const { owner } = await cast();
    const size = 64 * 1024 ** 2 + 1;
    const { body } = await announce(owner, [
      { path: 'small', file_size: 3 },
      { path: 'large', file_size: size },
    ]);
    const [small, large] = body.uploads;
    assert.equal(small.upload.parts.length, 1);
    assert.deepEqual(
      large.upload.parts.map(({ size_bytes }: Upload) => size_bytes),
      [size - 1, 1],
    );
    assert.equal((await owner.get(`/cogs/uploads/${large.upload.upload_id}`)).body.state, 'open');
  });

  it('are confirmed each for itself', async () => {
    const { owner, admin } = await cast();
    const bytes = bytesFor(0, 5);
    const wrong = 'c'.repeat(64);
    const { body } = await announce(owner, [
      { path: 'good', file_size: 5, checksum_sha256: sha256(bytes) },
      { path: 'unsent', file_size: 5 },
      { path: 'wrong', file_size: 5, checksum_sha256: wrong },
      { path: 'late', file_size: 5 },
    ]);
    const [good, unsent, bad, late] = body.uploads.map(({ upload }: Upload) => upload);
    const lists = { good: await sent(good, bytes), bad: await sent(bad, bytes) };
    const lateParts = await sent(late, bytes);
    await owner.upload('late', 'x');
    const uploads = [
      confirmation(good, 5, lists.good),
      confirmation(unsent, 5, [{ part_number: 1, etag: 'x' }]),
      confirmation(bad, 5, lists.bad),
      confirmation(late, 5, lateParts),
      confirmation({ ...good, upload_id: 999_999_999 }, 5, lists.good),
      { ...confirmation(good, 5, '{'), name: 'a/b' },
      confirmation(good, 5, lists.good),
    ];

    const { status, body: confirmed } = await owner.post('/cogs/confirm-uploads', { uploads });

    assert.equal(status, 200);
    assert.deepEqual(codesOf(confirmed.results), [
      undefined,
      [409, 'parts_mismatch'],
      [409, 'checksum_mismatch'],
      [409, 'name_collision'],
      [404, undefined],
      [422, 'body.uploads.5.parts_json'],
      undefined,
    ]);
    const [first, last] = [confirmed.results[0], confirmed.results[6]];
    assert.equal(first.cog.id, last.cog.id);
    const others = await admin.post('/cogs/confirm-uploads', { uploads: uploads.slice(0, 1) });
    assert.deepEqual(codesOf(others.body.results), [[404, undefined]]);
    const again = uploads.slice(3, 4).map((one) => ({ ...one, name: 'later' }));
    const { body: then } = await owner.post('/cogs/confirm-uploads', { uploads: again });
    assert.equal(then.results[0].cog.name, 'later');
  });

  it('are announced once under one key', async () => {
    const { owner } = await cast();
    const files = [
      { path: 'New/x', file_size: 1 },
      { path: 'a/../b', file_size: chunk },
    ];
    const headers = { 'idempotency-key': 'batch' };
    const first = await owner.post('/cogs/uploads/batch', { files }, { headers });
    const again = await owner.post('/cogs/uploads/batch', { files }, { headers });
    assert.deepEqual(again.body, first.body);
    assert.equal((await owner.get('/cogs/uploads')).body.length, 1);
  });

  it('by several users into the same new folders make each folder once', async () => {
    const { admin, owner } = await cast();
    const docs = await folder(admin, 'Docs');
    await admin.post(`/permissions/cogs/${docs.id}`, {
      ...{ target_type: 'cog', target_id: docs.id, user_id: owner.user.id, level: 'owner' },
    });
    const paths = Array.from({ length: 40 }, (_, at) => `f${at % 4}/g${at % 8}/x${at}`);

    const answers = await Promise.all(
      [admin, owner, admin, owner].map((by, turn) => {
        const files = paths.map((path) => ({ path: `${path}-${turn}`, file_size: 1 }));
        return announce(by, turn % 2 === 0 ? files : files.toReversed(), docs.id);
      }),
    );

    for (const { body } of answers)
      assert.ok(codesOf(body.uploads).every((one) => one === undefined));
    assert.equal((await below(admin, docs.id)).length, 4 + 8);
  });
});

describe('folders of a batch', () => {
  it('are not made where one of a path would be too deep', async () => {
    const { owner } = await cast();
    const top = await folder(owner, 'Top');
    const files = [99, 100].map((levels) => ({
      path: `${levels}/${'a/'.repeat(levels - 1)}x`,
      file_size: 1,
    }));

    const { body } = await announce(owner, files, top.id);

    assert.deepEqual(codesOf(body.uploads), [undefined, [409, 'depth_limit']]);
    const { body: made } = await owner.get(`/cogs/?parent_id=${top.id}`);
    assert.deepEqual(
      made.map(({ name }: Upload) => name),
      ['99'],
    );
  });

  it('are five thousand at most in one request, and files in others are refused', async () => {
    const { owner } = await cast();
    const top = await folder(owner, 'Top');
    const files = Array.from({ length: 102 }, (_, n) => ({
      path: `${n}/${'a/'.repeat(49)}x`,
      file_size: 1,
    }));

    const { body } = await announce(owner, files, top.id);

    const refused = codesOf(body.uploads).flatMap((code, at) => (code ? [[at, code]] : []));
    assert.deepEqual(refused, [
      [100, [409, 'too_many_folders']],
      [101, [409, 'too_many_folders']],
    ]);
    const { headers } = await owner.get(`/cogs/?parent_id=${top.id}&limit=1&with_total=true`);
    assert.equal(headers.get('x-total-count'), '100');
  });

  it('count for the limit of depth of what is moved later', async () => {
    const { owner } = await cast();
    const top = await folder(owner, 'Top');
    await announce(owner, [{ path: `${'a/'.repeat(60)}x`, file_size: 1 }], top.id);
    await announce(owner, [{ path: `Other/${'b/'.repeat(60)}x`, file_size: 1 }]);
    const { body: other } = await owner.get('/cogs/?name=Other');
    let id = other[0].id;
    for (let depth = 0; depth < 45; depth += 1) {
      id = (await owner.get(`/cogs/?parent_id=${id}`)).body[0].id;
    }
    const { status, body } = await owner.patch(`/cogs/${top.id}`, { parent_id: id });
    assert.deepEqual([status, body.code], [409, 'depth_limit']);
  });
});
