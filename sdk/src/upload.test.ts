import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { type Client, createClient } from './client.ts';
import type { Cog } from './contract.gen.ts';
import { Slots } from './slots.ts';
import { upload } from './upload.ts';
import { sendParts } from './upload-parts.ts';

const mebibyte = 1024 ** 2;
const chunk_size = 5 * mebibyte;

async function ownClient(): Promise<Client> {
  const { server, owner } = await cast();
  return createClient({ baseUrl: server.url, token: () => owner.token });
}

const someBytes = (size: number) => new Uint8Array(randomBytes(size));
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The upload of 11 MiB of which only the first part has been sent. */
async function brokenOff(client: Client) {
  const bytes = someBytes(11 * mebibyte);
  const begun = await client.initiateUpload({
    body: { name: 'broken off.bin', file_size: bytes.length, chunk_size },
  });
  const [first] = begun.parts;
  assert.ok(first);
  const answer = await fetch(first.url, { method: 'PUT', body: bytes.subarray(0, chunk_size) });
  assert.equal(answer.status, 200);
  return { bytes, begun };
}

/** Counts PUTs of parts. @param failing how often the network fails, from the first on. */
function watchPuts(t: import('node:test').TestContext, failing = 0) {
  const { fetch } = globalThis;
  const urls: string[] = [];
  t.mock.method(globalThis, 'fetch', (input: string, init?: RequestInit) => {
    if (init?.method !== 'PUT') return fetch(input, init);
    urls.push(String(input));
    return urls.length <= failing
      ? Promise.reject(new TypeError('fetch failed'))
      : fetch(input, init);
  });
  return urls;
}

const assertHas = (cog: Cog, bytes: Uint8Array) => {
  assert.equal(cog.size_bytes, bytes.length);
  assert.equal(cog.checksum_sha256, sha256(bytes));
};

describe('upload', () => {
  it('sends a small file in one request', async (t) => {
    const client = await ownClient();
    const puts = watchPuts(t);
    const cog = await upload(client, { name: 'small.txt', bytes: new Blob(['hello']) });

    assert.equal(cog.name, 'small.txt');
    assert.equal(puts.length, 0);
  });

  it('sends a large file in parts, with progress to the end', async (t) => {
    const client = await ownClient();
    const puts = watchPuts(t);
    const bytes = someBytes(36 * mebibyte);
    const progress: number[] = [];
    const begun: number[] = [];

    const cog = await upload(client, {
      ...{ name: 'large.bin', bytes: new Blob([bytes], { type: 'application/x-test' }) },
      checksum_sha256: sha256(bytes),
      onBegun: (upload_id) => begun.push(upload_id),
      onProgress: (sent_bytes) => progress.push(sent_bytes),
    });

    assertHas(cog, bytes);
    assert.equal(cog.mime_type, 'application/x-test');
    assert.equal(puts.length, 3);
    assert.equal(begun.length, 1);
    assert.equal(progress.at(-1), bytes.length);
    assert.deepEqual(
      progress,
      progress.toSorted((a, b) => a - b),
    );
  });

  it('sends a part again when the network fails', async (t) => {
    const client = await ownClient();
    const puts = watchPuts(t, 2);
    const bytes = someBytes(9 * mebibyte);

    assertHas(await upload(client, { name: 'again.bin', bytes: new Blob([bytes]) }), bytes);
    assert.equal(puts.length, 3);
  });

  it('requests fresh URLs for parts whose URLs have expired', async () => {
    const client = await ownClient();
    const { begun, bytes } = await brokenOff(client);
    const parts = begun.parts.map((part) => ({
      ...part,
      url: part.url.replace(/expires=\d+/, 'expires=1700000000'),
    }));
    let sent_bytes = 0;

    const sent = await sendParts(client, {
      ...{ upload: { ...begun, parts }, bytes: new Blob([bytes]), slots: new Slots(2) },
      onProgress: (sent) => {
        sent_bytes = sent;
      },
    });

    assert.equal(sent.length, 3);
    assert.equal(sent_bytes, bytes.length);
  });

  it('resumes after a crash with the parts that are missing', async (t) => {
    const client = await ownClient();
    const { bytes, begun } = await brokenOff(client);
    const puts = watchPuts(t);
    const progress: number[] = [];

    const cog = await upload(client, {
      ...{ name: 'ignored', bytes: new Blob([bytes]), upload_id: begun.upload_id },
      onProgress: (sent_bytes) => progress.push(sent_bytes),
    });

    assertHas(cog, bytes);
    assert.equal(cog.name, 'broken off.bin');
    assert.equal(puts.length, 2);
    assert.equal(progress[0], chunk_size);
    // The answer to its confirmation may have been lost.
    const again = { name: '', bytes: new Blob([bytes]), upload_id: begun.upload_id };
    assert.equal((await upload(client, again)).id, cog.id);
  });

  it('sends a stored part again if the file has changed since', async (t) => {
    const client = await ownClient();
    const { bytes, begun } = await brokenOff(client);
    bytes[17] = (bytes[17] ?? 0) ^ 1;
    const puts = watchPuts(t);

    const { upload_id } = begun;
    assertHas(await upload(client, { name: '', bytes: new Blob([bytes]), upload_id }), bytes);
    assert.equal(puts.length, 3);
  });

  it('refuses to resume with a file of another size', async () => {
    const client = await ownClient();
    const { begun } = await brokenOff(client);
    const other = { name: '', bytes: new Blob(['x']), upload_id: begun.upload_id };

    await assert.rejects(upload(client, other), /not the bytes of this upload/);
    assert.equal((await client.listUploads()).length, 1);
  });

  it('leaves nothing when it is aborted, or what resumes it', async () => {
    const client = await ownClient();
    const bytes = new Blob([someBytes(20 * mebibyte)]);
    const stopped = async (keep: boolean) => {
      const stop = new AbortController();
      await assert.rejects(
        upload(client, {
          ...{ name: 'stopped.bin', bytes, keep, signal: stop.signal },
          onProgress: () => stop.abort(new Error('enough')),
        }),
        /enough/,
      );
    };
    await stopped(false);
    assert.deepEqual(await client.listUploads(), []);
    await stopped(true);
    assert.equal((await client.listUploads()).length, 1);
    assert.deepEqual(await client.listCogs(), []);
  });

  it('stores a new version', async () => {
    const client = await ownClient();
    const file = await upload(client, { name: 'a.txt', bytes: new Blob(['old']) });

    const changed = await upload(client, { name: '', bytes: new Blob(['new!']), cog_id: file.id });

    assert.deepEqual([changed.id, changed.size_bytes, changed.version], [file.id, 4, 2]);
  });
});
