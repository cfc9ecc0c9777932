import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { cutting } from '../../cli/test/cutting.ts';
import { cast } from '../../server/test/cast.ts';
import { silentServer } from '../../server/test/silent-server.ts';
import { createClient } from './client.ts';
import { download } from './download.ts';
import { upload } from './upload.ts';

const silence_ms = 500;

async function all(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Sends the first request that `isMeant` to a server which never answers. @returns all that were. */
function silencing(
  t: TestContext,
  url: string,
  isMeant: (path: string, method?: string) => boolean,
) {
  const { fetch } = globalThis;
  const meant: string[] = [];
  t.mock.method(globalThis, 'fetch', (input: string, init?: RequestInit) => {
    if (!isMeant(new URL(input).pathname, init?.method)) return fetch(input, init);
    meant.push(input);
    return fetch(meant.length === 1 ? url : input, init);
  });
  return meant;
}

describe('a connection that stands still without breaking', () => {
  it('is given up in the middle of a download, which goes on with the rest', async () => {
    const { server, owner } = await cast();
    const content = randomBytes(300_000);
    const { body: file } = await owner.upload('a', content);
    await using network = await cutting(server.url, { after: 120_000, hangs: true });
    const client = createClient({ baseUrl: network.url, token: () => owner.token, silence_ms });

    const { bytes } = await download(client, { id: file.id });

    assert.deepEqual(await all(bytes), content);
    assert.deepEqual([...new Set(network.ranges)], [undefined, 'bytes=120000-', 'bytes=240000-']);
  });

  it('is given up before a download begins', async (t) => {
    const { server, owner } = await cast();
    const { body: file } = await owner.upload('a', 'bytes');
    await using silent = await silentServer();
    const meant = silencing(t, silent.url, (path) => path.endsWith('/download'));
    const client = createClient({ baseUrl: server.url, token: () => owner.token, silence_ms });

    const { bytes } = await download(client, { id: file.id });

    assert.equal(String(await all(bytes)), 'bytes');
    assert.ok(meant.length > 1);
  });

  it('is given up by an upload, which sends the bytes again', async (t) => {
    const { server, owner } = await cast();
    await using silent = await silentServer();
    const client = createClient({ baseUrl: server.url, token: () => owner.token, silence_ms });
    for (const [name, size, isMeant] of [
      ['small', 1000, (path: string) => path.endsWith('/upload-file')],
      ['large', 9_000_000, (_: string, method?: string) => method === 'PUT'],
      ['announced', 9_000_000, (path: string) => path.endsWith('/uploads/initiate')],
      ['confirmed', 9_000_000, (path: string) => path.endsWith('/confirm-uploads')],
    ] as const) {
      const meant = silencing(t, silent.url, isMeant);

      const cog = await upload(client, { name, bytes: new Blob([randomBytes(size)]) });

      assert.equal(cog.size_bytes, size);
      assert.ok(meant.length > 1, name);
      t.mock.restoreAll();
    }
  });
});
