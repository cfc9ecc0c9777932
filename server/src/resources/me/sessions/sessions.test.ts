import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast, client } from '../../../../test/cast.ts';
import { watch } from '../../../../test/event-stream.ts';
import { startServer } from '../../../../test/server.ts';
import {
  authorizationRequest,
  Browser,
  codeOf,
  type SignedIn,
  signIn,
  signOut,
  userWithPassword,
} from '../../../../test/sign-in.ts';
import { collectExpiredSignIns } from '../../auth/expired.ts';
import { deviceOf } from './device-names.ts';

describe('my sessions', () => {
  it('say since when and from where I am signed in, and which one I use', async () => {
    const { server, user, session, me } = await signedIn();
    const elsewhere = await signIn(server, user.email, user.password);

    const { status, body } = await me(session).get('/me/sessions?with_total=true');

    assert.equal(status, 200);
    assert.equal(body.length, 2);
    const [newest, current] = body;
    assert.deepEqual([newest.is_current, current.is_current], [false, true]);
    assert.equal(current.address, '127.0.0.1');
    assert.equal(current.device, 'Unknown device');
    assert.ok(Math.abs(Date.parse(current.created_at) - Date.now()) < 60_000);
    const theirs = await me(elsewhere).get('/me/sessions');
    assert.deepEqual(
      theirs.body.map((one: { is_current: boolean }) => one.is_current),
      [true, false],
    );
  });

  it('remember when their tokens were renewed last', async () => {
    const { server, session, me } = await signedIn();
    await server.services.db`
      update sign_in_sessions set created_at = '2026-01-01', last_used_at = '2026-01-01'
    `;
    const { refresh_token } = session;

    await client(server.url).post('/auth/refresh-token', { refresh_token });

    const [one] = (await me(session).get('/me/sessions')).body;
    assert.equal(one.created_at, '2026-01-01T00:00:00.000Z');
    assert.ok(Date.parse(one.last_used_at) > Date.parse('2026-02-01'));
    assert.equal(one.address, '127.0.0.1');
  });

  it('end one by one, at once, with access tokens, refresh tokens and open streams', async () => {
    const { server, user, session, me } = await signedIn();
    const stolen = await signIn(server, user.email, user.password);
    const stream = await watch(me(stolen), '/events');
    const [other] = (await me(session).get('/me/sessions')).body;

    assert.equal((await me(session).delete(`/me/sessions/${other.id}`)).status, 204);

    await stream.ended;
    assert.equal((await me(stolen).get('/me')).status, 401);
    const { refresh_token } = stolen;
    const renewed = await client(server.url).post('/auth/refresh-token', { refresh_token });
    assert.equal(renewed.status, 401);
    const again = await stolen.browser.follow(authorizationRequest(server.url).url);
    assert.equal(codeOf(again, server.url), undefined, 'its browser has to sign in again');
    assert.equal((await me(session).get('/me')).status, 200);
    assert.equal((await me(session).get('/me/sessions')).body.length, 1);
    assert.equal((await me(session).delete(`/me/sessions/${other.id}`)).status, 404);
  });

  it('end all but this one', async () => {
    const { server, user, session, me } = await signedIn();
    const others = [
      await signIn(server, user.email, user.password),
      await signIn(server, user.email, user.password),
    ];

    assert.equal((await me(session).delete('/me/sessions')).status, 204);

    for (const other of others) assert.equal((await me(other).get('/me')).status, 401);
    assert.equal((await me(session).get('/me/sessions')).body.length, 1);
  });

  it('are seen and ended by nobody else, and ended by no API key', async () => {
    const { server, session, me, admin } = await signedIn();
    const [mine] = (await me(session).get('/me/sessions')).body;
    const { body: key } = await me(session).post('/api-keys/', { description: 'x' });
    const headers = { 'x-api-key': key.access_key };
    const program = client(server.url);

    assert.deepEqual((await admin.get('/me/sessions')).body, []);
    assert.equal((await admin.delete(`/me/sessions/${mine.id}`)).status, 404);
    for (const more of [{}, { authorization: 'Basic eDp5' }, { authorization: 'Bearer' }]) {
      const { body } = await program.get('/me/sessions', { headers: { ...headers, ...more } });
      assert.equal(body.length, 1);
    }
    for (const path of ['/me/sessions', `/me/sessions/${mine.id}`]) {
      assert.equal((await program.delete(path, { headers })).status, 403);
    }
    assert.equal((await me(session).get('/me')).status, 200);
  });

  it('are gone after a sign-out, and forgotten a day later', async () => {
    const { server, user, session, me } = await signedIn();
    const other = await signIn(server, user.email, user.password);
    await signOut(server, other);
    const { db } = server.services;
    const tomorrow = new Date(Date.now() + 25 * 3_600_000);

    await collectExpiredSignIns(db, tomorrow);

    assert.equal((await me(session).get('/me/sessions')).body.length, 1);
    const rows = await db`select from sign_in_sessions where user_id = ${user.id}`;
    assert.equal(rows.length, 1);
  });

  it('believe an address that a proxy tells only if the proxy is trusted', async () => {
    const told = { 'x-forwarded-for': '203.0.113.9' };
    for (const [env, address] of [
      [{}, '127.0.0.1'],
      [{ TRUST_PROXY: '127.0.0.1' }, '203.0.113.9'],
    ] as const) {
      const server = await startServer({ ...env });
      const { admin } = await cast(server);
      const user = await userWithPassword(server, admin.user.tenant_id);
      const request = authorizationRequest(server.url);
      const browser = new Browser(server.url, told);
      const page = await browser.follow(request.url);
      const answer = await browser.submit(page.url, { email: user.email, password: user.password });
      const response = await fetch(`${server.url}/realms/cogworks/token`, {
        method: 'POST',
        headers: { origin: server.url, ...told },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: 'dashboard',
          redirect_uri: `${server.url}/app/callback`,
          code: codeOf(answer, server.url) ?? '',
          code_verifier: request.verifier,
        }),
      });
      const { access_token } = (await response.json()) as { access_token: string };

      const { body } = await client(server.url, access_token).get('/me/sessions');

      assert.equal(body[0].address, address);
    }
  });
});

describe('a device', () => {
  const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36';
  for (const [userAgent, name] of [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [`${windows} (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [`${windows} (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0`, 'Edge on Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    ['curl/8.5.0', 'Unknown device'],
  ] as const) {
    it(`is called ${name}`, () => {
      assert.equal(deviceOf(userAgent), name);
    });
  }
});

async function signedIn() {
  const { server, admin } = await cast();
  const user = await userWithPassword(server, admin.user.tenant_id);
  const session = await signIn(server, user.email, user.password);
  const me = ({ access_token }: Pick<SignedIn, 'access_token'>) => client(server.url, access_token);
  return { server, admin, user, session, me };
}
