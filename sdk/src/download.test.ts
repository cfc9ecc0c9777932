import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { folder } from '../../server/test/sharing.ts';
import { namesOf } from '../../server/test/zip-reader.ts';
import { createClient } from './client.ts';
import { download, downloadUrl } from './download.ts';
import { downloadSmall } from './download-small.ts';
import { ApiError } from './errors.ts';
import { upload } from './upload.ts';

async function stage(request: typeof fetch = fetch) {
  const { server, owner } = await cast();
  const top = await folder(owner, 'Top');
  const file = (await owner.upload('a', 'x'.repeat(300_000), top.id)).body;
  const client = createClient({ baseUrl: server.url, token: () => owner.token, fetch: request });
  return { owner, client, top, file };
}

async function all(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A network that breaks off after so many bytes of each answer, for the first answers. */
function breaking(after: number, times: number) {
  const ranges: (string | null)[] = [];
  const request: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).endsWith('/download')) return response;
    ranges.push(new Headers(init?.headers).get('range'));
    if (ranges.length > times || !response.body) return response;
    let left = after;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) controller.error(new TypeError('terminated'));
      },
    });
    const { status, headers } = response;
    return new Response(response.body.pipeThrough(cut), { status, headers });
  };
  return { request, ranges };
}

describe('download', () => {
  it('goes on where it broke off, with the same bytes', async () => {
    const { request, ranges } = breaking(100_000, 2);
    const { client, top } = await stage(request);

    const { size_bytes, bytes } = await download(client, { id: top.id });
    const zip = await all(bytes);

    assert.equal(zip.length, size_bytes);
    assert.deepEqual(namesOf(zip), ['Top/', 'Top/a']);
    assert.equal(ranges.length, 3);
    assert.equal(ranges[0], null);
  });

  it('fails if the content changed meanwhile', async () => {
    const { request } = breaking(1000, 1);
    const { client, top, owner } = await stage(request);
    const { bytes } = await download(client, { id: top.id });
    await owner.upload('b', 'new', top.id);

    await assert.rejects(all(bytes), /changed/);
  });
});

describe('download of what is partly there', () => {
  it('goes on after the bytes of an earlier one', async () => {
    const { client, file } = await stage();
    const etag = `"${file.checksum_sha256}"`;

    const rest = await download(client, { id: file.id, have: { etag, bytes: 299_990 } });

    assert.deepEqual([rest.start, rest.size_bytes, rest.etag], [299_990, 300_000, etag]);
    assert.equal((await all(rest.bytes)).toString(), 'x'.repeat(10));
  });

  it('brings nothing if all bytes are there', async () => {
    const { client, file } = await stage();
    const have = { etag: `"${file.checksum_sha256}"`, bytes: 300_000 };

    const rest = await download(client, { id: file.id, have });

    assert.deepEqual([rest.start, rest.size_bytes], [300_000, 300_000]);
    assert.equal((await all(rest.bytes)).length, 0);
  });

  it('begins anew if the content is another, or more bytes are there than it has', async () => {
    const { client, file } = await stage();
    const etag = `"${file.checksum_sha256}"`;

    for (const have of [
      { etag: '"other"', bytes: 10 },
      { etag, bytes: 300_001 },
    ]) {
      const whole = await download(client, { id: file.id, have });
      assert.equal(whole.start, 0);
      assert.equal((await all(whole.bytes)).length, 300_000);
    }
  });

  it('is of an older version if asked', async () => {
    const { client, file } = await stage();
    await upload(client, { name: '', cog_id: file.id, bytes: new Blob(['newer']) });

    const texts = [1, undefined].map(async (version) =>
      (await all((await download(client, { id: file.id, version })).bytes)).toString(),
    );
    assert.deepEqual(await Promise.all(texts), ['x'.repeat(300_000), 'newer']);
  });

  it('outlasts a server that is away for longer than one request is repeated', async () => {
    const { request } = breaking(1000, 1);
    const { client, file } = await stage(request);
    const away = [new TypeError('fetch failed'), new ApiError(503, undefined)];
    let sent = 0;
    const send: typeof client.send = (raw) => {
      const error = sent++ > 0 ? away.shift() : undefined;
      return error ? Promise.reject(error) : client.send(raw);
    };

    const { bytes } = await download({ ...client, send }, { id: file.id });

    assert.equal((await all(bytes)).length, 300_000);
    assert.equal(sent, 4);
  });
});

describe('downloadUrl', () => {
  it('is of one file or folder, or of several as a ZIP', async () => {
    const { client, top, file } = await stage();

    const one = await downloadUrl(client, { ids: [file.id], expires_in: 60 });
    const two = await downloadUrl(client, { ids: [file.id, top.id] });

    assert.equal((await (await fetch(one.url)).text()).length, 300_000);
    const zip = Buffer.from(await (await fetch(two.url)).arrayBuffer());
    assert.deepEqual(namesOf(zip), ['Top/', 'Top/a', 'a']);
  });

  it('is asked for again when the answer was lost, and made once', async () => {
    let lost = 0;
    const { client, owner, top, file } = await stage(async (...request) => {
      const answer = await fetch(...request);
      if (!answer.url.endsWith('url') || lost++ % 2 > 0) return answer;
      throw new TypeError('fetch failed');
    });

    await downloadUrl(client, { ids: [file.id] });
    await downloadUrl(client, { ids: [file.id, top.id] });
    const small = (await owner.upload('b', 'small', top.id)).body;
    for await (const { bytes } of downloadSmall(client, [small])) assert.equal(bytes.length, 5);

    assert.equal(lost, 6);
    assert.equal((await owner.get('/cogs/download-urls')).body.length, 3);
  });
});
