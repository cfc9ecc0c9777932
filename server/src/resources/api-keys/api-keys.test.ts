import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { type Cast, cast, client } from '../../../test/cast.ts';
import { statementsOf } from '../../../test/statements.ts';
import { makeKey } from './key-format.ts';

type Key = { id: number; description: string; key_prefix: string; access_key: string };

describe('POST /api-keys/', () => {
  it('shows the whole key once, and keeps only a hash', async () => {
    const { owner, server } = await cast();

    const { status, body } = await owner.post('/api-keys/', { description: 'laptop' });

    assert.equal(status, 201);
    assert.match(body.access_key, /^sk_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    assert.equal(body.access_key.startsWith(`${body.key_prefix}_`), true);
    const { body: list } = await owner.get('/api-keys/');
    assert.deepEqual(list, [
      {
        id: body.id,
        description: 'laptop',
        key_prefix: body.key_prefix,
        created_at: body.created_at,
        access: 'full',
      },
    ]);
    const [row] = await server.services.db`select * from api_keys where id = ${body.id}`;
    assert.equal(JSON.stringify(row).includes(body.access_key.split('_')[2]), false);
  });

  it('ends with the checksum that the contract tells scanners of', async () => {
    const { owner } = await cast();
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

    const { access_key } = await newKey(owner);

    const end = access_key.lastIndexOf('_');
    const told = [...access_key.slice(end + 1)].reduce(
      (sum, digit) => sum * 62 + digits.indexOf(digit),
      0,
    );
    assert.equal(told, crc32(access_key.slice(0, end)));
  });

  it('answers the same key again for the same Idempotency-Key', async () => {
    const { owner } = await cast();
    const extra = { headers: { 'idempotency-key': 'once' } };

    const first = await owner.post('/api-keys/', { description: 'x' }, extra);
    const second = await owner.post('/api-keys/', { description: 'x' }, extra);

    assert.deepEqual(second.body, first.body);
    assert.equal((await owner.get('/api-keys/')).body.length, 1);
  });

  it('refuses an end in the past, unknown fields, and somebody else as the owner', async () => {
    const { owner, editor } = await cast();
    const create = async (body: object) => (await owner.post('/api-keys/', body)).status;

    assert.equal(await create({ description: 'x', expires_at: '2020-01-01T00:00:00Z' }), 422);
    assert.equal(await create({ description: 'x', expires_at: 'tomorrow' }), 422);
    assert.equal(await create({ description: 'x', user_id: editor.user.id }), 422);
    assert.equal(await create({ description: '' }), 422);
    assert.equal(await create({ description: 'a\0b' }), 422);
    assert.equal(await create({}), 422);
  });
});

describe('POST /api-keys/token', () => {
  it('gives a token of the key owner, for an hour', async () => {
    const { owner, server } = await cast();
    const key = await newKey(owner);

    const { status, body, headers } = await exchange(server.url, key.access_key);

    assert.equal(status, 200);
    assert.deepEqual([body.token_type, body.expires_in, body.scope], ['Bearer', 3600, 'api']);
    assert.equal(headers.get('cache-control'), 'no-store');
    const me = await client(server.url, body.access_token).get('/me');
    assert.equal(me.body.id, owner.user.id);
  });

  it('refuses every key that is not exactly one', async () => {
    const { owner, server } = await cast();
    const { access_key } = await newKey(owner);
    const swapped = access_key.replace(/.(?=_[^_]*$)/, (last) => (last === 'a' ? 'b' : 'a'));
    const wrong = [
      '',
      'sk_',
      access_key.slice(0, -1),
      `${access_key} `,
      `${access_key}\n`,
      ` ${access_key}`,
      access_key.toUpperCase(),
      swapped,
      makeKey().text,
      // The public id of a real key with the secret of another.
      makeKey().text.replace(/^sk_[^_]+/, access_key.slice(0, 11)),
    ];
    for (const key of wrong) {
      const { status, body } = await exchange(server.url, key);
      assert.equal(status, 401, JSON.stringify(key));
      assert.match(body.detail, /a Bearer token or an X-API-Key header must be provided/);
    }
    assert.equal((await exchange(server.url, 'sk_'.repeat(200))).status, 422);
    assert.equal((await exchange(server.url, 'x'.repeat(2_000_000))).status, 413);
  });

  it('refuses a mistyped key without asking the database', async () => {
    const { owner, server } = await cast();
    const { access_key } = await newKey(owner);
    const mistyped = access_key.replace(/(?<=_)./, (first) => (first === 'a' ? 'b' : 'a'));

    const asked = await statementsOf(server, async () => {
      assert.equal((await exchange(server.url, mistyped)).status, 401);
      const headers = { 'x-api-key': mistyped };
      assert.equal((await client(server.url).get('/me', { headers })).status, 401);
    });

    assert.deepEqual(asked.texts, []);
  });

  it('tells how little time a key has left that ends soon', async () => {
    const { owner, server } = await cast();
    const soon = new Date(Date.now() + 600_000).toISOString();
    const { body: key } = await owner.post('/api-keys/', { description: 'x', expires_at: soon });

    const { body } = await exchange(server.url, key.access_key);

    assert.ok(body.expires_in > 500 && body.expires_in <= 600);
    await expire(server, key.id);
    assert.equal((await exchange(server.url, key.access_key)).status, 401);
    assert.equal((await client(server.url, body.access_token).get('/me')).status, 401);
    assert.deepEqual((await owner.get('/api-keys/')).body, []);
  });
});

describe('an API key', () => {
  it('works in X-API-Key, never as a Bearer token', async () => {
    const { owner, server } = await cast();
    const { access_key } = await newKey(owner);

    const byHeader = await client(server.url).get('/me', { headers: { 'x-api-key': access_key } });
    const byBearer = await client(server.url, access_key).get('/me');

    assert.equal(byHeader.body.id, owner.user.id);
    assert.equal(byBearer.status, 401);
  });

  it('does not help out when a Bearer token is wrong', async () => {
    const { owner, server } = await cast();
    const headers = { 'x-api-key': (await newKey(owner)).access_key };

    assert.equal((await client(server.url, 'wrong').get('/me', { headers })).status, 401);
  });

  it('dies with its tokens when it is revoked', async () => {
    const { owner, server } = await cast();
    const key = await newKey(owner);
    const { body } = await exchange(server.url, key.access_key);
    assert.equal((await client(server.url, body.access_token).get('/me')).status, 200);

    assert.equal((await owner.delete(`/api-keys/${key.id}`)).status, 204);

    assert.equal((await client(server.url, body.access_token).get('/me')).status, 401);
    assert.equal((await exchange(server.url, key.access_key)).status, 401);
    assert.equal((await owner.delete(`/api-keys/${key.id}`)).status, 404);
  });

  it('dies when somebody who has found it reports it', async () => {
    const { owner, server } = await cast();
    const key = await newKey(owner);
    const anybody = client(server.url);
    const report = (api_key: string) => anybody.post('/api-keys/report', { api_key });
    const last = key.access_key.endsWith('0') ? '1' : '0';
    assert.equal((await report(`${key.access_key.slice(0, -1)}${last}`)).status, 202);
    assert.equal((await report('no key')).status, 202);
    assert.equal((await exchange(server.url, key.access_key)).status, 200);
    assert.equal((await report(key.access_key)).status, 202);
    assert.equal((await exchange(server.url, key.access_key)).status, 401);
    assert.equal((await report(key.access_key)).status, 202);
  });

  it('of a disabled user dies as well when it is reported, should they come back', async () => {
    const { owner, admin, server } = await cast();
    const { id, access_key } = await newKey(owner);
    const path = `/users/${owner.user.id}`;
    await admin.patch(path, { status: 'disabled' });

    const report = await client(server.url).post('/api-keys/report', { api_key: access_key });

    assert.equal(report.status, 202);
    await admin.patch(path, { status: 'active' });
    assert.equal((await exchange(server.url, access_key)).status, 401);
    const { body } = await admin.get('/audit-events/?action=api_key.reported');
    assert.deepEqual(
      [body.length, body[0].target_id, body[0].actor_id, body[0].details.user_id],
      [1, String(id), undefined, owner.user.id],
    );
  });

  it('that may only read stays so when it is rotated', async () => {
    const { owner, server } = await cast();
    const key = (await owner.post('/api-keys', { description: 'CI', access: 'read' })).body;
    assert.equal(key.access, 'read');
    const { body: newer } = await owner.post(`/api-keys/${key.id}/rotate`, {});
    assert.equal(newer.access, 'read');
    const headers = { 'x-api-key': newer.access_key };
    const asReader = client(server.url);
    assert.equal((await asReader.get('/cogs', { headers })).status, 200);
    const made = await asReader.post('/cogs', { name: 'x', cog_type: 'asset_folder' }, { headers });
    assert.deepEqual([made.status, made.body.code], [403, 'read_only_key']);
    const put = await asReader.fetch('/dav/x.txt', { method: 'PUT', body: 'x', headers });
    assert.equal(put.status, 403);
    const depth = { ...headers, depth: '0' };
    const found = await asReader.fetch('/dav/', { method: 'PROPFIND', headers: depth });
    assert.equal(found.status, 207);
  });

  it('dies with its user', async () => {
    const { owner, server } = await cast();
    const { access_key } = await newKey(owner);
    const { body } = await exchange(server.url, access_key);

    await server.services.db`update users set status = 'disabled' where id = ${owner.user.id}`;

    assert.equal((await exchange(server.url, access_key)).status, 401);
    assert.equal((await client(server.url, body.access_token).get('/me')).status, 401);
  });

  it('notes its last use, at most once a minute', async () => {
    const { owner, server } = await cast();
    const { access_key, id } = await newKey(owner);
    const lastUsed = async () => (await owner.get('/api-keys/')).body[0].last_used_at;
    assert.equal(await lastUsed(), undefined);

    const { body } = await exchange(server.url, access_key);
    const first = await lastUsed();
    await exchange(server.url, access_key);
    assert.equal(await lastUsed(), first);

    await server.services.db`
      update api_keys set last_used_at = now() - interval '2 minutes' where id = ${id}
    `;
    await client(server.url, body.access_token).get('/me');
    assert.ok((await lastUsed()) > first);
  });

  it('can be revoked by its owner and by admins of the tenant only', async () => {
    const { owner, editor, admin, stranger } = await cast();
    const one = await newKey(owner);
    const two = await newKey(owner);

    assert.equal((await stranger.delete(`/api-keys/${one.id}`)).status, 404);
    assert.equal((await editor.delete(`/api-keys/${one.id}`)).status, 403);
    assert.deepEqual((await editor.get('/api-keys/')).body, []);
    assert.equal((await admin.delete(`/api-keys/${one.id}`)).status, 204);
    assert.equal((await owner.delete(`/api-keys/${two.id}`)).status, 204);
  });

  it('makes no key that outlives it', async () => {
    const { owner, server } = await cast();
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await owner.post('/api-keys/', { description: 'short', expires_at });
    const headers = { 'x-api-key': body.access_key };
    const program = client(server.url);
    const later = new Date(Date.now() + 7_200_000).toISOString();
    const unlimited = await newKey(owner);

    const longer = { description: 'x', expires_at: later };
    assert.equal((await program.post('/api-keys/', longer, { headers })).status, 403);
    const heir = await program.post('/api-keys/', { description: 'x' }, { headers });
    assert.equal(heir.body.expires_at, expires_at);
    const rotated = await program.post(`/api-keys/${unlimited.id}/rotate`, {}, { headers });
    assert.equal(rotated.status, 403);
  });
});

describe('POST /api-keys/:id/rotate', () => {
  it('gives a new key, and ends the old one at once', async () => {
    const { owner, server } = await cast();
    const old = await newKey(owner);

    const { status, body } = await owner.post(`/api-keys/${old.id}/rotate`, {});

    assert.equal(status, 201);
    assert.equal(body.description, old.description);
    assert.equal((await exchange(server.url, old.access_key)).status, 401);
    assert.equal((await exchange(server.url, body.access_key)).status, 200);
  });

  it('lets the old one live on for the overlap', async () => {
    const { owner, server } = await cast();
    const old = await newKey(owner);

    const { body } = await owner.post(`/api-keys/${old.id}/rotate`, { overlap_seconds: 600 });

    const exchanged = await exchange(server.url, old.access_key);
    assert.equal(exchanged.status, 200);
    assert.equal((await exchange(server.url, body.access_key)).status, 200);
    const { body: keys } = await owner.get('/api-keys/');
    const ends = keys.find(({ id }: Key) => id === old.id).expires_at;
    assert.equal(Date.parse(ends) - Date.parse(body.created_at), 600_000);
    const withOld = client(server.url, exchanged.body.access_token);
    assert.equal((await withOld.get('/me')).status, 200);
    await expire(server, old.id);
    assert.equal((await exchange(server.url, old.access_key)).status, 401);
    assert.equal((await client(server.url, exchanged.body.access_token).get('/cogs')).status, 401);
    assert.equal((await owner.post(`/api-keys/${old.id}/rotate`)).status, 404);
  });

  it('is for the owner alone, because a key can act as its owner', async () => {
    const { owner, admin, stranger } = await cast();
    const { id } = await newKey(owner);

    assert.equal((await admin.post(`/api-keys/${id}/rotate`, {})).status, 403);
    assert.equal((await stranger.post(`/api-keys/${id}/rotate`, {})).status, 404);
  });

  it('of the same key twice at once leaves one new key', async () => {
    const { owner } = await cast();
    const { id } = await newKey(owner);

    const answers = await Promise.all([1, 2].map(() => owner.post(`/api-keys/${id}/rotate`, {})));

    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 404]);
    assert.equal((await owner.get('/api-keys/')).body.length, 1);
  });
});

async function newKey(who: Cast['owner']): Promise<Key> {
  return (await who.post('/api-keys/', { description: 'a program' })).body;
}

const exchange = (url: string, api_key: string) => client(url).post('/api-keys/token', { api_key });

const expire = ({ services: { db } }: Cast['server'], id: number) =>
  db`update api_keys set expires_at = now() - interval '1 second' where id = ${id}`;
