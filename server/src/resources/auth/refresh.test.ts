import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast, client } from '../../../test/cast.ts';
import { startServer, testServer } from '../../../test/server.ts';
import { redeem, signIn, userWithPassword } from '../../../test/sign-in.ts';
import { collectExpiredSignIns } from './expired.ts';

describe('POST /auth/refresh-token', () => {
  it('gives new tokens, and a new refresh token each time', async () => {
    const { server, user, refresh_token } = await signedIn();

    const { status, body } = await refresh(refresh_token);

    assert.equal(status, 200);
    assert.deepEqual([body.token_type, body.expires_in, body.scope], ['Bearer', 3600, 'api']);
    assert.notEqual(body.refresh_token, refresh_token);
    const me = await client(server.url, body.access_token).get('/me');
    assert.equal(me.body.id, user.id);
    assert.equal((await refresh(body.refresh_token)).status, 200);
  });

  it('ends the whole family when a used token comes again', async () => {
    const { refresh_token } = await signedIn();
    const { body } = await refresh(refresh_token);

    const replayed = await refresh(refresh_token);

    assert.equal(replayed.status, 401);
    assert.match(replayed.body.detail, /a Bearer token or an X-API-Key header must be provided/);
    assert.equal((await refresh(body.refresh_token)).status, 401);
  });

  it('leaves other families of the same user and browser alone', async () => {
    const { server, user, refresh_token, browser } = await signedIn();
    const other = await signIn(server, user.email, user.password);
    assert.notEqual(other.browser, browser);
    await refresh(refresh_token);
    await refresh(refresh_token);

    assert.equal((await refresh(other.refresh_token)).status, 200);
  });

  it('lets at most one of many simultaneous uses through', async () => {
    const { refresh_token } = await signedIn();

    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(refresh_token)));

    const good = answers.filter(({ status }) => status === 200);
    assert.ok(good.length <= 1);
    for (const { status } of answers) assert.ok(status === 200 || status === 401);
    for (const { body } of good) assert.equal((await refresh(body.refresh_token)).status, 401);
  });

  it('refuses what is no refresh token', async () => {
    const { access_token, id_token } = await signedIn();
    for (const token of ['nonsense', access_token, id_token]) {
      assert.equal((await refresh(token)).status, 401);
    }
    assert.equal((await refresh('')).status, 422);
  });

  it('refuses the token of a user who was disabled since', async () => {
    const { server, admin, user, refresh_token, access_token } = await signedIn();
    await admin.patch(`/users/${user.id}`, { status: 'disabled' });

    assert.equal((await refresh(refresh_token)).status, 401);
    assert.equal((await client(server.url, access_token).get('/me')).status, 401);
  });

  it('also works at the provider itself, as OAuth clients do it', async () => {
    const { server, refresh_token } = await signedIn();
    const grant = { grant_type: 'refresh_token', refresh_token };

    assert.equal((await redeem(server.url, '', '', grant)).status, 200);
    assert.equal((await redeem(server.url, '', '', grant)).status, 400);
  });
});

describe('POST /auth/change-password', () => {
  it('changes it, and ends the other sessions but not this one', async () => {
    const { server, user, access_token, refresh_token } = await signedIn();
    const elsewhere = await signIn(server, user.email, user.password);
    const me = client(server.url, access_token);
    const new_password = 'something else entirely';

    const { status } = await me.post('/auth/change-password', {
      current_password: user.password,
      new_password,
    });

    assert.equal(status, 204);
    assert.equal((await refresh(elsewhere.refresh_token)).status, 401);
    assert.equal((await refresh(refresh_token)).status, 200);
    await assert.rejects(signIn(server, user.email, user.password), /401/);
    assert.ok((await signIn(server, user.email, new_password)).access_token);
  });

  it('refuses a wrong current password, and a poor new one', async () => {
    const { server, user, access_token } = await signedIn();
    const me = client(server.url, access_token);
    const change = (current_password: string, new_password: string) =>
      me.post('/auth/change-password', { current_password, new_password });

    const wrong = await change('wrong', 'something else entirely');
    assert.deepEqual([wrong.status, wrong.body.code], [403, 'wrong_password']);
    assert.equal((await change(user.password, 'short')).status, 422);
    assert.equal((await change(user.password, user.email)).status, 422);
  });

  it('slows down guessing', async () => {
    const { server, access_token } = await signedIn();
    const me = client(server.url, access_token);
    const body = { current_password: 'wrong', new_password: 'something else entirely' };
    await Promise.all(Array.from({ length: 10 }, () => me.post('/auth/change-password', body)));

    const { status, headers } = await me.post('/auth/change-password', body);

    assert.equal(status, 429);
    assert.ok(Number(headers.get('retry-after')) > 0);
  });
});

describe('what the provider remembers', () => {
  it('is sealed, and holds no token as it is', async () => {
    const { server, refresh_token } = await signedIn();

    const rows = await server.services.db<{ payload: Uint8Array; id_hash: Uint8Array }[]>`
      select payload, id_hash from identity_states
    `;

    for (const { payload, id_hash } of rows) {
      const text = Buffer.concat([payload, id_hash]).toString('latin1');
      assert.equal(text.includes(refresh_token), false);
      assert.equal(text.includes('accountId'), false);
    }
  });

  it('is forgotten a day after it expired', async () => {
    const server = await startServer();
    const { db } = server.services;
    const { admin } = await cast(server);
    const user = await userWithPassword(server, admin.user.tenant_id);
    await signIn(server, user.email, user.password);
    const days = (count: number) => new Date(Date.now() + count * 86_400_000);

    assert.equal(await collectExpiredSignIns(db, days(0)), 0);
    assert.ok((await collectExpiredSignIns(db, days(2))) > 0);
    assert.equal((await db`select from identity_states where model = 'RefreshToken'`).count, 1);
    await collectExpiredSignIns(db, days(33));
    assert.equal((await db`select from identity_states`).count, 0);
  });
});

async function signedIn() {
  const { server, admin } = await cast();
  const user = await userWithPassword(server, admin.user.tenant_id);
  return { server, admin, user, ...(await signIn(server, user.email, user.password)) };
}

async function refresh(refresh_token: string) {
  const { url } = await testServer();
  return client(url).post('/auth/refresh-token', { refresh_token });
}
