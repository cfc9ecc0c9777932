import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type CryptoKey, importJWK, type JWTPayload, SignJWT } from 'jose';
import { type Cast, cast, client } from '../../../../test/cast.ts';
import { startServer, type TestServer, testServer } from '../../../../test/server.ts';
import { signIn, userWithPassword } from '../../../../test/sign-in.ts';
import { openAccount } from '../accounts.ts';

/** The issuer is a server with its embedded provider; the other server knows only its URL. */
let issuer: TestServer;
let server: TestServer;
let home: Cast;

describe('a server with an external issuer', () => {
  before(async () => {
    issuer = await testServer();
    home = await cast(issuer);
    server = await startServer({
      OIDC_ISSUER: `${issuer.url}/realms/cogworks`,
      OIDC_CLIENT_ID: 'dashboard',
    });
  });

  it('tells clients to sign in at its own page, and that passwords are kept elsewhere', async () => {
    const { body } = await client(server.url).get('/auth/config');

    assert.equal(body.issuer, `${server.url}/realms/cogworks`);
    assert.deepEqual(body.scopes, ['openid', 'profile', 'email', 'offline_access', 'api']);
    assert.equal(body.is_embedded, false);
  });

  it('lets a newcomer in, as admin of a tenant of their own, once', async () => {
    const user = await userWithPassword(issuer, home.admin.user.tenant_id);
    const { access_token } = await signIn(issuer, user.email, user.password);
    const me = client(server.url, access_token);

    const answers = await Promise.all(Array.from({ length: 6 }, () => me.get('/me')));

    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    const [{ body } = { body: {} }] = answers;
    assert.equal(body.email, user.email);
    assert.equal(body.role, 'admin');
    assert.equal(body.is_platform_admin, false);
    const { body: colleagues } = await me.get('/users/');
    assert.equal(colleagues.length, 1);
  });

  it('puts nobody who is invited anywhere before they have said so, and takes no password', async () => {
    const token = await tokenWith({});
    const host = client(server.url, token);
    const organization = (await host.get('/me')).body.tenant_id;
    const email = `Guest-${crypto.randomUUID()}@Example.test`;
    const { body: invited } = await host.post('/invitations/', { email, role: 'member' });
    const open = { token: invited.link.slice(invited.link.indexOf('#') + 1) };
    const { body: found } = await client(server.url).post('/invitations/look-up', open);
    assert.equal(found.needs, 'sign_in');
    const refused = await client(server.url).post('/invitations/accept', {
      ...open,
      password: 'a fine long password',
    });
    assert.deepEqual([refused.status, refused.body.code], [409, 'sign_in_there']);

    const unverified = await tokenWith({ sub: 'unverified', email: email.toLowerCase() });
    const own = (await client(server.url, unverified).get('/me')).body;
    const verified = { sub: 'guest', email: email.toLowerCase(), email_verified: true };
    const guest = client(server.url, await tokenWith(verified));
    const asked = await guest.get('/me');

    assert.notEqual(own.tenant_id, organization);
    assert.deepEqual([asked.status, asked.body.code], [403, 'invitation_open']);
    assert.match(asked.body.detail, /Sign in at .*\/app\/ once/);
    assert.equal((await client(server.url).post('/invitations/look-up', open)).status, 200);
    assert.equal((await host.get('/users/')).body.length, 1);
  });

  it('renews tokens at the issuer, once each', async () => {
    const user = await userWithPassword(issuer, home.admin.user.tenant_id);
    const { refresh_token } = await signIn(issuer, user.email, user.password);
    const refresh = () => client(server.url).post('/auth/refresh-token', { refresh_token });

    const { status, body } = await refresh();

    assert.equal(status, 200);
    assert.notEqual(body.refresh_token, refresh_token);
    assert.equal((await client(server.url, body.access_token).get('/me')).body.email, user.email);
    assert.equal((await refresh()).status, 401);
  });

  it('stops a user it has disabled, whatever the issuer says', async () => {
    const token = await tokenWith({});
    const { body } = await client(server.url, token).get('/me');
    await server.services.db`update users set status = 'disabled' where id = ${body.id}`;

    assert.equal((await client(server.url, token).get('/me')).status, 401);
  });

  it('exchanges API keys for tokens of its own', async () => {
    const me = client(server.url, await tokenWith({}));
    const { body: key } = await me.post('/api-keys/', { description: 'x' });

    const { body } = await client(server.url).post('/api-keys/token', { api_key: key.access_key });

    const same = await client(server.url, body.access_token).get('/me');
    assert.equal(same.body.id, (await me.get('/me')).body.id);
  });

  it('lets whoever is awaited take their place, by a verified address only', async () => {
    const { db, config } = server.services;
    const { body } = await client(server.url, await tokenWith({})).get('/me');
    const account = { tenant_id: body.tenant_id, email: 'Colleague@corp.test', role: 'member' };
    const { user, password } = await openAccount(db, config, { ...account, role: 'member' });
    assert.equal(password, undefined);
    const email = 'colleague@corp.test';

    const unverified = await client(server.url, await tokenWith({ email })).get('/me');
    const token = await tokenWith({ email, email_verified: true });
    const verified = await client(server.url, token).get('/me');

    assert.notEqual(unverified.body.id, user.id);
    assert.equal(verified.body.id, user.id);
    assert.equal(verified.body.tenant_id, body.tenant_id);
  });

  it('takes no address for that of an awaited user which a database only folds into it', async () => {
    const { db, config } = server.services;
    const { body } = await client(server.url, await tokenWith({})).get('/me');
    const { user } = await openAccount(db, config, {
      tenant_id: body.tenant_id,
      email: 'kim@corp.test',
      role: 'member',
    });

    for (const email of ['k\u0130m@corp.test', '\u212Aim@corp.test']) {
      const token = await tokenWith({ email, email_verified: true });
      const other = await client(server.url, token).get('/me');
      assert.equal(other.status, 200);
      assert.notEqual(other.body.id, user.id, email);
    }
  });

  it('lets somebody in whose address is unknown', async () => {
    const { status, body } = await client(server.url, await tokenWith({ name: 'Ada' })).get('/me');

    assert.deepEqual([status, body.email], [200, '']);
  });

  it('believes no claim about who somebody is here', async () => {
    const first = await client(server.url, await tokenWith({})).get('/me');
    const { body } = await client(server.url, await tokenWith({ uid: first.body.id })).get('/me');

    assert.notEqual(body.id, first.body.id);
  });

  it('refuses tokens that are not for it', async () => {
    const refused: Record<string, Promise<string>> = {
      'another audience': tokenWith({ aud: 'somebody-else' }),
      'an id token': tokenWith({ aud: 'dashboard', nonce: 'x' }, 'JWT'),
      'a logout token': tokenWith({ aud: 'dashboard', events: {} }, 'logout+jwt'),
      'a refresh token of its kind': tokenWith({ aud: 'dashboard', typ: 'Refresh' }, 'JWT'),
      'another issuer': tokenWith({ iss: 'http://evil.test' }),
      expired: tokenWith({ exp: Math.floor(Date.now() / 1000) - 60 }),
      'no subject': tokenWith({ sub: undefined as unknown as string }),
      'its own issuer, with a foreign key': tokenWith({ iss: server.tokens.issuer(), uid: 1 }),
    };
    for (const [what, token] of Object.entries(refused)) {
      const { status } = await client(server.url, await token).get('/me');
      assert.equal(status, 401, what);
    }
    const asBearer = { aud: 'dashboard', typ: 'Bearer' };
    const older = await client(server.url, await tokenWith(asBearer, 'JWT')).get('/me');
    assert.equal(older.status, 200);
  });

  it('answers 503 while the issuer is away', async () => {
    const away = await startServer({ OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'x' });
    const token = await tokenWith({});

    assert.equal((await client(away.url).get('/auth/config')).status, 200);
    assert.equal((await client(away.url, token).get('/me')).status, 503);
    const refresh_token = 'x';
    const refreshed = await client(away.url).post('/auth/refresh-token', { refresh_token });
    assert.equal(refreshed.status, 503);
  });
});

let count = 0;

/** A token signed by the issuer; by default for a new subject. */
async function tokenWith(changes: JWTPayload, typ = 'at+jwt') {
  const key = issuer.tokens.privateJwks[0] ?? {};
  const claims = {
    iss: issuer.tokens.issuer(),
    aud: 'cogworks',
    sub: `subject-${++count}`,
    exp: Math.floor(Date.now() / 1000) + 600,
    ...changes,
  };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ, kid: key.kid as string })
    .sign((await importJWK(key, 'ES256')) as CryptoKey);
}
