import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { cast } from '../../test/cast.ts';
import { startServer } from '../../test/server.ts';

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });

describe('Idempotency-Key', () => {
  it('lets one of many equal requests at the same time take effect, and answers all alike', async () => {
    const { owner } = await cast();
    const key = randomUUID();

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => owner.post('/workflows', { name: 'Once' }, withKey(key))),
    );

    assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([201]));
    assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1);
    assert.equal((await owner.get('/workflows')).body.length, 1);
    assert.equal(
      answers.filter((answer) => answer.headers.get('idempotent-replay') === 'true').length,
      9,
    );
  });

  it('belongs to its user and its route', async () => {
    const { owner, editor } = await cast();
    const key = randomUUID();

    const mine = await owner.post('/workflows', { name: 'A' }, withKey(key));
    const theirs = await editor.post('/workflows', { name: 'B' }, withKey(key));
    const elsewhere = await owner.post(
      '/cogs',
      { name: 'C', cog_type: 'asset_folder' },
      withKey(key),
    );

    assert.deepEqual([mine.status, theirs.status, elsewhere.status], [201, 201, 201]);
    assert.notEqual(mine.body.id, theirs.body.id);
  });

  it('does not keep a refusal: the request may be mended and sent again with its key', async () => {
    const { owner } = await cast();
    const key = randomUUID();

    const refused = await owner.post(
      '/cogs',
      { name: 'a/b', cog_type: 'asset_folder' },
      withKey(key),
    );
    const mended = await owner.post(
      '/cogs',
      { name: 'ab', cog_type: 'asset_folder' },
      withKey(key),
    );

    assert.deepEqual([refused.status, mended.status], [422, 201]);
  });

  it('is refused when it is malformed', async () => {
    const { owner } = await cast();
    for (const key of ['', ' ', 'a b', 'x'.repeat(256)]) {
      const { status } = await owner.post('/workflows', { name: 'A' }, withKey(key));
      assert.ok(status === 422 || (key.trim() === '' && status === 201), `"${key}" → ${status}`);
    }
  });

  it('is free again after 24 hours', async () => {
    const { owner, server } = await cast();
    const key = randomUUID();
    const first = await owner.post('/workflows', { name: 'Day one' }, withKey(key));
    await server.services.db`
      update idempotency_keys set created_at = now() - interval '25 hours' where key = ${key}
    `;

    const second = await owner.post('/workflows', { name: 'Day two' }, withKey(key));

    assert.equal(second.status, 201);
    assert.notEqual(second.body.id, first.body.id);
  });

  it('lets requests wait for one of another process without taking all connections', async () => {
    const { owner, editor, server } = await cast();
    const key = randomUUID();
    const route = 'POST /workflows/';
    const { engineDb } = server.services;

    const waiting = await engineDb.transaction(async (tx) => {
      await tx`
        insert into idempotency_keys (user_id, route, key, body_hash)
        values (${owner.user.id}, ${route}, ${key}, '')
      `;
      const waiting = Array.from({ length: 20 }, () =>
        owner.post('/workflows', { name: 'Once' }, withKey(key)),
      );
      for (let count = 0; count < 10; count += 1) {
        assert.equal((await editor.get('/me')).status, 200);
      }
      return waiting;
    });

    const codes = (await Promise.all(waiting)).map(({ body }) => body.code);
    assert.deepEqual(new Set(codes), new Set(['idempotency_mismatch']));
  });

  it('waits for another process by asking now and then, and not for ever', async () => {
    const server = await startServer({}, undefined, { limits: { same_key_wait_ms: 1 } });
    const { owner } = await cast(server);
    const key = randomUUID();
    const name = `idempotency|${owner.user.id}|POST /workflows/|${key}`;
    const make = () => owner.post('/workflows', { name: 'Once' }, withKey(key));

    const late = await server.services.engineDb.transaction(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${name}, 7246003))`;
      return make();
    });

    assert.equal(late.status, 503);
    assert.equal(late.body.code, 'same_request_under_way');
    assert.ok(Number(late.headers.get('retry-after')) > 0);
    assert.equal((await make()).status, 201);
  });
});
