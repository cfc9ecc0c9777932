import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import type { TestServer } from '../../../../test/server.ts';
import { until } from '../../../../test/until.ts';
import { changeTenantSettings } from '../../users/users.ts';

const folder = async (by: Client, name: string) =>
  (await by.post('/cogs/', { name, cog_type: 'asset_folder' })).body;

type Part = { disposition: string; type?: string; body: string };

/** A form exactly as written, which FormData would not allow. */
async function send(by: Client, parts: Part[], headers: Record<string, string> = {}) {
  const body = parts
    .map(({ disposition, type, body: text }) => {
      const contentType = type === undefined ? '' : `\r\nContent-Type: ${type}`;
      return `--B\r\nContent-Disposition: form-data; ${disposition}${contentType}\r\n\r\n${text}\r\n`;
    })
    .join('');
  const response = await by.fetch('/cogs/upload-file', {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=B', ...headers },
    body: `${body}--B--\r\n`,
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const file = (name: string, body = 'x', type?: string): Part => ({
  disposition: `name="file"; filename="${name}"`,
  body,
  ...(type === undefined ? {} : { type }),
});
const parent = (id: number | string): Part => ({
  disposition: 'name="parent_id"',
  body: String(id),
});

/** Only live objects: a refused upload leaves no bytes behind. */
async function assertNothingPending({ services }: TestServer, by: Client) {
  const rows = await services.db<{ state: string }[]>`
    select state from objects where tenant_id = ${by.user.tenant_id} and state = 'pending'
  `;
  assert.equal(rows.length, 0);
}

describe('POST /cogs/upload-file', () => {
  it('answers 201 with the file and what it found out about the bytes', async () => {
    const { owner } = await cast();
    const docs = await folder(owner, 'Docs');
    const bytes = new Uint8Array(3_000_001).map((_, index) => index % 251);

    const { status, body } = await owner.upload('data.bin', bytes, docs.id);

    assert.equal(status, 201);
    assert.equal(body.parent_id, docs.id);
    assert.equal(body.size_bytes, bytes.length);
    assert.equal(body.checksum_sha256, createHash('sha256').update(bytes).digest('hex'));
    assert.equal(body.version, 1);
    const back = await owner.fetch(`/cogs/${body.id}/download`);
    assert.deepEqual(new Uint8Array(await back.arrayBuffer()), bytes);
  });

  it('takes an empty file, the fields in any order, and the root when none is given', async () => {
    const { owner } = await cast();
    const docs = await folder(owner, 'Docs');

    const empty = await send(owner, [file('empty', '')]);
    const after = await send(owner, [file('after'), parent(docs.id)]);

    assert.deepEqual([empty.status, empty.body.size_bytes], [201, 0]);
    assert.equal(empty.body.parent_id, docs.parent_id);
    assert.deepEqual([after.status, after.body.parent_id], [201, docs.id]);
  });

  it('reads the name as browsers and programs write it', async () => {
    const { owner } = await cast();
    const dispositions = [
      ['filename="häß.txt"', 'häß.txt'],
      ["filename*=UTF-8''na%C3%AFve%20%E2%82%AC.txt", 'naïve €.txt'],
      ['filename="a%22b.txt"', 'a"b.txt'],
      ['filename="a\\"c.txt"', 'a"c.txt'],
      ['filename="..%2f..%2fx"', '..%2f..%2fx'],
      ['filename="C:\\fake\\x.txt"', 'C:\\fake\\x.txt'],
      ['filename="cafe\u0301"', 'caf\u00e9'],
    ] as const;
    for (const [disposition, name] of dispositions) {
      const { status, body } = await send(owner, [
        { disposition: `name="file"; ${disposition}`, type: 'text/x-test', body: 'x' },
      ]);
      assert.equal(status, 201, JSON.stringify(body));
      assert.equal(body.name, name);
    }
  });

  it('refuses names that are paths or no names, and forms that are not one file', async () => {
    const { owner, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const forms: [Part[], string][] = [
      [[file('../../etc/passwd')], 'file'],
      [[file('a/b')], 'file'],
      [[file('..')], 'file'],
      [[file('')], 'file'],
      [[file('a%0Ab')], 'file'],
      [[file('é'.repeat(128))], 'file'],
      [[parent(docs.id)], 'file'],
      [[file('a'), file('b')], 'file'],
      [[{ disposition: 'name="file"', body: 'text' }], 'file'],
      [[{ disposition: 'name="other"; filename="a"', body: 'x' }], 'other'],
      [[{ disposition: 'name="owner_id"', body: '1' }, file('a')], 'owner_id'],
      [[file('a'), { disposition: 'name="owner_id"', body: '1' }], 'owner_id'],
      [[parent(docs.id), parent(docs.id), file('a')], 'parent_id'],
      [[parent('1e3'), file('a')], 'parent_id'],
      [[parent(''), file('a')], 'parent_id'],
      [[file('a'), parent('9'.repeat(30))], 'parent_id'],
    ];
    for (const [parts, field] of forms) {
      const { status, body } = await send(owner, parts);
      assert.equal(status, 422, JSON.stringify(parts));
      assert.equal(body.detail[0].loc.join('.'), `body.${field}`);
    }
    assert.deepEqual((await owner.get('/cogs/?cog_type=file')).body, []);
    await assertNothingPending(server, owner);
  });

  it('refuses what is no form at all, or ends in the middle', async () => {
    const { owner, server } = await cast();
    const post = (type: string, body: string) =>
      owner.fetch('/cogs/upload-file', { method: 'POST', headers: { 'content-type': type }, body });

    assert.equal((await post('application/json', '{}')).status, 415);
    assert.equal((await post('text/plain', 'x')).status, 415);
    assert.equal((await post('multipart/form-data', 'x')).status, 400);
    assert.equal((await post('multipart/form-data; boundary=B', 'x')).status, 400);
    const half = '--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf';
    assert.equal((await post('multipart/form-data; boundary=B', half)).status, 400);
    assert.equal((await post('multipart/form-data; boundary=B', '--B--\r\n')).status, 422);
    const many = Array.from({ length: 2000 }, () => parent(1));
    assert.ok([413, 422].includes((await send(owner, many)).status));
    const files = Array.from({ length: 10_000 }, (_, at) => file(`${at}`));
    assert.equal((await send(owner, files)).status, 422);
    await assertNothingPending(server, owner);
  });

  it('takes nothing from a header of a megabyte', async () => {
    const { owner } = await cast();
    const long = 'x'.repeat(1024 ** 2);
    for (const [name, part] of [
      ['a', { disposition: `name="file"; filename="a"; x="${long}"`, body: 'x' }],
      ['b', file('b', 'x', `text/${long}`)],
    ] as const) {
      const { status, body } = await send(owner, [part]);
      assert.deepEqual([status, body.name, body.size_bytes], [201, name, 1]);
      assert.ok(body.mime_type.length < 30, body.mime_type.slice(0, 100));
    }
  });

  it('needs the right to add to the folder, whichever order the form has', async () => {
    const { owner, viewer, stranger, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const inFile = (await owner.upload('f', 'x', docs.id)).body;
    const cases: [Client, number, number][] = [
      [viewer, docs.id, 403],
      [stranger, docs.id, 404],
      [owner, 999_999_999, 404],
      [owner, inFile.id, 400],
    ];
    for (const [by, id, expected] of cases) {
      assert.equal((await send(by, [parent(id), file('a')])).status, expected);
      assert.equal((await send(by, [file('a'), parent(id)])).status, expected);
      await assertNothingPending(server, by);
    }
  });

  it('lets exactly one of many uploads have a name', async () => {
    const { owner, server } = await cast();
    const docs = await folder(owner, 'Docs');

    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => owner.upload('same', `bytes ${index}`, docs.id)),
    );

    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    assert.equal(answers.filter(({ body }) => body.code === 'name_collision').length, 11);
    await assertNothingPending(server, owner);
  });

  it('refuses a name that exists before the bytes are sent', async () => {
    const { owner, server } = await cast();
    const docs = await folder(owner, 'Docs');
    await owner.upload('taken', 'x', docs.id);

    const { answer, socket } = await startUpload(server, owner, docs.id, 'taken');

    assert.match(await answer, /^HTTP\/1\.1 409 [\s\S]*name_collision/);
    socket.destroy();
  });

  it('leaves nothing when the client goes away in the middle', async () => {
    const { owner, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const { db, config } = server.services;
    const states = () => db<{ state: string; key: string }[]>`
      select state, key from objects where tenant_id = ${owner.user.tenant_id}
    `;

    const uploads = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => startUpload(server, owner, docs.id, name)),
    );
    for (const [index, { socket }] of uploads.entries()) {
      await written(socket, Buffer.alloc(2_500_000));
      await until('parts are written', async () => (await states()).length >= 4);
      if (index % 2 === 0) socket.resetAndDestroy();
      else socket.end();
    }

    // After a client has gone, the server's work is visible only in its data.
    const isRemoved = async () => (await states()).every(({ state }) => state === 'dead');
    await until('they are removed', isRemoved);
    assert.deepEqual((await owner.get(`/cogs/?parent_id=${docs.id}`)).body, []);
    if (!config.s3) assert.deepEqual(await readdir(join(config.storage_dir, 'partial')), []);
    assert.equal((await owner.upload('a', 'again', docs.id)).status, 201);
  });

  it('refuses a length that no number holds, without harm to others', async () => {
    const { owner, editor, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const { tenant_id } = owner.user;
    await changeTenantSettings(server.services.db, tenant_id, { storage_limit_bytes: 1000 });
    const endless = ['10000000000000000000', '18446744073709551615'].map((length) =>
      startUpload(server, owner, docs.id, `endless ${length}`, length),
    );
    const others = ['a', 'b', 'c'].map((name) => editor.upload(name, 'x'));

    for (const { answer, socket } of await Promise.all(endless)) {
      assert.match(await answer, /^HTTP\/1.1 403 [\s\S]*quota_exceeded/);
      socket.destroy();
    }
    for (const { status } of await Promise.all(others)) assert.equal(status, 201);
  });

  it('answers a repeated Idempotency-Key with the first file, and drops the second bytes', async () => {
    const { owner, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const key = { 'idempotency-key': 'up-1' };

    const first = await send(owner, [parent(docs.id), file('once')], key);
    const again = await send(owner, [parent(docs.id), file('once')], key);
    const other = await send(owner, [parent(docs.id), file('once', 'other bytes')], key);

    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.equal(again.body.id, first.body.id);
    assert.equal(other.body.code, 'idempotency_mismatch');
    await assertNothingPending(server, owner);
  });

  it('takes the type from the client, or else from the name', async () => {
    const { owner } = await cast();
    const cases: [Part, string][] = [
      [file('a.png', 'x', 'image/png'), 'image/png'],
      [file('b.png', 'x', 'application/octet-stream'), 'image/png'],
      [file('c.csv'), 'text/csv'],
      [file('d', 'x', 'text/plain'), 'text/plain'],
      [file('e', 'x', 'application/octet-stream'), 'application/octet-stream'],
      [file('f.pdf', 'x', 'text/html, image/png'), 'application/pdf'],
      [file('g', 'x', 'TEXT/HTML;charset=utf-7'), 'text/html'],
    ];
    for (const [part, expected] of cases) {
      assert.equal((await send(owner, [part])).body.mime_type, expected, part.disposition);
    }
  });

  it('can be refused with the connection kept for the next request', async () => {
    const { owner, server } = await cast();
    const docs = await folder(owner, 'Docs');
    await owner.upload('taken', 'x', docs.id);
    const big = 'y'.repeat(3_000_000);

    for (let round = 0; round < 3; round++) {
      assert.equal((await send(owner, [parent(docs.id), file('taken', big)])).status, 409);
    }
    assert.ok(server.url);
  });
});

/** Sends only the head, the fields and the start of the file. */
async function startUpload(
  server: TestServer,
  by: Client,
  parentId: number,
  name: string,
  length = '900000000',
) {
  const url = new URL(server.url);
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  const answer = new Promise<string>((resolve) =>
    socket.once('data', (data) => resolve(data.toString())),
  );
  await written(
    socket,
    `POST /cogs/upload-file HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${by.token}\r\n` +
      'Content-Type: multipart/form-data; boundary=B\r\n' +
      `Content-Length: ${length}\r\n\r\n` +
      `--B\r\nContent-Disposition: form-data; name="parent_id"\r\n\r\n${parentId}\r\n` +
      `--B\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nstart`,
  );
  return { socket, answer };
}

const written = (socket: Socket, bytes: string | Buffer) =>
  new Promise<void>((resolve) => socket.write(bytes, () => resolve()));

describe('a declared checksum', () => {
  const right = createHash('sha256').update('bytes').digest('hex');
  const declare = (text: string): Part => ({
    disposition: 'name="checksum_sha256"',
    body: text,
  });

  it('is compared with the bytes, whether it comes before or after them', async () => {
    const { owner, server } = await cast();
    for (const [text, status, code] of [
      ['0'.repeat(64), 409, 'checksum_mismatch'],
      ['abc', 422, undefined],
      [right.toUpperCase(), 201, undefined],
    ] as const) {
      for (const parts of [
        [declare(text), file(`before ${status}`, 'bytes')],
        [file(`after ${status}`, 'bytes'), declare(text)],
      ]) {
        const { status: answered, body } = await send(owner, parts);
        assert.deepEqual([answered, body.code], [status, code], JSON.stringify(body));
      }
    }
    assert.equal((await owner.get('/cogs/')).body.length, 2);
    await assertNothingPending(server, owner);
  });

  it('is compared for a new version too', async () => {
    const { owner, server } = await cast();
    const { body: cog } = await owner.upload('a', 'first');
    for (const [checksum, status] of [
      ['0'.repeat(64), 409],
      [right, 201],
    ] as const) {
      const form = new FormData();
      form.set('checksum_sha256', checksum);
      form.set('file', new File(['bytes'], 'a'));
      const path = `/cogs/${cog.id}/content`;
      assert.equal((await owner.fetch(path, { method: 'POST', body: form })).status, status);
    }
    assert.equal((await owner.get(`/cogs/${cog.id}`)).body.version, 2);
    await assertNothingPending(server, owner);
  });
});
