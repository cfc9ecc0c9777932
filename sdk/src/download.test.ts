import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { folder } from '../../server/test/sharing.ts';
import { namesOf } from '../../server/test/zip-reader.ts';
import { createClient } from './client.ts';
import { download, downloadUrl } from './download.ts';

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

describe('downloadUrl', () => {
  it('is of one file or folder, or of several as a ZIP', async () => {
    const { client, top, file } = await stage();

    const one = await downloadUrl(client, { ids: [file.id], expires_in: 60 });
    const two = await downloadUrl(client, { ids: [file.id, top.id] });

    assert.equal((await (await fetch(one.url)).text()).length, 300_000);
    const zip = Buffer.from(await (await fetch(two.url)).arrayBuffer());
    assert.deepEqual(namesOf(zip), ['Top/', 'Top/a', 'a']);
  });
});
