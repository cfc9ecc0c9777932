import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { cast } from '../../test/cast.ts';
import { startServer, testServer } from '../../test/server.ts';
import { scriptedWorker } from '../../test/worker.ts';

describe('the pools of connections', () => {
  it("leave workers and readiness alone when people's connections are all taken", async () => {
    const server = await testServer();
    const { db } = server.services;
    const { owner } = await cast(server);
    const worker = await scriptedWorker(server, owner.user.tenant_id);
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const taken = Array.from({ length: 12 }, () =>
      db.transaction(async (tx) => {
        await tx`select 1`;
        await end;
      }),
    );

    try {
      assert.equal((await worker.heartbeat()).status, 200);
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
      assert.deepEqual(await worker.acquire(), []);
    } finally {
      resolve();
      await Promise.all(taken);
    }
  });
});

describe('what takes too long in the database', () => {
  it('is a 503 with a sentence, and nothing of it is done', async () => {
    const server = await startServer({}, undefined, {
      patience: { db: { statement_ms: 5000, lock_ms: 20, idle_in_transaction_ms: 5000 } },
    });
    const { owner } = await cast(server);
    const folder = (await owner.post('/cogs', { name: 'Held', cog_type: 'asset_folder' })).body;
    const key = { headers: { 'idempotency-key': randomUUID() } };
    const rename = () => owner.patch(`/cogs/${folder.id}`, { name: 'Renamed' });
    const make = () => owner.post('/cogs', { name: 'New', cog_type: 'asset_folder' }, key);

    const [renamed, made] = await server.services.engineDb.transaction(async (tx) => {
      await tx`lock table cogs in exclusive mode`;
      return Promise.all([rename(), make()]);
    });

    for (const { status, body, headers } of [renamed, made]) {
      assert.equal(status, 503);
      assert.equal(body.code, 'took_too_long');
      assert.match(body.detail, /took too long and was stopped/);
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
    assert.equal((await owner.get(`/cogs/${folder.id}`)).body.name, 'Held');
    assert.equal((await make()).status, 201);
    assert.equal((await rename()).status, 200);
  });
});
