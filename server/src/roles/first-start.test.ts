import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { client } from '../../test/cast.ts';
import { startServer } from '../../test/server.ts';
import { signIn } from '../../test/sign-in.ts';
import { setUpFirstAdmin, welcome } from './first-start.ts';

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
  });

  it('takes the password from the environment, and then shows none', async () => {
    const server = await startServer({ ADMIN_EMAIL: 'me@corp.test', ADMIN_PASSWORD: 'given' });
    const { config, db, keys } = server.services;

    const admin = await setUpFirstAdmin(config, db, keys);

    assert.deepEqual(admin, { email: 'me@corp.test' });
    assert.ok((await signIn(server, 'ME@corp.test', 'given')).access_token);
  });
});
