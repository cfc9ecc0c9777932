import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../../test/cast.ts';
import { isInBucket } from '../../../../test/storage.ts';
import {
  bytesFor,
  chunk,
  confirm,
  confirmation,
  download,
  initiated,
  putPart,
  sent,
  sha256,
  uploaded,
} from '../../../../test/uploads.ts';

describe('a confirmation', () => {
  it('takes its fields as a form too, and the spelling of S3', async () => {
    const { owner } = await cast();
    const bytes = bytesFor(1, 4);
    const forms: ((fields: Record<string, string>) => URLSearchParams | FormData)[] = [
      (fields) => new URLSearchParams(fields),
      (fields) => {
        const form = new FormData();
        for (const [name, value] of Object.entries(fields)) form.set(name, value);
        return form;
      },
    ];
    for (const [at, form] of forms.entries()) {
      const upload = await initiated(owner, bytes, { name: `form ${at}` });
      const parts = (await sent(upload, bytes))
        .toReversed()
        .map(({ part_number, etag }) => ({ PartNumber: part_number, ETag: etag }));
      const fields = confirmation(upload, bytes.length, JSON.stringify(parts));
      const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);

      const answer = await owner.fetch('/cogs/confirm-upload', {
        method: 'POST',
        body: form(Object.fromEntries(texts)),
      });

      const body = (await answer.json()) as { checksum_sha256: string };
      assert.equal(answer.status, 201, JSON.stringify(body));
      assert.equal(body.checksum_sha256, sha256(bytes));
    }
  });

  it('refuses forms that are none, hold a file, or too much', async () => {
    const { owner } = await cast();
    const file = new FormData();
    file.set('upload_id', new File(['1'], 'x'));
    const twice = new URLSearchParams('upload_id=1&upload_id=2');
    const post = (
      body: URLSearchParams | FormData | string,
      headers: Record<string, string> = {},
    ) => owner.fetch('/cogs/confirm-upload', { method: 'POST', body, headers });
    const type = { 'content-type': 'multipart/form-data; boundary=b' };
    const many = '--b\r\ncontent-disposition: form-data; name="x"\r\n\r\n\r\n'.repeat(60_000);

    assert.equal((await post(file)).status, 422);
    assert.equal((await post(twice)).status, 422);
    assert.equal((await post(new URLSearchParams('x=1'))).status, 422);
    assert.equal((await post('nothing', type)).status, 400);
    assert.equal((await post(`${many}--b--\r\n`, type)).status, 400);
    assert.equal(
      (await post('a=1&'.repeat(100), { 'content-type': 'application/x-www-form-urlencoded' }))
        .status,
      400,
    );
  });

  it('refuses lists that are none', async () => {
    const { owner } = await cast();
    const upload = await initiated(owner, bytesFor(0, 3));
    const etag = '"x"';
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const lists: unknown[] = [
      ...['', 'x', '{}', 'null', '5', '[1]', '[[]]', deep, '[null]', {}, 5],
      ...[0, -1, 1e9, 10_001, 1.5, '1', null].map((part_number) => [{ part_number, etag }]),
      ...[1, null, {}, 'x'.repeat(300)].map((one) => [{ part_number: 1, etag: one }]),
      [{ part_number: 1 }],
      [{ part_number: 1, etag, PartNumber: 1 }],
      [{ part_number: 1, etag, size: 1 }],
      [
        { part_number: 1, etag },
        { part_number: 1, etag },
      ],
      '[{"part_number": 1, "etag": "x", "__proto__": {"a": 1}}]',
      '[{"part_number": 1, "__proto__": "x"}]',
      Array.from({ length: 10_001 }, (_, at) => ({ part_number: at + 1, etag })),
    ];
    for (const list of lists) {
      const { status, body } = await confirm(owner, upload, 3, list);
      assert.equal(status, 422, JSON.stringify(list).slice(0, 100) + JSON.stringify(body));
    }
    const large = `[${' '.repeat(5 * 1024 ** 2)}]`;
    assert.equal((await confirm(owner, upload, 3, large)).status, 413);
    assert.equal((await owner.get(`/cogs/uploads/${upload.upload_id}`)).body.state, 'open');
  });

  it('of other parts than are stored is refused, and can be repeated', async () => {
    const { owner } = await cast();
    const bytes = bytesFor(2, 3);
    const upload = await initiated(owner, bytes);
    const [one, two, three] = upload.parts;
    const first = await putPart(one.url, bytes.subarray(0, chunk));
    const etag = (await putPart(three.url, new Uint8Array(3))).etag;
    const listed = [
      { part_number: 1, etag: first.etag },
      { part_number: 3, etag },
    ];
    const refused = async (parts: unknown, told: RegExp, size = bytes.length) => {
      const { status, body } = await confirm(owner, upload, size, parts);
      assert.deepEqual([status, body.code], [409, 'parts_mismatch']);
      assert.match(body.detail, told);
    };

    await refused(listed, /Part 2 is not stored/);
    const second = await putPart(two.url, bytes.subarray(chunk, 2 * chunk));
    await refused(listed, /Part 2 is stored, but not listed/);
    const all = [...listed, { part_number: 2, etag: second.etag }];
    await refused([...all, { part_number: 4, etag }], /There is no part 4/);
    await refused(
      all.map((part) => ({ ...part, etag: 'other' })),
      /Part 1 has another ETag/,
    );
    await refused(all, /announced with/, bytes.length - 1);
    const replaced = await putPart(three.url, bytes.subarray(2 * chunk));
    await refused(all, /Part 3 has another ETag/);

    const right = all.map((part) =>
      part.part_number === 3 ? { part_number: 3, etag: replaced.etag } : part,
    );
    const { status, body } = await confirm(owner, upload, bytes.length, right);
    assert.equal(status, 201);
    assert.deepEqual(await download(owner, body.id), bytes);
  });

  it('of one part that was replaced takes the last one', async () => {
    const { owner } = await cast();
    const bytes = bytesFor(0, 6);
    const upload = await initiated(owner, bytes);
    const [{ url }] = upload.parts;
    const { etag } = await putPart(url, new Uint8Array(6));
    const parts = await sent(upload, bytes);

    const before = await confirm(owner, upload, 6, [{ part_number: 1, etag }]);
    const { status, body } = await confirm(owner, upload, 6, parts);

    assert.deepEqual([before.status, before.body.code], [409, 'parts_mismatch']);
    assert.equal(status, 201);
    assert.deepEqual(await download(owner, body.id), bytes);
    assert.equal((await putPart(url, bytes)).status, isInBucket ? 404 : 409);
  });

  it('fails for good if the declared checksum is another', async () => {
    const { owner } = await cast();
    for (const [full, checksum] of [
      [0, 'a'.repeat(64)],
      [1, 'B'.repeat(64)],
    ] as const) {
      const bytes = bytesFor(full, 2);
      const upload = await initiated(owner, bytes, { checksum_sha256: checksum });
      const parts = await sent(upload, bytes);
      for (let times = 0; times < 2; times += 1) {
        const { status, body } = await confirm(owner, upload, bytes.length, parts);
        assert.deepEqual([status, body.code], [409, 'checksum_mismatch']);
      }
      assert.equal((await owner.get(`/cogs/uploads/${upload.upload_id}`)).body.state, 'failed');
      const right = { checksum_sha256: sha256(bytes).toUpperCase(), name: `right ${full}` };
      assert.equal((await uploaded(owner, bytes, right)).status, 201);
    }
  });
});
