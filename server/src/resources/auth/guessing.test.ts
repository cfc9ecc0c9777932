import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { cast, client } from '../../../test/cast.ts';
import { startServer } from '../../../test/server.ts';
import {
  authorizationRequest,
  Browser,
  codeOf,
  signIn,
  userWithPassword,
} from '../../../test/sign-in.ts';

const started = startServer({ TRUST_PROXY: '127.0.0.1' });

async function stage() {
  const server = await started;
  const { admin } = await cast(server);
  const user = await userWithPassword(server, admin.user.tenant_id);
  const at = (address: string) => new Browser(server.url, { 'x-forwarded-for': address });
  const tryIn = async (browser: Browser, password: string) => {
    const page = await browser.follow(authorizationRequest(server.url, { prompt: 'login' }).url);
    return browser.submit(page.url, { email: user.email, password });
  };
  /** @returns the statuses. */
  const guess = async (browsers: Browser[], count: number) => {
    const all = browsers.flatMap((browser) => Array.from({ length: count }, () => browser));
    const pages = await Promise.all(all.map((browser) => tryIn(browser, 'wrong')));
    return pages.map(({ status }) => status);
  };
  const isIn = async (browser: Browser) =>
    codeOf(await tryIn(browser, user.password), server.url) !== undefined;
  return { server, user, at, guess, isIn, tryIn };
}

describe('guessing a password', () => {
  it('sixty times from seven addresses does not lock its owner out on a new device', async () => {
    const { at, guess, isIn } = await stage();
    const addresses = Array.from({ length: 7 }, (_, n) => `198.51.${n}.9`);
    for (const address of addresses) await guess([at(address), at(address)], 5);

    assert.equal(await isIn(at('203.0.113.7')), true);
  });

  it('does not keep out a device at the same address that has signed in before', async () => {
    const { at, guess, isIn, tryIn, user } = await stage();
    const known = at('192.0.2.1');
    assert.equal(await isIn(known), true);
    await guess([at('192.0.2.1'), at('192.0.2.1')], 5);

    assert.equal((await tryIn(at('192.0.2.1'), user.password)).status, 429);
    assert.equal(await isIn(known), true);
  });

  it('is bounded on a known device as well, and the budget is its own', async () => {
    const { at, guess, isIn, tryIn, user } = await stage();
    const [stolen, other] = [at('192.0.2.2'), at('192.0.2.3')];
    await isIn(stolen);
    await isIn(other);
    for (let n = 0; n < 10; n += 1) await guess([stolen], 1);

    assert.equal((await tryIn(stolen, user.password)).status, 429);
    assert.equal(await isIn(other), true);
  });

  it('makes no device known: a wrong password leaves no cookie', async () => {
    const { at, guess } = await stage();
    const browser = at('192.0.2.4');
    await guess([browser], 1);

    const names = [...browser.cookies.keys()];
    assert.deepEqual(
      names.filter((name) => name.startsWith('cogworks_device')),
      [],
    );
  });

  it('counts for the one account that an address can mean, however it is written', async () => {
    const { server, at } = await stage();
    const { admin } = await cast(server);
    const email = `lilith-${randomUUID()}@example.test`;
    const user = await userWithPassword(server, admin.user.tenant_id, { email });
    const enter = async (written: string) => {
      const browser = at('192.0.2.5');
      const page = await browser.follow(authorizationRequest(server.url).url);
      return browser.submit(page.url, { email: written, password: user.password });
    };

    for (const other of ['l\u0130lith', 'lil\u0130th', 'l\u0130l\u0130th']) {
      assert.equal((await enter(email.replace('lilith', other))).status, 401, other);
    }
    assert.ok(codeOf(await enter(email.toUpperCase()), server.url));
  });

  it('to change it, with the token of one session, does not hinder another', async () => {
    const { server, user } = await stage();
    const [stolen, own] = [
      await signIn(server, user.email, user.password),
      await signIn(server, user.email, user.password),
    ];
    const change = (token: string, current_password: string) =>
      client(server.url, token).post('/auth/change-password', {
        current_password,
        new_password: 'something else entirely',
      });
    for (let n = 0; n < 10; n += 1) await change(stolen.access_token, 'wrong');

    assert.equal((await change(stolen.access_token, user.password)).status, 429);
    assert.equal((await change(own.access_token, user.password)).status, 204);
  });
});
