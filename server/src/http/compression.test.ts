import assert from 'node:assert/strict';
import { get, type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { type Client, cast } from '../../test/cast.ts';

/** The raw response: `fetch` would decode it. */
function raw(
  client: Client,
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${client.token}`, ...headers };
    get(url, { headers: all }, async (response) => {
      const bytes = await buffer(response);
      resolve({ status: response.statusCode, headers: response.headers, bytes });
    }).on('error', reject);
  });
}

describe('a JSON answer', () => {
  it('comes as brotli or gzip to who can read it, and is the same', async () => {
    const { owner, server } = await cast();
    await owner.post('/workflows', { name: 'x', description: 'what it does '.repeat(300) });
    for (const path of ['/workflows', '/openapi.json']) {
      const url = server.url + path;
      const plain = await raw(owner, url);
      const brotli = await raw(owner, url, { 'accept-encoding': 'gzip, deflate, br' });
      const gzip = await raw(owner, url, { 'accept-encoding': 'gzip' });

      assert.equal(plain.headers['content-encoding'], undefined);
      assert.equal(brotli.headers['content-encoding'], 'br');
      assert.equal(gzip.headers['content-encoding'], 'gzip');
      for (const { headers } of [brotli, gzip]) {
        assert.match(String(headers.vary), /accept-encoding/i);
        assert.match(String(headers['content-type']), /^application\/json/);
      }
      assert.deepEqual(brotliDecompressSync(brotli.bytes), plain.bytes);
      assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes);
      assert.ok(brotli.bytes.length < plain.bytes.length / 2);
    }
  });

  it('comes whole to the pages of the API', async () => {
    const { owner, server } = await cast();
    const plain = await raw(owner, `${server.url}/docs/json`);
    const asked = await raw(owner, `${server.url}/docs/json`, { 'accept-encoding': 'br, gzip' });

    assert.ok(plain.bytes.length > 10_000);
    assert.deepEqual(asked.bytes, plain.bytes);
  });

  it('is left as it is where it is small, or tells a secret', async () => {
    const { owner, server } = await cast();
    const encoding = { 'accept-encoding': 'br' };
    const me = await raw(owner, `${server.url}/me`, encoding);
    assert.equal(me.status, 200);
    assert.equal(me.headers['content-encoding'], undefined);

    // Fetch requests compressed answers by default.
    const key = await owner.post('/api-keys', { description: 'x'.repeat(200) });
    assert.equal(key.status, 201);
    assert.equal(key.headers.get('content-encoding'), null);
    const made = await owner.post('/workflows', { name: 'x', description: 'x'.repeat(5000) });
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('content-encoding'), null);
  });
});

describe('bytes of files', () => {
  it('are sent as they are stored, with their length, tag and ranges', async () => {
    const { owner, server } = await cast();
    const text = '{"a":"file of JSON"}'.repeat(500);
    const { body } = await owner.upload('large.json', text, undefined, 'application/json');
    for (const query of ['', '?inline=true']) {
      const url = `${server.url}/cogs/${body.id}/download${query}`;
      const whole = await raw(owner, url, { 'accept-encoding': 'br, gzip' });
      assert.equal(whole.headers['content-encoding'], undefined);
      assert.equal(whole.headers['content-length'], String(text.length));
      assert.ok(whole.headers.etag);
      assert.equal(whole.bytes.toString(), text);

      const part = await raw(owner, url, { 'accept-encoding': 'br, gzip', range: 'bytes=5-9' });
      assert.equal(part.status, 206);
      assert.equal(part.headers['content-encoding'], undefined);
      assert.equal(part.bytes.toString(), text.slice(5, 10));
    }
  });
});

describe('a compressed request', () => {
  it('is not inflated', async () => {
    const { owner, server } = await cast();
    const status = await new Promise((resolve, reject) => {
      const sent = request(
        `${server.url}/cogs`,
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${owner.token}`,
            'content-type': 'application/json',
            'content-encoding': 'gzip',
          },
        },
        (response) => resolve(response.resume().statusCode),
      ).on('error', reject);
      sent.end(gzipSync('{"name":"inflated"}'));
    });
    assert.equal(status, 400);
  });
});
