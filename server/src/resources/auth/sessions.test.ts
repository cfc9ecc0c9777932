import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { cast, client } from '../../../test/cast.ts';
import {
  authorizationRequest,
  Browser,
  codeOf,
  redeem,
  type SignedIn,
  signIn,
  signOut,
  userWithPassword,
} from '../../../test/sign-in.ts';
import { endSession, endSessionsOf, stateStore } from './provider/store.ts';

describe('an access token of a session', () => {
  it('ends with the sign-out, and so does one that was renewed', async () => {
    const { server, session } = await signedIn();
    const { body: renewed } = await refresh(server.url, session);
    assert.equal(await statusOf(server.url, session), 200);
    assert.equal(await statusOf(server.url, renewed), 200);

    await signOut(server, session);

    assert.equal(await statusOf(server.url, session), 401);
    assert.equal(await statusOf(server.url, renewed), 401);
  });

  it('stays when another browser signs out', async () => {
    const { server, user, session } = await signedIn();
    const elsewhere = await signIn(server, user.email, user.password);

    await signOut(server, elsewhere);

    assert.equal(await statusOf(server.url, elsewhere), 401);
    assert.equal(await statusOf(server.url, session), 200);
  });

  it('ends when the password is changed elsewhere, and stays where it was changed', async () => {
    const { server, user, session } = await signedIn();
    const elsewhere = await signIn(server, user.email, user.password);

    const { status } = await client(server.url, session.access_token).post(
      '/auth/change-password',
      { current_password: user.password, new_password: 'something else entirely' },
    );

    assert.equal(status, 204);
    assert.equal(await statusOf(server.url, elsewhere), 401);
    assert.equal(await statusOf(server.url, session), 200);
    assert.equal((await refresh(server.url, session)).status, 200);
  });

  it('ends with its family when a used refresh token comes again', async () => {
    const { server, session } = await signedIn();
    const { body: renewed } = await refresh(server.url, session);

    assert.equal((await refresh(server.url, session)).status, 401);

    assert.equal(await statusOf(server.url, session), 401);
    assert.equal(await statusOf(server.url, renewed), 401);
  });

  it('ends when its refresh token is revoked', async () => {
    const { server, session } = await signedIn();

    const { status } = await fetch(`${server.url}/realms/cogworks/token/revocation`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'dashboard', token: session.refresh_token }),
    });

    assert.equal(status, 200);
    assert.equal(await statusOf(server.url, session), 401);
  });

  it('outlives the session in the browser while a refresh token does', async () => {
    const { server, session } = await signedIn();
    const { db } = server.services;
    const { sid } = decodeJwt(session.access_token);
    const expire = (model: string) => db`
      update identity_states set expires_at = now()
      where model = ${model} and session_uid = ${String(sid)}
    `;

    await expire('Session');
    assert.equal(await statusOf(server.url, session), 200);
    await expire('RefreshToken');
    assert.equal(await statusOf(server.url, session), 401);
  });

  it('is not brought back by a renewal that was under way at the sign-out', async () => {
    const { server, session } = await signedIn();
    const { db } = server.services;
    const { body: renewed } = await refresh(server.url, session);
    const { sid } = decodeJwt(session.access_token);
    const rows = await db<{ row: object }[]>`
      select to_jsonb(identity_states) as row from identity_states
      where model = 'RefreshToken' and session_uid = ${String(sid)}
    `;

    await signOut(server, session);
    // As a concurrent renewal would have written it a moment later.
    for (const { row } of rows) {
      await db`
        insert into identity_states
        select * from jsonb_populate_record(null::identity_states, ${db.json(row)})
      `;
    }

    assert.equal(await statusOf(server.url, renewed), 401);
    const grant = { grant_type: 'refresh_token', refresh_token: renewed.refresh_token };
    assert.equal((await redeem(server.url, '', '', grant)).status, 400);
  });
});

describe('a sign-in under way', () => {
  it('ends when the password it was shown is changed', async () => {
    const { server, user, session } = await signedIn();
    const { email, password } = user;
    const browser = new Browser(server.url);
    const page = await browser.follow(authorizationRequest(server.url).url);
    // A user who has entered the password, but not completed the sign-in.
    const shown = await fetch(page.url, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.cookiesFor(page.url) },
      body: new URLSearchParams({ email, password }),
    });
    assert.equal(shown.status, 303);
    await client(server.url, session.access_token).post('/auth/change-password', {
      current_password: password,
      new_password: 'something else entirely',
    });

    const later = await browser.follow(shown.headers.get('location') ?? '');

    assert.equal(codeOf(later, server.url), undefined);
  });
});

describe('a session that has ended', () => {
  it('is not brought back by a request that was under way', async () => {
    const { server, user } = await signedIn();
    const { db } = server.services;
    const sessions = stateStore(server.services)('Session');
    const [id, uid] = [randomUUID(), randomUUID()];
    const save = () => sessions.upsert(id, { uid, accountId: user.subject }, 3600);
    await save();
    assert.ok(await sessions.find(id));

    for (const ends of [() => endSession(db, uid), () => endSessionsOf(db, user.subject)]) {
      await ends();
      await save();
      assert.equal(await sessions.find(id), undefined);
      assert.equal(await sessions.findByUid(uid), undefined);
    }
  });
});

async function signedIn() {
  const { server, admin } = await cast();
  const user = await userWithPassword(server, admin.user.tenant_id);
  return { server, user, session: await signIn(server, user.email, user.password) };
}

const statusOf = async (url: string, { access_token }: Pick<SignedIn, 'access_token'>) =>
  (await client(url, access_token).get('/me')).status;

const refresh = (url: string, { refresh_token }: SignedIn) =>
  client(url).post('/auth/refresh-token', { refresh_token });
