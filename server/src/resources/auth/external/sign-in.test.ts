import assert from 'node:assert/strict';
import { before, beforeEach, describe, it, mock } from 'node:test';
import { cast, client } from '../../../../test/cast.ts';
import {
  clientId,
  clientSecret,
  type Faults,
  type IdentityProvider,
  identityProvider,
} from '../../../../test/identity-provider.ts';
import { heldUp } from '../../../../test/races.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';
import {
  authorizationRequest,
  Browser,
  codeOf,
  redeem,
  signIn,
  userWithPassword,
} from '../../../../test/sign-in.ts';
import { signInElsewhere, whoCame } from '../../../../test/sign-in-elsewhere.ts';
import type { Db } from '../../../db/connection.ts';
import { setPassword } from '../passwords.ts';
import { openExternalIssuer } from './issuer.ts';

let idp: IdentityProvider;
let server: TestServer;

before(async () => {
  idp = await identityProvider();
  server = await startServer({
    OIDC_ISSUER: idp.url,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_NAME: 'Corp & Co',
  });
});

beforeEach(() => {
  Object.assign(idp, { person: {}, userinfo: {}, faults: {}, is_away: false });
});

let count = 0;
const newAddress = () => `person-${++count}@corp.test`;

const goThere = (browser?: Browser, request?: ReturnType<typeof authorizationRequest>) =>
  signInElsewhere(server, browser, request);
const whoIs = (there: Parameters<typeof whoCame>[1]) => whoCame(server, there);

describe('signing in at an external provider', () => {
  it('is offered by the page, and brings a newcomer to a tenant of their own', async () => {
    const browser = new Browser(server.url);
    const first = await browser.follow(authorizationRequest(server.url).url);
    assert.match(first.text, /Continue with Corp &amp; Co/);
    idp.person = { sub: 'ada', email: newAddress(), given_name: 'Ada', family_name: 'Lovelace' };

    const ada = await whoIs(await goThere());
    const again = await whoIs(await goThere());

    assert.deepEqual([ada.role, ada.first_name, ada.last_name], ['admin', 'Ada', 'Lovelace']);
    assert.equal(again.id, ada.id);
    const asked = idp.requests.at(-1);
    assert.equal(asked?.get('redirect_uri'), `${server.url}/realms/cogworks/external/callback`);
    assert.equal(asked?.get('scope'), 'openid profile email');
    assert.equal(asked?.get('code_challenge_method'), 'S256');
    assert.ok((asked?.get('nonce') ?? '').length >= 32);
    const { body: events } = await ada.me.get('/audit-events?action=user.signed_in');
    assert.deepEqual(events[0].details, { address: '127.0.0.1', issuer: idp.url });
  });

  it('gives tokens of this server, which it renews, for a day', async () => {
    idp.person = { sub: 'renews' };
    const person = await whoIs(await goThere());

    const { refresh_token } = person;
    const renewed = await client(server.url).post('/auth/refresh-token', { refresh_token });

    assert.equal(renewed.status, 200);
    assert.equal(
      (await client(server.url, renewed.body.access_token).get('/me')).body.id,
      person.id,
    );
    const [row] = await server.services.db`
      select max(expires_at) < now() + interval '1 day 1 minute' as within_a_day
      from identity_states
      where subject = ${`user-${person.tenant_id}-${person.id}`} and model = 'RefreshToken'
    `;
    assert.equal(row?.within_a_day, true);
    const { body: sessions } = await person.me.get('/me/sessions');
    assert.deepEqual([sessions.length, sessions[0]?.is_current], [1, true]);
  });

  it('lets nobody stay for longer than a day, however often they come back', async () => {
    idp.person = { sub: 'comes back' };
    const first = await goThere();
    const { tenant_id, id } = await whoIs(first);
    const comeBack = async (hours: number) => {
      mock.timers.enable({ apis: ['Date'], now: Date.now() + hours * 3_600_000 });
      try {
        const request = authorizationRequest(server.url);
        const code = codeOf(await first.browser.follow(request.url), server.url);
        if (code) await redeem(server.url, code, request.verifier);
        return code !== undefined;
      } finally {
        mock.timers.reset();
      }
    };

    const came = [await comeBack(20), await comeBack(25)];

    assert.deepEqual(came, [true, false]);
    const [row] = await server.services.db`
      select max(expires_at) < now() + interval '1 day 1 minute' as within_a_day
      from identity_states
      where subject = ${`user-${tenant_id}-${id}`} and model in ('Session', 'RefreshToken')
    `;
    assert.equal(row?.within_a_day, true);
  });

  it('asks the provider for what it was asked: to sign in anew, or lately', async () => {
    const now_s = Math.floor(Date.now() / 1000);
    const asking = (changes: Record<string, string>) =>
      goThere(new Browser(server.url), authorizationRequest(server.url, changes));
    idp.person = { sub: 'asked anew', auth_time: now_s - 3600 };

    const plain = await asking({});
    const anew = await asking({ prompt: 'login', login_hint: 'ada@corp.test' });
    const tooLongAgo = await asking({ max_age: '60' });
    idp.person = { sub: 'asked anew', auth_time: now_s };
    const lately = await asking({ max_age: '60' });

    const sent = idp.requests
      .slice(-4)
      .map((one) => ['prompt', 'login_hint', 'max_age'].map((name) => one.get(name)));
    assert.deepEqual(sent, [
      [null, null, null],
      ['login', 'ada@corp.test', null],
      [null, null, '60'],
      [null, null, '60'],
    ]);
    const came = [plain, anew, tooLongAgo, lately].map(({ page }) => page);
    assert.deepEqual(
      came.map((page) => codeOf(page, server.url) !== undefined),
      [true, true, false, true],
    );
    assert.equal(tooLongAgo.page.status, 403);
  });

  it('keeps a disabled user out, with the tokens they have', async () => {
    idp.person = { sub: 'leaves', email: newAddress() };
    const person = await whoIs(await goThere());
    await server.services.db`update users set status = 'disabled' where id = ${person.id}`;

    const { page } = await goThere();

    assert.equal(page.status, 403);
    assert.match(page.text, /account is disabled/);
    assert.equal((await person.me.get('/me')).status, 401);
    const { refresh_token } = person;
    const renewed = await client(server.url).post('/auth/refresh-token', { refresh_token });
    assert.equal(renewed.status, 401);
  });
});

describe('an account with a password and the same address', () => {
  const owner = async () => userWithPassword(server, (await cast(server)).admin.user.tenant_id);
  const linking = async (email: string, verified = true) => {
    idp.person = { sub: `of-${email}`, email, ...(verified ? { email_verified: true } : {}) };
    return goThere();
  };

  it('is never opened by the address alone', async () => {
    const user = await owner();

    const unverified = await whoIs(await linking(user.email, false));
    idp.person = { sub: 'somebody else', email: user.email, email_verified: true };
    const { page } = await goThere();

    assert.notEqual(unverified.id, user.id);
    assert.equal(codeOf(page, server.url), undefined);
    assert.match(page.text, /Is this your account\?/);
  });

  it('is used from then on by whoever knows its password, which then ends', async () => {
    const user = await owner();
    const before = await signIn(server, user.email, user.password);
    const { browser, request, page } = await linking(user.email.toUpperCase());

    const wrong = await browser.submit(page.url, { password: 'a guess' });
    const right = await browser.submit(page.url, { password: user.password });

    assert.equal(wrong.status, 401);
    assert.match(wrong.text, /The password is wrong/);
    assert.equal((await whoIs({ request, page: right })).id, user.id);
    assert.equal((await whoIs(await goThere())).id, user.id);
    assert.equal((await client(server.url, before.access_token).get('/me')).status, 401);
    await assert.rejects(signIn(server, user.email, user.password), /refused with 401/);
    const [event] = await server.services.db`
      select details from audit_events where action = 'user.linked' and target_id = ${user.id}
    `;
    assert.deepEqual(event?.details, { issuer: idp.url });
  });

  it('stays as it is if it changes while its password is shown', async () => {
    const { db } = server.services;
    const [disabled, renewed] = [await owner(), await owner()];
    const show = async (user: typeof disabled, hold: (tx: Db) => Promise<unknown>) => {
      const { browser, page } = await linking(user.email);
      const late = () => browser.submit(page.url, { password: user.password });
      return heldUp(db, hold, late, undefined, { keeps: true });
    };

    const pages = [
      await show(
        disabled,
        (tx) => tx`update users set status = 'disabled' where id = ${disabled.id}`,
      ),
      await show(renewed, (tx) => setPassword(tx, renewed.id, 'given by an admin')),
    ];

    for (const { status, text } of pages) {
      assert.equal(status, 403);
      assert.match(text, /has changed meanwhile/);
    }
    const users = await db`
      select issuer from users where id = any(${[disabled.id, renewed.id]}::bigint[])
    `;
    assert.deepEqual(
      users.map(({ issuer }) => issuer),
      ['embedded', 'embedded'],
    );
    assert.ok((await signIn(server, renewed.email, 'given by an admin')).access_token);
  });

  it('can be left alone', async () => {
    const user = await owner();
    const { browser, request, page } = await linking(user.email);

    const separate = await browser.submit(page.url, { separate: 'yes' });

    assert.notEqual((await whoIs({ request, page: separate })).id, user.id);
    assert.ok((await signIn(server, user.email, user.password)).access_token);
  });

  it('is guessed at no faster than by its own page, and as visibly', async () => {
    const user = await owner();
    const { browser, page } = await linking(user.email);
    const countOf = async (outcome: string) => {
      const { values } = await server.services.metrics.signIns.get();
      return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
    };
    const before = [await countOf('refused'), await countOf('throttled')];

    const statuses = [];
    for (let tries = 0; tries < 12 && statuses.at(-1) !== 429; tries += 1)
      statuses.push((await browser.submit(page.url, { password: `guess ${tries}` })).status);

    assert.equal(statuses.at(-1), 429);
    const [refused = 0, throttled = 0] = before;
    assert.equal((await countOf('refused')) - refused, statuses.length - 1);
    assert.equal((await countOf('throttled')) - throttled, 1);
  });
});

describe('an answer of the provider', () => {
  const wrong: Record<string, Faults> = {
    'with another state': { state: (given) => `${given}x` },
    'with another nonce': { claims: { nonce: 'of another sign-in' } },
    'for another client': { claims: { aud: 'another' } },
    'of another issuer': { claims: { iss: 'https://another.test' } },
    'that has expired': { claims: { exp: Math.floor(Date.now() / 1000) - 3600 } },
    'signed with a key it has not published': { foreign_key: true },
    'that says no': { error: 'access_denied' },
    'that refuses the code': { token_status: 400 },
  };
  for (const [what, faults] of Object.entries(wrong)) {
    it(`${what} lets nobody in`, async () => {
      idp.person = { sub: `wrong ${what}` };
      idp.faults = faults;

      const { page } = await goThere();

      assert.equal(page.status, 403);
      assert.match(page.text, /Start again/);
      const users = await server.services.db`
        select from users where subject = ${`wrong ${what}`}
      `;
      assert.equal(users.length, 0);
    });
  }

  it('counts once, for the browser that has asked', async () => {
    const { browser } = await goThere();
    const other = new Browser(server.url);
    const page = await other.follow(authorizationRequest(server.url).url);
    const begun = await fetch(
      new URL(/href="([^"]+\/external)"/.exec(page.text)?.[1] ?? '', page.url),
      {
        redirect: 'manual',
        headers: { cookie: other.cookiesFor(`${page.url}/external`) },
      },
    );
    const there = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
    const back = there.headers.get('location') ?? '';

    const stolen = await browser.follow(back);
    const first = await other.follow(back);
    const second = await other.follow(back);

    assert.equal(codeOf(stolen, server.url), undefined);
    assert.ok(codeOf(first, server.url));
    assert.equal(codeOf(second, server.url), undefined);
  });

  it('that does not come is told as what it is, and the sign-in goes on when it does', async () => {
    idp.faults = { token_status: 503 };
    const { browser, page } = await goThere();
    idp.faults = {};
    const again = /class="button" href="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const form = await browser.follow(new URL(again, page.url).href);
    const button = /href="([^"]+\/external)"/.exec(form.text)?.[1] ?? '';
    const done = await browser.follow(new URL(button, form.url).href);

    assert.equal(page.status, 503);
    assert.equal(page.headers.get('retry-after'), '5');
    assert.match(page.text, /Corp &amp; Co does not answer/);
    assert.ok(codeOf(done, server.url), done.text);
  });

  it('never leads the server to addresses that it may not call', async () => {
    const inner = await identityProvider();
    const evil = await identityProvider();
    evil.metadata = { token_endpoint: `${inner.url}/token` };
    const config = { issuer: evil.url, client_id: clientId, client_secret: 'x', name: 'Evil' };
    const external = openExternalIssuer(config, []);
    const { url, attempt } = await external.begin('uid', `${server.url}/back`, {});
    const there = await fetch(url, { redirect: 'manual' });
    inner.faults = { token_status: 418 };

    const back = new URL(there.headers.get('location') ?? '');

    await assert.rejects(external.finish(back, attempt), { problem: 'unavailable' });
  });
});

describe('an access token of the provider', () => {
  it('stops within ten minutes when its key is withdrawn, and is 503 while keys are unknown', async () => {
    const token = await idp.accessToken({ sub: 'bearer' });
    const me = client(server.url, token);
    const { status, body } = await me.get('/me');
    await idp.rotate();
    const ask = async () => {
      // What is remembered of a caller for a minute is forgotten when the user changes.
      await server.services.db`update users set updated_at = now() where id = ${body.id}`;
      return (await me.get('/me')).status;
    };
    const soon = await ask();
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 9 * 60_000 });
    try {
      idp.is_away = true;
      const away = await untilOther(ask, 200);
      idp.is_away = false;
      const withdrawn = await ask();

      assert.deepEqual([status, soon, away, withdrawn], [200, 200, 503, 401]);
    } finally {
      mock.timers.reset();
    }
  });
});

/** The notice that a user has changed comes a moment later. */
async function untilOther(ask: () => Promise<number>, than: number): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const status = await ask();
    if (status !== than) return status;
  }
  return than;
}
