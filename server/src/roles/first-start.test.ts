import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { client } from '../../test/cast.ts';
import { startServer } from '../../test/server.ts';
import { signIn } from '../../test/sign-in.ts';
import { until } from '../../test/until.ts';
import { openTokens } from '../resources/auth/tokens.ts';
import type { Services } from '../services.ts';
import { setUpFirstAdmin, welcome } from './first-start.ts';

/** Four servers that all wait before the same statement, and are released at once. */
function startTogether(services: Services) {
  return services.db.transaction(async (tx) => {
    await tx`lock table signing_keys in share row exclusive mode`;
    const servers = Promise.all(Array.from({ length: 4 }, () => openTokens(services)));
    await until('all of them wait', async () => {
      const [row] = await tx<{ count: number }[]>`
        select count(*) from pg_locks where relation = 'signing_keys'::regclass and not granted
      `;
      return row?.count === 4;
    });
    return { servers };
  });
}

describe('the first start', () => {
  it('makes one admin of the platform, with a password shown once', async () => {
    const server = await startServer();
    const { config, db, keys } = server.services;

    // Servers that start together.
    const results = await Promise.all(
      Array.from({ length: 4 }, () => setUpFirstAdmin(config, db, keys)),
    );

    const [admin, ...others] = results.filter((result) => result !== undefined);
    assert.equal(others.length, 0);
    assert.equal(admin?.email, 'admin@localhost');
    const { access_token } = await signIn(server, 'admin@localhost', admin?.password ?? '');
    const { body } = await client(server.url, access_token).get('/me');
    assert.equal(body.is_platform_admin, true);
    assert.equal(body.role, 'admin');
    assert.equal(await setUpFirstAdmin(config, db, keys), undefined);
    assert.match(
      welcome(admin ?? { email: '' }, server.url),
      new RegExp(admin?.password ?? 'none'),
    );
    assert.match(welcome(admin ?? { email: '' }, server.url), /\/app\/\?email=admin@localhost/);
    const link = /\S+\/app\/\S+/.exec(
      welcome({ email: 'me+ops@corp.test', password: 'x' }, server.url),
    )?.[0];
    assert.equal(new URL(link ?? '').searchParams.get('email'), 'me+ops@corp.test');
  });

  it('makes one key that signs, of however many servers start together', async () => {
    const { services } = await startServer();
    for (let round = 0; round < 20; round += 1) {
      await services.db`delete from signing_keys`;

      const servers = await (await startTogether(services)).servers;

      const signing = servers.map(({ privateJwks }) => privateJwks.map(({ kid }) => kid));
      assert.deepEqual(signing, Array(4).fill(signing[0]));
      assert.equal(signing[0]?.length, 1);
      const token = await servers[0]?.issue({ user_id: 1, subject: 'somebody' });
      for (const server of servers) await server.verify(token ?? '');
    }
  });

  it('takes the password from the environment, and then shows none', async () => {
    const server = await startServer({ ADMIN_EMAIL: 'me@corp.test', ADMIN_PASSWORD: 'given' });
    const { config, db, keys } = server.services;

    const admin = await setUpFirstAdmin(config, db, keys);

    assert.deepEqual(admin, { email: 'me@corp.test' });
    assert.ok((await signIn(server, 'ME@corp.test', 'given')).access_token);
  });
});
