import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { testServer } from '../../test/server.ts';
import type { Services } from '../services.ts';
import { compressAnswers } from './compression.ts';
import { dashboardPages } from './dashboard.ts';

const large = 'let cogs = 1;\n'.repeat(1000);

/** Only the dashboard's routes, with a small build. */
async function builtDashboard(t: TestContext, settings: Partial<Services['config']> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-dashboard-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, 'assets'));
  await writeFile(
    join(dir, 'index.html'),
    `<script nonce="__CSP_NONCE__" src="/app/x"></script>${' '.repeat(2000)}`,
  );
  await writeFile(join(dir, 'assets/main-1a2b.js'), 'let cogs = 1;');
  await writeFile(join(dir, 'assets/large-1a2b.js'), large);
  await writeFile(join(dir, 'assets/large-1a2b.js.br'), brotliCompressSync(large));
  await writeFile(join(dir, 'assets/large-1a2b.js.gz'), gzipSync(large));
  await writeFile(join(dir, 'color-scheme.js'), 'let scheme = 1;');
  await writeFile(join(dir, 'secret.txt'), 'not an asset');
  const { services } = await testServer();
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
  await compressAnswers(app);
  const config = { ...services.config, ...settings };
  await app.register(dashboardPages({ ...services, config }, dir));
  return app;
}

describe('the dashboard', () => {
  it('is where the bare address leads', async () => {
    const { url } = await testServer();
    const response = await fetch(url, { redirect: 'manual' });
    assert.equal(response.status, 302);
    assert.equal(response.headers.get('location'), '/app/');
  });

  it('leads from another name of this machine to the one that sign-in knows', async (t) => {
    const app = await builtDashboard(t);
    const base = (await testServer()).url;
    const ask = (url: string, host: string) => app.inject({ url, headers: { host } });
    const { host, port } = new URL(base);

    const page = await ask('/app/runs/7?tab=steps', `localhost:${port}`);
    assert.equal(page.statusCode, 302);
    assert.equal(page.headers.location, `${base}/app/runs/7?tab=steps`);
    assert.equal((await ask('/', `localhost:${port}`)).headers.location, `${base}/app/`);
    // Redirecting a host name that a proxy has set could cause a loop.
    for (const other of [host, 'localhost:1', `files.example:${port}`, '[', ':']) {
      assert.equal((await ask('/app/', other)).statusCode, 200, other);
    }
  });

  it('answers every path of its own with the page, which is asked for each time', async (t) => {
    const app = await builtDashboard(t);
    for (const url of ['/app', '/app/', '/app/files/7?sort=name', '/app/callback?code=1']) {
      const answer = await app.inject(url);
      assert.equal(answer.statusCode, 200, url);
      assert.equal(answer.headers['cache-control'], 'no-cache');
      assert.match(answer.body, /^<script/);
    }
  });

  it('gives each page a nonce of its own, and no outside host a chance', async (t) => {
    const app = await builtDashboard(t);
    const [one, two] = await Promise.all([app.inject('/app/'), app.inject('/app/')]);
    const nonce = /nonce="([^"]+)"/.exec(one.body)?.[1] ?? 'none';
    const policy = String(one.headers['content-security-policy']);

    assert.ok(policy.includes(`'nonce-${nonce}'`));
    assert.ok(!two.body.includes(nonce));
    assert.doesNotMatch(policy, /https?:|unsafe-eval/);
    assert.match(policy, /script-src 'self';/);
  });

  it('may ask the bucket where files are stored, and show what is there', async (t) => {
    const endpoint = 'https://storage.example.com:9000';
    const s3 = { bucket: 'files', prefix: 'a/', endpoint, region: 'x' };
    const app = await builtDashboard(t, { s3 });
    const policy = String((await app.inject('/app/')).headers['content-security-policy']);

    const withIt = policy.split('; ').filter((rule) => rule.includes('https:'));
    assert.deepEqual(withIt, [
      `img-src 'self' data: blob: ${endpoint}`,
      `media-src 'self' ${endpoint}`,
      `connect-src 'self' ${endpoint}`,
    ]);
  });

  it('lets browsers keep files with a hash in their name', async (t) => {
    const app = await builtDashboard(t);
    const answer = await app.inject('/app/assets/main-1a2b.js');
    assert.equal(answer.statusCode, 200);
    assert.match(String(answer.headers['content-type']), /javascript/);
    assert.match(String(answer.headers['cache-control']), /max-age=31536000, immutable/);
  });

  it('sends what was compressed at build time to who can read it', async (t) => {
    const app = await builtDashboard(t);
    const ask = async (accepted: string) => {
      const answer = await app.inject({
        url: '/app/assets/large-1a2b.js',
        headers: { 'accept-encoding': accepted },
      });
      assert.equal(answer.statusCode, 200);
      assert.match(String(answer.headers['content-type']), /javascript/);
      assert.match(String(answer.headers['cache-control']), /immutable/);
      assert.match(String(answer.headers.vary), /accept-encoding/i);
      const bytes = answer.rawPayload;
      assert.equal(answer.headers['content-length'], String(bytes.length));
      return { encoding: answer.headers['content-encoding'], bytes };
    };

    const brotli = await ask('gzip, deflate, br');
    assert.equal(brotli.encoding, 'br');
    assert.equal(brotliDecompressSync(brotli.bytes).toString(), large);
    const gzip = await ask('gzip');
    assert.equal(gzip.encoding, 'gzip');
    assert.equal(gunzipSync(gzip.bytes).toString(), large);
    const plain = await ask('identity');
    assert.equal(plain.encoding, undefined);
    assert.equal(plain.bytes.toString(), large);
  });

  it('compresses its page as well', async (t) => {
    const app = await builtDashboard(t);
    const answer = await app.inject({ url: '/app/', headers: { 'accept-encoding': 'br' } });
    assert.equal(answer.headers['content-encoding'], 'br');
    assert.match(String(answer.headers.vary), /accept-encoding/i);
    assert.match(brotliDecompressSync(answer.rawPayload).toString(), /^<script nonce="[^_]/);
  });

  it('answers 404 for a file of an older build, not the page', async (t) => {
    const app = await builtDashboard(t);
    assert.equal((await app.inject('/app/assets/main-0000.js')).statusCode, 404);
    assert.equal((await app.inject('/app/assets/..%2fsecret.txt')).statusCode, 403);
  });

  it('gives the script that sets the colours before the first paint', async (t) => {
    const app = await builtDashboard(t);
    const answer = await app.inject('/app/color-scheme.js');
    assert.equal(answer.body, 'let scheme = 1;');
    assert.match(String(answer.headers['cache-control']), /max-age=0/);
  });

  it('says so when it is not built', async () => {
    const { services } = await testServer();
    const app = Fastify();
    await app.register(dashboardPages(services, join(tmpdir(), 'no-such-build')));
    const answer = await app.inject('/app/');
    assert.equal(answer.statusCode, 503);
    assert.match(answer.body, /npm start/);
  });
});
