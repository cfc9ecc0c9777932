import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { leaseStage } from '../../../../test/leases.ts';
import { costOf } from '../../../../test/statements.ts';

const download = async (by: Client, id: number, headers = {}, query = '', method = 'GET') => {
  const response = await by.fetch(`/cogs/${id}/download${query}`, { headers, method });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const body = '0123456789';

async function oneFile(name = 'ten.txt', type?: string) {
  const people = await cast();
  const file = (await people.owner.upload(name, body, undefined, type)).body;
  return { ...people, file, etag: `"${file.checksum_sha256}"` };
}

describe('GET /cogs/:id/download', () => {
  it('costs one statement', async () => {
    const { owner, admin, server, file } = await oneFile();
    for (const by of [owner, admin]) {
      const { texts } = await costOf(server, async () => {
        assert.equal((await download(by, file.id)).status, 200);
      });

      assert.equal(texts.length, 1, texts.join('\n'));
    }
  });

  it('answers the bytes, their length and a strong tag; HEAD the same without them', async () => {
    const { owner, file, etag } = await oneFile();

    const got = await download(owner, file.id);
    const head = await download(owner, file.id, {}, '', 'HEAD');

    assert.deepEqual([got.status, got.text], [200, body]);
    assert.deepEqual([head.status, head.text], [200, '']);
    for (const { headers } of [got, head]) {
      assert.equal(headers.get('content-length'), '10');
      assert.equal(headers.get('etag'), etag);
      assert.equal(headers.get('accept-ranges'), 'bytes');
      assert.equal(headers.get('content-disposition'), 'attachment; filename=ten.txt');
    }
  });

  it('answers one range with 206, or 416 with the length; ignores what it does not understand', async () => {
    const { owner, file } = await oneFile();
    const cases: [string, number, string, string | null][] = [
      ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
      ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
      ['bytes=7-', 206, '789', 'bytes 7-9/10'],
      ['bytes=-3', 206, '789', 'bytes 7-9/10'],
      ['bytes=-99', 206, body, 'bytes 0-9/10'],
      ['bytes=5-99', 206, '56789', 'bytes 5-9/10'],
      ['BYTES=1-1', 206, '1', 'bytes 1-1/10'],
      ['bytes=10-', 416, '', 'bytes */10'],
      ['bytes=-0', 416, '', 'bytes */10'],
      ['bytes=99999999999999999999-', 416, '', 'bytes */10'],
      ['bytes=4-2', 200, body, null],
      ['bytes=1-2,4-5', 200, body, null],
      ['bytes=a-b', 200, body, null],
      ['bytes=-', 200, body, null],
      ['lines=1-2', 200, body, null],
    ];
    for (const [range, status, text, contentRange] of cases) {
      const answer = await download(owner, file.id, { range });
      assert.equal(answer.status, status, range);
      assert.equal(answer.headers.get('content-range'), contentRange, range);
      if (status !== 416) assert.equal(answer.text, text, range);
    }
    const head = await download(owner, file.id, { range: 'bytes=2-4' }, '', 'HEAD');
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, '10']);
  });

  it('answers 304 to who has the same bytes', async () => {
    const { owner, file, etag } = await oneFile();
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await download(owner, file.id, { 'if-none-match': tag });
      assert.deepEqual([answer.status, answer.text, answer.headers.get('etag')], [304, '', etag]);
    }
    assert.equal((await download(owner, file.id, { 'if-none-match': '"x"' })).status, 200);
  });

  it('answers a range only of the bytes that If-Range speaks of', async () => {
    const { owner, file, etag } = await oneFile();
    const range = 'bytes=0-1';
    const status = async (ifRange: string) =>
      (await download(owner, file.id, { range, 'if-range': ifRange })).status;

    assert.equal(await status(etag), 206);
    for (const other of ['"x"', `W/${etag}`, 'Sat, 21 Nov 2026 00:00:00 GMT']) {
      assert.equal(await status(other), 200);
    }
  });

  it('answers an empty file, whole, as a range and by HEAD', async () => {
    const { owner } = await cast();
    const file = (await owner.upload('empty', '')).body;

    const got = await download(owner, file.id);

    assert.deepEqual([got.status, got.text, got.headers.get('content-length')], [200, '', '0']);
    assert.equal((await download(owner, file.id, { range: 'bytes=0-' })).status, 416);
    assert.equal(
      (await download(owner, file.id, {}, '', 'HEAD')).headers.get('content-length'),
      '0',
    );
  });

  it('never acts as a page of ours, whatever was uploaded', async () => {
    const { owner } = await cast();
    const active = [
      ['x.html', 'text/html'],
      ['x.svg', 'image/svg+xml'],
      ['x.xhtml', 'application/xhtml+xml'],
      ['x.xml', 'text/xml'],
      ['x.js', 'text/javascript'],
      ['x.png', 'text/html;charset=utf-7'],
    ] as const;
    for (const [name, type] of active) {
      const file = (await owner.upload(name, '<script>alert(1)</script>', undefined, type)).body;
      for (const query of ['', '?inline=true']) {
        const { headers } = await download(owner, file.id, {}, query);
        assert.equal(headers.get('content-type'), 'application/octet-stream', name);
        assert.match(headers.get('content-disposition') ?? '', /^attachment;/);
        assert.equal(headers.get('x-content-type-options'), 'nosniff');
        assert.match(headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/);
      }
    }
  });

  it('never acts as a page of ours, however a container writes its type', async () => {
    const { owner, worker, start, look } = await leaseStage();
    const out = { name: 'out', glob: '*', cardinality: 'one', media_type: 'Text/HTML' };
    const run = await start(1, { outputs: [out] });
    const [order] = await worker.acquire();
    await worker.succeed(order, [{ port: 'out', name: 'page', text: '<script>1</script>' }]);
    const isOutput = ({ direction }: { direction: string }) => direction === 'output';
    const { cog_id } = (await look(run)).run_files.find(isOutput);

    const { headers } = await download(owner, cog_id, {}, '?inline=true');

    assert.equal(headers.get('content-type'), 'application/octet-stream');
    assert.match(headers.get('content-disposition') ?? '', /^attachment;/);
  });

  it('shows only what is safe to show, and only when asked', async () => {
    const { owner } = await cast();
    const types = ['image/png', 'video/mp4', 'audio/mpeg', 'application/pdf', 'text/plain'];
    for (const [index, type] of types.entries()) {
      const file = (await owner.upload(`safe${index}`, 'x', undefined, type)).body;
      const shown = await download(owner, file.id, {}, '?inline=true');
      assert.match(shown.headers.get('content-disposition') ?? '', /^inline;/, type);
      assert.ok(shown.headers.get('content-type')?.startsWith(type));
      const saved = await download(owner, file.id);
      assert.match(saved.headers.get('content-disposition') ?? '', /^attachment;/);
    }
  });

  it('gives names in any script, and nothing in a name becomes a header', async () => {
    const { owner } = await cast();
    for (const name of ['naïve €.txt', '"quoted"; x=y', '\u202egpj.exe', '日本語.pdf', 'a%20b']) {
      const file = (await owner.upload(name, 'x')).body;
      const disposition = (await download(owner, file.id)).headers.get('content-disposition') ?? '';
      assert.match(disposition, /^attachment; filename=[ -~]+$/, name);
      const encoded = disposition.match(/filename\*=UTF-8''(.+)$/)?.[1];
      if (encoded !== undefined) assert.equal(decodeURIComponent(encoded), file.name);
      else assert.match(file.name, /^[ -~]+$/);
    }
  });

  it('is for who may see the file', async () => {
    const { owner, viewer, stranger, file } = await oneFile();

    assert.equal((await download(viewer, file.id)).status, 403);
    assert.equal((await download(stranger, file.id)).status, 404);
    assert.equal((await download(owner, 999_999_999)).status, 404);
  });

  it('tells with an error_id when the bytes are lost, before it promises any', async () => {
    const { owner, file, server } = await oneFile();
    const { db, storage } = server.services;
    const [row] = await db<{ key: string }[]>`
      select key from objects where checksum_sha256 = ${file.checksum_sha256}
      and tenant_id = ${owner.user.tenant_id}
    `;
    await storage.remove(row?.key ?? 'none');

    const { status, text, headers } = await download(owner, file.id);

    assert.equal(status, 500);
    assert.ok(JSON.parse(text).error_id);
    assert.equal(headers.get('content-disposition'), null);
  });

  it('lets go of a client that leaves in the middle', async () => {
    const { owner, server } = await cast();
    const file = (await owner.upload('big', new Uint8Array(30_000_000))).body;
    const url = new URL(server.url);
    for (let round = 0; round < 20; round++) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(url.port), url.hostname, () =>
          socket.write(
            `GET /cogs/${file.id}/download HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.token}\r\n\r\n`,
          ),
        );
        socket.once('data', () => socket.resetAndDestroy());
        socket.once('close', () => resolve());
      });
    }
    assert.equal((await download(owner, file.id, { range: 'bytes=-1' })).status, 206);
  });
});
