import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { createClient } from './client.ts';
import { FileChanged } from './errors.ts';
import { allRows } from './pages.ts';
import { uploadFile } from './upload-form.ts';

async function ownClient() {
  const { server, owner } = await cast();
  return createClient({ baseUrl: server.url, token: () => owner.token });
}

describe('uploadFile', () => {
  it('sends a file from disk with progress, and the same bytes come back', async (t) => {
    const client = await ownClient();
    const path = join(tmpdir(), `cogworks-sdk-${process.pid}.bin`);
    t.after(() => rm(path, { force: true }));
    const bytes = Buffer.alloc(3_000_000, 'some bytes');
    await writeFile(path, bytes);
    const progress: number[] = [];

    const cog = await uploadFile(client, {
      name: 'Größe "1".bin',
      bytes: await openAsBlob(path, { type: 'application/x-test' }),
      onProgress: (sent_bytes) => progress.push(sent_bytes),
    });

    assert.equal(cog.name, 'Größe "1".bin');
    assert.equal(cog.mime_type, 'application/x-test');
    assert.equal(cog.checksum_sha256, createHash('sha256').update(bytes).digest('hex'));
    assert.equal(progress.at(-1), bytes.length);
    assert.ok(progress.length > 3);
    const response = await client.downloadCog({ path: { id: cog.id } });
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes);
  });

  it('throws the conflict when the name is taken', async () => {
    const client = await ownClient();
    const file = { name: 'twice.txt', bytes: new Blob(['x']) };
    await uploadFile(client, file);

    await assert.rejects(uploadFile(client, file), { status: 409, code: 'name_collision' });
  });

  it('makes one file when the network fails and when the answer is lost', async (t) => {
    const client = await ownClient();
    const { fetch } = globalThis;
    let attempts = 0;
    t.mock.method(globalThis, 'fetch', async (input: string, init?: RequestInit) => {
      if (!input.endsWith('/upload-file')) return fetch(input, init);
      attempts += 1;
      if (attempts === 1) throw new TypeError('fetch failed');
      const answer = await fetch(input, init);
      if (attempts > 2) return answer;
      await answer.text();
      throw new TypeError('terminated');
    });

    const cog = await uploadFile(client, { name: 'once.txt', bytes: new Blob(['x']) });

    assert.equal(cog.name, 'once.txt');
    assert.equal(attempts, 3);
  });

  it('fails at once when the file has changed since it was opened', async (t) => {
    const client = await ownClient();
    const path = join(tmpdir(), `cogworks-sdk-changed-${process.pid}`);
    t.after(() => rm(path, { force: true }));
    await writeFile(path, 'old');
    const bytes = await openAsBlob(path);
    await writeFile(path, 'newer');

    for (const onProgress of [undefined, () => {}]) {
      await assert.rejects(uploadFile(client, { name: 'a', bytes, onProgress }), FileChanged);
    }
  });

  it('stops when it is told to', async () => {
    const client = await ownClient();
    const stop = new AbortController();
    const sending = uploadFile(client, {
      name: 'stopped.bin',
      bytes: new Blob([Buffer.alloc(30_000_000)]),
      onProgress: () => stop.abort(new Error('enough')),
      signal: stop.signal,
    });

    await assert.rejects(sending, /enough/);
    assert.deepEqual(await client.listCogs(), []);
  });
});

describe('allRows', () => {
  it('follows the pages to the end', async () => {
    const client = await ownClient();
    const names = Array.from({ length: 7 }, (_, index) => `folder ${index}`);
    for (const name of names)
      await client.createFolder({ body: { name, cog_type: 'asset_folder' } });

    const found: string[] = [];
    for await (const cog of allRows(client, 'listCogs', { query: { limit: 3, sort: 'name' } })) {
      found.push(cog.name);
    }
    assert.deepEqual(found, names);
  });
});
