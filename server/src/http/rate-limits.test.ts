import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { cast, client } from '../../test/cast.ts';
import { startServer } from '../../test/server.ts';
import { confirm, sent } from '../../test/uploads.ts';
import { scriptedWorker } from '../../test/worker.ts';
import { addressKey } from '../client-addresses.ts';

describe('the limit per client address', () => {
  it('refuses what is over it with the time to wait, and counts refused requests too', async () => {
    const server = await startServer({ RATE_LIMIT_DEFAULT: '5' });
    const anonymous = client(server.url);

    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await anonymous.get('/me')).status);
    const refused = await anonymous.get('/me');

    assert.deepEqual(statuses, [401, 401, 401, 401, 401]);
    assert.equal(refused.status, 429);
    assert.match(refused.body.detail, /at most 5 per minute/);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal(refused.headers.get('ratelimit-limit'), '5');
    assert.equal(refused.headers.get('ratelimit-remaining'), '0');
  });

  it('leaves out health, metrics, documentation and the dashboard', async () => {
    const server = await startServer({ RATE_LIMIT_DEFAULT: '1' });
    const anonymous = client(server.url);
    await anonymous.get('/me');

    for (const path of ['/healthz', '/readyz', '/metrics', '/docs', '/openapi.json', '/app/']) {
      assert.equal((await anonymous.get(path)).status, 200, path);
    }
    assert.equal((await anonymous.get('/me')).status, 429);
  });

  it('believes X-Forwarded-For only from a proxy it was told of', async () => {
    const [naive, proxied] = await Promise.all([
      startServer({ RATE_LIMIT_DEFAULT: '1' }),
      startServer({ RATE_LIMIT_DEFAULT: '1', TRUST_PROXY: '127.0.0.1' }),
    ]);
    const from = (url: string, address: string) =>
      client(url).get('/me', { headers: { 'x-forwarded-for': address } });

    assert.equal((await from(naive.url, '198.51.100.1')).status, 401);
    assert.equal((await from(naive.url, '198.51.100.2')).status, 429);
    assert.equal((await from(proxied.url, '198.51.100.1')).status, 401);
    assert.equal((await from(proxied.url, '198.51.100.2')).status, 401);
    assert.equal((await from(proxied.url, '198.51.100.1')).status, 429);
  });
});

describe('the limit of uploads', () => {
  it('is counted per user', async () => {
    const people = await cast(await startServer({ RATE_LIMIT_UPLOAD: '2' }));

    for (const name of ['a', 'b'])
      assert.equal((await people.owner.upload(name, name)).status, 201);
    assert.equal((await people.owner.upload('c', 'c')).status, 429);
    assert.equal((await people.editor.upload('c', 'c')).status, 201);
    assert.equal((await people.owner.get('/me')).status, 200);
  });
});

describe('the limit of large uploads', () => {
  it('counts announcements and confirmations, and no parts', async () => {
    const { owner, editor } = await cast(await startServer({ RATE_LIMIT_UPLOAD: '3' }));
    const wanted = { name: 'a', file_size: 1 };
    const { body: upload } = await owner.post('/cogs/uploads/initiate', wanted);
    const parts = await sent(upload, new Uint8Array(1));
    await owner.post(`/cogs/uploads/${upload.upload_id}/parts`, { part_numbers: [1] });
    assert.equal((await confirm(owner, upload, 1, parts)).status, 201);
    assert.equal((await confirm(owner, upload, 1, parts)).status, 201);

    const refused = await confirm(owner, upload, 1, parts);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await owner.post('/cogs/uploads/initiate', wanted)).status, 429);
    assert.equal(
      (await editor.post('/cogs/uploads/initiate', { ...wanted, name: 'b' })).status,
      201,
    );
  });
});

describe('the limit of heartbeats', () => {
  it('is counted per worker, and a refused one does not cost the lease', async () => {
    const { server, owner } = await cast(await startServer({ RATE_LIMIT_HEARTBEAT: '3' }));
    const worker = await scriptedWorker(server, owner.user.tenant_id);
    const other = await scriptedWorker(server, owner.user.tenant_id);

    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await worker.heartbeat()).status);
    // Enrolling counted as the first of the three.
    assert.deepEqual(statuses, [200, 200, 429]);
    assert.equal((await other.heartbeat()).status, 200);
  });
});

describe('the limits of a worker', () => {
  it('are its own: other calls are counted neither for its address nor for another worker', async () => {
    const server = await startServer({ RATE_LIMIT_DEFAULT: '50' }, undefined, {
      limits: { worker_calls: 60 },
    });
    const { owner } = await cast(server);
    const worker = await scriptedWorker(server, owner.user.tenant_id);
    const other = await scriptedWorker(server, owner.user.tenant_id);
    const call = (one: typeof worker) =>
      client(server.url, one.token).post(`/workers/${one.id}/attempts/1/started`, {
        lease_token: '00000000-0000-4000-8000-000000000000',
      });

    const statuses: number[] = [];
    for (let count = 0; count < 61; count += 1) statuses.push((await call(worker)).status);

    assert.deepEqual(new Set(statuses.slice(0, 58)), new Set([404]));
    assert.equal(statuses.at(-1), 429);
    assert.equal((await call(other)).status, 404);
    assert.equal((await owner.get('/me')).status, 200);
    assert.equal((await worker.heartbeat()).status, 200);
  });

  it('count a large call as many, whether or not it says how large it is', async () => {
    const server = await startServer({}, undefined, { limits: { worker_calls: 60 } });
    const { owner } = await cast(server);
    const worker = await scriptedWorker(server, owner.user.tenant_id);
    const by = client(server.url, worker.token);
    const path = `/workers/${worker.id}/attempts/1/complete`;
    const large = { lease_token: randomUUID(), error_message: 'x'.repeat(500_000) };

    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await by.post(path, large)).status);
    const unsized = await by.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob(['{}']).stream(),
      duplex: 'half',
    } as RequestInit);

    assert.deepEqual(statuses, [422, 429, 429]);
    assert.equal(unsized.status, 429);
  });

  it('stop guesses at tokens by address, and not a worker that is known', async () => {
    const server = await startServer({ RATE_LIMIT_DEFAULT: '20' });
    const { owner } = await cast(server);
    const worker = await scriptedWorker(server, owner.user.tenant_id);
    const guess = () =>
      client(server.url, `wkt_${'x'.repeat(43)}`).post(`/workers/${worker.id}/heartbeat`, {
        attempts: [],
      });

    const statuses: number[] = [];
    for (let count = 0; count < 21; count += 1) statuses.push((await guess()).status);

    assert.deepEqual(new Set(statuses.slice(0, 20)), new Set([401]));
    assert.equal(statuses.at(-1), 429);
    assert.equal((await worker.heartbeat()).status, 200);
    assert.equal((await owner.get('/me')).status, 200);
  });

  it('let it ask for work four times at once', async () => {
    const { server, owner } = await cast();
    const worker = await scriptedWorker(server, owner.user.tenant_id);
    const free = { cpu: 1, memory_mb: 64, gpu: 0, disk_mb: 64 };
    const gone = new AbortController();
    const ask = () =>
      client(server.url, worker.token)
        .post(
          `/workers/${worker.id}/acquire`,
          { free, max: 1, wait_seconds: 25 },
          { signal: gone.signal },
        )
        .then(({ status, body }) => ({ status, code: body.code }));

    const asked = Array.from({ length: 7 }, ask);
    const refused: unknown[] = [];
    await new Promise<void>((resolve) => {
      for (const one of asked) {
        one.then(
          (answer) => {
            if (refused.push(answer) === 3) resolve();
          },
          () => {},
        );
      }
    });

    assert.deepEqual(refused, Array(3).fill({ status: 429, code: 'too_many_at_once' }));
    gone.abort();
    await Promise.allSettled(asked);
  });
});

describe('an address as the key of a limit', () => {
  for (const [address, key] of [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::9', '2001:db8:1:2'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ] as const) {
    it(`of ${address} is ${key}`, () => assert.equal(addressKey(address), key));
  }
});
