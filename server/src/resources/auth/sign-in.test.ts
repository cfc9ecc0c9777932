import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { cast, client } from '../../../test/cast.ts';
import { startServer, testServer } from '../../../test/server.ts';
import {
  authorizationRequest,
  Browser,
  codeOf,
  redeem,
  signIn,
  signOut,
  userWithPassword,
} from '../../../test/sign-in.ts';
import { buildApp } from '../../app.ts';

describe('signing in at the embedded provider', () => {
  it('gives tokens that the API takes, by code and PKCE', async () => {
    const { server, admin } = await cast();
    const user = await userWithPassword(server, admin.user.tenant_id);

    const tokens = await signIn(server, user.email, user.password);

    const me = await client(server.url, tokens.access_token).get('/me');
    assert.equal(me.status, 200);
    assert.equal(me.body.id, user.id);
    const claims = decodeJwt(tokens.access_token);
    assert.equal(decodeProtectedHeader(tokens.access_token).typ, 'at+jwt');
    assert.equal(decodeProtectedHeader(tokens.access_token).alg, 'ES256');
    assert.equal(claims.aud, 'cogworks');
    assert.equal(claims.iss, `${server.url}/realms/cogworks`);
    assert.equal(claims.uid, user.id);
    assert.equal(claims.scope, 'api');
    assert.equal(Number(claims.exp) - Number(claims.iat), 3600);
    assert.deepEqual([tokens.token_type, tokens.expires_in, tokens.scope], ['Bearer', 3600, 'api']);
    const identity = decodeJwt(tokens.id_token);
    assert.equal(identity.email, user.email);
    assert.equal(identity.nonce, 'the-nonce');
  });

  it('signs in without the page while the browser has a session', async () => {
    const { server, admin } = await cast();
    const user = await userWithPassword(server, admin.user.tenant_id);
    const { browser } = await signIn(server, user.email, user.password);
    const request = authorizationRequest(server.url);

    const answer = await browser.follow(request.url);

    const { status } = await redeem(server.url, codeOf(answer, server.url) ?? '', request.verifier);
    assert.equal(status, 200);
  });

  it('redeems a code for its own pages, not for those of another origin', async () => {
    const { server, admin } = await cast();
    const user = await userWithPassword(server, admin.user.tenant_id);
    const { browser } = await signIn(server, user.email, user.password);
    const statusFor = async (origin: string) => {
      const request = authorizationRequest(server.url);
      const code = codeOf(await browser.follow(request.url), server.url) ?? '';
      return (await redeem(server.url, code, request.verifier, {}, origin)).status;
    };

    assert.equal(await statusFor('https://evil.example'), 400);
    assert.equal(await statusFor(server.url), 200);
  });

  it('gives no refresh token to whoever does not ask for offline access', async () => {
    const { server, admin } = await cast();
    const user = await userWithPassword(server, admin.user.tenant_id);
    const browser = new Browser(server.url);
    const request = authorizationRequest(server.url, { scope: 'openid api' });
    const page = await browser.follow(request.url);
    const answer = await browser.submit(page.url, { email: user.email, password: user.password });

    const { body } = await redeem(server.url, codeOf(answer, server.url) ?? '', request.verifier);

    assert.equal(body.refresh_token, undefined);
    assert.equal((await client(server.url, body.access_token).get('/me')).status, 200);
  });

  it('shows the same page for a wrong password, an unknown and a disabled user', async () => {
    const { server, admin } = await cast();
    const user = await userWithPassword(server, admin.user.tenant_id);
    const disabled = await userWithPassword(server, admin.user.tenant_id);
    await server.services.db`update users set status = 'disabled' where id = ${disabled.id}`;

    const pages = await Promise.all([
      refusal({ email: user.email, password: 'wrong' }),
      refusal({ email: 'nobody@example.test', password: user.password }),
      refusal({ email: disabled.email, password: disabled.password }),
    ]);

    for (const page of pages) {
      assert.equal(page.status, 401);
      assert.match(page.text, /The e-mail address or the password is wrong\./);
    }
    const withoutAddress = pages.map(({ text }) => text.replace(/value="[^"]*"/g, ''));
    assert.equal(new Set(withoutAddress).size, 1);
  });

  it('refuses an address that the database could not even hold', async () => {
    assert.equal((await refusal({ email: 'a\0@example.test', password: 'x\0' })).status, 401);
  });

  it('does not run what is written into the address field', async () => {
    const page = await refusal({ email: '"><script>alert(1)</script>', password: 'x' });

    assert.doesNotMatch(page.text, /<script>alert/);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.equal(page.headers.get('cache-control'), 'no-store');
  });

  it('slows down guessing, and lets others at the same address go on', async () => {
    const { server, admin } = await cast();
    const user = await userWithPassword(server, admin.user.tenant_id);
    const other = await userWithPassword(server, admin.user.tenant_id);
    const wrong = { email: user.email, password: 'wrong' };
    await Promise.all(Array.from({ length: 10 }, () => refusal(wrong)));

    const page = await refusal({ email: user.email, password: user.password });

    assert.equal(page.status, 429);
    assert.ok(Number(page.headers.get('retry-after')) > 0);
    assert.match(page.text, /Too many attempts/);
    assert.ok((await signIn(server, other.email, other.password)).access_token);
  });

  it('asks for a new password after a one-time password, and ends its use', async () => {
    const { server, admin } = await cast();
    const user = await userWithPassword(server, admin.user.tenant_id, { must_change: true });
    const browser = new Browser(server.url);
    const request = authorizationRequest(server.url);
    const page = await browser.follow(request.url);
    const choose = await browser.submit(page.url, { email: user.email, password: user.password });
    assert.match(choose.text, /Choose your password/);
    const newPassword = 'a password of my own';

    const differing = await browser.submit(page.url, {
      new_password: newPassword,
      repeated_password: 'another',
    });
    assert.equal(differing.status, 422);
    const same = { new_password: user.password, repeated_password: user.password };
    assert.equal((await browser.submit(page.url, same)).status, 422);
    const answer = await browser.submit(page.url, {
      new_password: newPassword,
      repeated_password: newPassword,
    });

    const code = codeOf(answer, server.url) ?? '';
    assert.equal((await redeem(server.url, code, request.verifier)).status, 200);
    assert.equal((await refusal({ email: user.email, password: user.password })).status, 401);
    assert.ok((await signIn(server, user.email, newPassword)).access_token);
  });

  it('notes sign-ins, and failed ones of known users', async () => {
    const { server, admin } = await cast();
    const user = await userWithPassword(server, admin.user.tenant_id);
    await refusal({ email: user.email, password: 'wrong' });
    await signIn(server, user.email, user.password);

    const { body } = await admin.get('/audit-events/');

    assert.deepEqual(
      body.map((event: { action: string }) => event.action),
      ['user.signed_in', 'user.sign_in_failed'],
    );
  });
});

describe('what the embedded provider refuses', () => {
  it('a code used twice, and then also what the first use gave', async () => {
    const { server, code, verifier } = await freshCode();
    const first = await redeem(server.url, code, verifier);

    const second = await redeem(server.url, code, verifier);

    assert.equal(second.status, 400);
    const { refresh_token } = first.body;
    const refreshed = await client(server.url).post('/auth/refresh-token', { refresh_token });
    assert.equal(refreshed.status, 401);
  });

  it('a code with a wrong verifier, without one, or for another address', async () => {
    for (const changes of [
      { code_verifier: 'x'.repeat(43) },
      { code_verifier: '' },
      { redirect_uri: 'http://evil.test/app/callback' },
    ]) {
      const { server, code, verifier } = await freshCode();
      assert.equal((await redeem(server.url, code, verifier, changes)).status, 400);
    }
  });

  it('a request without PKCE, with plain PKCE, or for the implicit flow', async () => {
    const { url } = await testServer();
    for (const changes of [
      { code_challenge: null, code_challenge_method: null },
      { code_challenge_method: 'plain' },
      { response_type: 'token' },
      { response_type: 'id_token' },
    ]) {
      const page = await new Browser(url).follow(authorizationRequest(url, changes).url);
      assert.match(page.url, /error=/, JSON.stringify(changes));
    }
  });

  it('to send anybody to an address that is not exactly the registered one', async () => {
    const { url } = await testServer();
    const host = new URL(url).host;
    for (const redirect_uri of [
      `${url}/app/callback/`,
      `${url}/app/callback?x=1`,
      `${url}/app/../app/callback`,
      `${url}/app/callback#x`,
      `http://${host}@evil.test/app/callback`,
      `http://evil.test/${host}/app/callback`,
      `${url}\\@evil.test/app/callback`,
      `${url}.evil.test/app/callback`,
    ]) {
      const page = await new Browser(url).follow(authorizationRequest(url, { redirect_uri }).url);
      assert.equal(page.status, 400, redirect_uri);
      assert.equal(page.url.startsWith(`${url}/realms/cogworks/auth`), true, redirect_uri);
    }
  });

  it('the page of a sign-in that another browser started', async () => {
    const { url } = await testServer();
    const page = await new Browser(url).follow(authorizationRequest(url).url);

    const stolen = await new Browser(url).follow(page.url);

    assert.equal(stolen.status, 400);
    assert.match(stolen.text, /Start again/);
  });
});

describe('the page of a sign-in that is over', () => {
  it('leads to the dashboard, by link, form and the way back', async () => {
    const { server, admin } = await cast();
    const user = await userWithPassword(server, admin.user.tenant_id);
    const { email, password } = user;
    const browser = new Browser(server.url);
    const page = await browser.follow(authorizationRequest(server.url).url);
    const finished = await browser.submit(page.url, { email, password });
    assert.ok(codeOf(finished, server.url));

    const home = `${server.url}/app/`;
    assert.equal((await browser.follow(page.url)).url, home);
    assert.equal((await browser.submit(page.url, { email, password })).url, home);
    const resumed = page.url.replace('/interaction/', '/auth/');
    assert.equal((await browser.follow(resumed)).url, home);
    assert.equal((await new Browser(server.url).follow(page.url)).url, home);
  });

  it('leads there after it expired', async () => {
    const server = await startServer();
    const browser = new Browser(server.url);
    const page = await browser.follow(authorizationRequest(server.url).url);
    await server.services.db`delete from identity_states where model = 'Interaction'`;

    assert.equal((await browser.follow(page.url)).url, `${server.url}/app/`);
  });
});

describe('signing out', () => {
  it('ends the session and its refresh tokens, and comes back to the dashboard', async () => {
    const { server, admin } = await cast();
    const user = await userWithPassword(server, admin.user.tenant_id);
    const session = await signIn(server, user.email, user.password);
    const { browser, refresh_token } = session;

    const answer = await signOut(server, session);

    assert.equal(answer.url, `${server.url}/app/`);
    const refreshed = await client(server.url).post('/auth/refresh-token', { refresh_token });
    assert.equal(refreshed.status, 401);
    const again = await browser.follow(authorizationRequest(server.url).url);
    assert.match(again.text, /<h1>Sign in<\/h1>/);
  });
});

describe('discovery', () => {
  it('describes the provider with its public URL, whatever Host says', async () => {
    const { url } = await testServer();

    const { body } = await client(url).get('/realms/cogworks/.well-known/openid-configuration', {
      headers: { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' },
    });

    assert.equal(body.issuer, `${url}/realms/cogworks`);
    for (const [name, value] of Object.entries(body)) {
      if (name.endsWith('_endpoint') || name === 'jwks_uri') {
        assert.equal(String(value).startsWith(body.issuer), true, name);
      }
    }
    assert.deepEqual(body.response_types_supported, ['code']);
    assert.deepEqual(body.code_challenge_methods_supported, ['S256']);
    const keys = (await (await fetch(body.jwks_uri)).json()) as { keys: object[] };
    assert.equal(keys.keys.length > 0, true);
    assert.equal(
      keys.keys.some((key) => 'd' in key),
      false,
    );
  });

  it('answers paths that it has not as all of the API does', async () => {
    const { url } = await testServer();
    for (const path of ['/realms/cogworks/nonsense', '/realms/cogworks/token', '/realms/x']) {
      const { status, body } = await client(url).get(path);
      assert.deepEqual([status, body], [404, { detail: 'There is nothing at this address.' }]);
    }
  });

  it('tells clients where to sign in, and userinfo who did', async () => {
    const { server, admin } = await cast();
    const user = await userWithPassword(server, admin.user.tenant_id);
    const { body } = await client(server.url).get('/auth/config');
    assert.equal(body.client_id, 'dashboard');
    assert.equal(body.authorization_endpoint, `${server.url}/realms/cogworks/auth`);
    assert.equal(body.is_embedded, true);

    const { access_token } = await signIn(server, user.email, user.password);
    const info = await client(server.url, access_token).get('/realms/cogworks/userinfo');

    assert.equal(info.body.sub, user.subject);
    assert.equal(info.body.email, user.email);
  });
});

async function refusal(credentials: { email: string; password: string }) {
  const { url } = await testServer();
  const browser = new Browser(url);
  const page = await browser.follow(authorizationRequest(url).url);
  return browser.submit(page.url, credentials);
}

async function freshCode() {
  const { server, admin } = await cast();
  const user = await userWithPassword(server, admin.user.tenant_id);
  const browser = new Browser(server.url);
  const request = authorizationRequest(server.url);
  const page = await browser.follow(request.url);
  const answer = await browser.submit(page.url, { email: user.email, password: user.password });
  return { server, code: codeOf(answer, server.url) ?? '', verifier: request.verifier };
}

describe('behind a public https URL', () => {
  it('sets secure cookies and speaks of that URL only', async () => {
    const { services } = await testServer();
    const { http } = await buildApp({ ...services, baseUrl: () => 'https://cogworks.test' });
    const { url } = authorizationRequest('https://cogworks.test');

    const { headers, statusCode } = await http.inject({
      url: url.slice('https://cogworks.test'.length),
      headers: { host: 'evil.test' },
    });

    assert.equal(statusCode, 303);
    assert.match(String(headers.location), /^\/realms\/cogworks\/interaction\//);
    const cookies = [headers['set-cookie']].flat();
    assert.equal(cookies.length >= 2, true);
    for (const cookie of cookies) assert.match(String(cookie), /; secure; httponly/i);
    await http.close();
  });

  it('and on plain http sets cookies that a browser takes', async () => {
    const { url } = await testServer();

    const response = await fetch(authorizationRequest(url).url, { redirect: 'manual' });

    for (const cookie of response.headers.getSetCookie()) {
      assert.doesNotMatch(cookie, /secure/i);
      assert.match(cookie, /; httponly/i);
      assert.match(cookie, /; samesite=lax/i);
    }
  });
});
