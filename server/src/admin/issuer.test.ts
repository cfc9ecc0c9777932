/** What the operator does when the installation goes to another identity provider. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { JWTPayload } from 'jose';
import { cast, client } from '../../test/cast.ts';
import { openTo } from '../../test/database.ts';
import {
  clientId,
  clientSecret,
  type IdentityProvider,
  identityProvider,
} from '../../test/identity-provider.ts';
import { startServer, type TestServer } from '../../test/server.ts';
import { authorizationRequest, Browser, signIn, userWithPassword } from '../../test/sign-in.ts';
import { signInElsewhere, whoCame } from '../../test/sign-in-elsewhere.ts';
import { type Parts, UsageError } from './command.ts';
import { commands } from './commands.ts';

type Left = { id: number; email_verified: boolean };

describe('move-issuer', () => {
  it('lets users of a former identity provider in again, with all that they own', async () => {
    const { former, next } = await twoProviders();
    const email = 'ada@former.test';
    const ada = await former.person({ sub: 'ada', email, email_verified: true });
    const claims = { sub: 'ada of next', email, email_verified: true };

    const stranded = await next.person(claims);
    const printed = await move(next.server, { from: `${former.url}/` });
    const again = await next.person(claims);

    assert.deepEqual([stranded.status, stranded.body.code], [409, 'known_elsewhere']);
    assert.deepEqual(printed, { to: next.url, moved: 1, revoked_keys: 0, left: [] });
    assert.equal(again.body.id, ada.body.id);
    await assert.rejects(move(next.server, { from: next.url }), UsageError);
  });

  it('gives nobody the account of somebody who only claimed their address, and names it', async () => {
    const { former, next } = await twoProviders();
    const email = 'ada@former.test';
    const mallory = await former.person({ sub: 'mallory', email });
    const ada = await former.person({ sub: 'ada', email: 'Ada@former.test', email_verified: true });

    const printed = await move(next.server, { from: former.url });
    const again = await next.person({ sub: 'ada of next', email, email_verified: true });

    assert.notEqual(mallory.body.id, ada.body.id);
    assert.equal(again.body.id, ada.body.id);
    assert.deepEqual(idsOf(printed.left), [mallory.body.id]);
    assert.equal(printed.left[0]?.email_verified, false);
  });

  it('moves those without a verified address if the operator says so, but none who share one', async () => {
    const { former, next } = await twoProviders();
    const bob = await former.person({ sub: 'bob', email: 'bob@former.test' });
    const [first, second] = [
      await former.person({ sub: 'c', email: 'c@former.test' }),
      await former.person({ sub: 'c 2', email: 'C@former.test' }),
    ];
    const nobody = await former.person({ sub: 'without an address' });
    const { from } = { from: former.url };

    const strict = await move(next.server, { from });
    const all = await move(next.server, { from, addresses: 'all' });
    const chosen = await move(next.server, { from, user: String(second.body.id) });
    const again = await Promise.all(
      ['bob@former.test', 'c@former.test'].map((email) =>
        next.person({ sub: `next ${email}`, email, email_verified: true }),
      ),
    );

    const ids = [bob, first, second, nobody].map(({ body }) => body.id as number);
    assert.deepEqual([strict.moved, idsOf(strict.left)], [0, ids]);
    assert.deepEqual([all.moved, idsOf(all.left)], [1, ids.slice(1)]);
    assert.deepEqual([chosen.moved, idsOf(chosen.left)], [1, [ids[1], ids[3]]]);
    assert.deepEqual(
      again.map(({ body }) => body.id),
      [ids[0], ids[2]],
    );
  });

  it('names those who have a second account at the new provider, unless the operator chooses one', async () => {
    const { former, next } = await twoProviders();
    const email = 'ada@former.test';
    const ada = await former.person({ sub: 'ada', email, email_verified: true });
    const second = await next.person({ sub: 'ada of next', email });

    const printed = await move(next.server, { from: former.url });
    const chosen = await move(next.server, { from: former.url, user: String(ada.body.id) });
    const again = await next.person({ sub: 'new of next', email, email_verified: true });

    assert.deepEqual([second.status, printed.moved, idsOf(printed.left)], [200, 0, [ada.body.id]]);
    assert.deepEqual([chosen.moved, chosen.left, again.body.id], [1, [], ada.body.id]);
  });

  it('chooses the active one of two who had the same verified address one after the other', async () => {
    const { former, next } = await twoProviders();
    const email = 'desk@former.test';
    const [before, now] = [
      await former.person({ sub: 'before', email, email_verified: true }),
      await former.person({ sub: 'now', email, email_verified: true }),
    ];
    const { db } = next.server.services;

    const both = await move(next.server, { from: former.url });
    await db`update users set status = 'disabled' where id = ${before.body.id}`;
    const one = await move(next.server, { from: former.url });

    assert.deepEqual([both.moved, both.left.length], [0, 2]);
    assert.deepEqual([one.moved, idsOf(one.left)], [1, [before.body.id]]);
    const again = await next.person({ sub: 'next', email, email_verified: true });
    assert.equal(again.body.id, now.body.id);
  });

  it('leaves those who move no keys and no sessions: they are known by their address alone', async () => {
    const { former, next } = await twoProviders();
    const claims = { sub: 'ada', email: 'ada@former.test', email_verified: true };
    const ada = client(former.server.url, await former.idp.accessToken(claims));
    const { body: me } = await ada.get('/me');
    const { body: key } = await ada.post('/api-keys/', { description: 'old' });
    const renewal = await sessionAt(former, claims);
    const headers = { 'x-api-key': key.access_key };
    const byKey = () => client(next.server.url).get('/me', { headers });
    const statuses = async () => [
      (await byKey()).status,
      (await client(next.server.url).post('/auth/refresh-token', renewal)).status,
    ];
    assert.equal((await byKey()).body.id, me.id);

    const printed = await move(next.server, { from: former.url });

    assert.equal(printed.revoked_keys, 1);
    assert.deepEqual(await statuses(), [401, 401]);
    const back = client(
      next.server.url,
      await next.idp.accessToken({ ...claims, sub: 'ada of next' }),
    );
    const { body: events } = await back.get('/audit-events/?action=api_key.revoked');
    assert.deepEqual([events[0].target_id, events[0].details.user_id], [String(key.id), me.id]);
  });

  it('counts an address as verified once the provider says so at a sign-in', async () => {
    const { former, next } = await twoProviders();
    const email = 'late@former.test';
    const late = await former.person({ sub: 'late', email });
    await sessionAt(former, { sub: 'late', email: 'other@former.test', email_verified: true });
    const before = await move(next.server, { from: former.url });

    await sessionAt(former, { sub: 'late', email: 'Late@former.test', email_verified: true });
    const after = await move(next.server, { from: former.url });

    assert.deepEqual(idsOf(before.left), [late.body.id]);
    assert.deepEqual([after.moved, after.left], [1, []]);
  });

  it('keeps subjects where only the URL of the provider has changed, or gives passwords', async () => {
    const { server, admin } = await cast(await startServer());
    const { db, config } = server.services;
    const from = `http://${randomUUID()}.test`;
    const email = `${randomUUID()}@former.test`;
    await db`
      insert into users (tenant_id, email, role, issuer, subject)
      values (${admin.user.tenant_id}, ${email}, 'member', ${from}, 'the same')
    `;
    const issuer = `${from}/moved`;
    const oidc = { issuer, client_id: 'x', client_secret: undefined, name: 'Moved' };
    const parts = { ...server.services, config: { ...config, oidc } };

    await run('move-issuer', { from, subjects: 'keep' }, parts);
    const [kept] = await db`select issuer, subject from users where email = ${email}`;
    await run('move-issuer', { from: issuer, addresses: 'all' }, server.services);
    const { password } = JSON.parse(await run('reset-password', { email }, server.services));

    assert.deepEqual({ ...kept }, { issuer, subject: 'the same' });
    const browser = new Browser(server.url);
    const page = await browser.follow(authorizationRequest(server.url).url);
    const answer = await browser.submit(page.url, { email, password });
    assert.match(answer.text, /Choose your password/);
  });

  it('hears which options do not go together', () => {
    const wrong: Record<string, string>[] = [
      { subjects: 'some' },
      { addresses: 'some' },
      { user: 'x' },
      { subjects: 'keep', user: '1' },
      { subjects: 'keep', addresses: 'all' },
      { addresses: 'all', user: '1' },
    ];
    for (const values of wrong) {
      const from = 'http://former.test';
      assert.throws(() => command('move-issuer').prepare({ from, ...values }), UsageError);
    }
  });
});

describe('after a change of the provider', () => {
  it('an account there that only claimed an address keeps nobody out', async () => {
    const { former, next } = await twoProviders();
    const email = 'ada@former.test';
    const mallory = await former.person({ sub: 'mallory', email });

    const ada = await next.person({ sub: 'ada', email, email_verified: true });

    assert.equal(ada.status, 200);
    assert.notEqual(ada.body.id, mallory.body.id);
  });

  it('an account of which nobody noted whether its address was verified is not hidden', async () => {
    const { former, next } = await twoProviders();
    const email = 'ada@former.test';
    const { body } = await former.person({ sub: 'ada', email, email_verified: true });
    await former.server.services.db`
      update users set email_verified = null where id = ${body.id}
    `;

    const again = await next.person({ sub: 'ada of next', email, email_verified: true });

    assert.deepEqual([again.status, again.body.code], [409, 'known_elsewhere']);
  });
});

describe('reset-password', () => {
  it('asks which of several users with one address is meant', async () => {
    const { former } = await twoProviders();
    const { server } = former;
    const { admin } = await cast(server);
    const user = await userWithPassword(server, admin.user.tenant_id);
    const { body: other } = await former.person({ sub: 'other', email: user.email.toUpperCase() });
    const reset = (values = {}) =>
      run('reset-password', { email: user.email, ...values }, server.services);

    await assert.rejects(reset(), (error: Error) => {
      assert.ok(error instanceof UsageError);
      assert.match(
        error.message,
        new RegExp(`${user.id} \\(tenant ${user.tenant_id}, embedded\\)`),
      );
      assert.match(error.message, new RegExp(`${other.id} \\(tenant ${other.tenant_id}, http`));
      return true;
    });
    await assert.rejects(reset({ user: String(other.id) }), /external identity provider/);
    assert.ok((await signIn(server, user.email, user.password)).access_token);

    const { user_id } = JSON.parse(await reset({ user: String(user.id) }));

    assert.equal(user_id, user.id);
    await assert.rejects(signIn(server, user.email, user.password), /refused with 401/);
  });
});

type Side = {
  url: string;
  idp: IdentityProvider;
  server: TestServer;
  /** `/me` of whoever has these claims. */
  person(claims: JWTPayload): ReturnType<ReturnType<typeof client>['get']>;
};

/** One installation, before and after it goes to another provider. */
async function twoProviders(): Promise<{ former: Side; next: Side }> {
  const former = await side();
  return { former, next: await side(former.server) };
}

async function side(before?: TestServer): Promise<Side> {
  const idp = await identityProvider();
  const env = { OIDC_ISSUER: idp.url, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret };
  const server = before
    ? await startServer(
        { ...env, MASTER_KEY: before.services.config.master_key ?? '' },
        undefined,
        { database: openTo(before.to) },
      )
    : await startServer(env);
  const person = async (claims: JWTPayload) =>
    client(server.url, await idp.accessToken(claims)).get('/me');
  return { url: idp.url, idp, server, person };
}

/** Signs somebody in at the page of the provider. @returns what renews the session. */
async function sessionAt({ idp, server }: Side, claims: JWTPayload) {
  idp.person = claims;
  const { refresh_token } = await whoCame(server, await signInElsewhere(server));
  return { refresh_token };
}

async function move(server: TestServer, values: Record<string, string>) {
  const printed = JSON.parse(await run('move-issuer', values, server.services));
  return printed as { to: string; moved: number; revoked_keys: number; left: Left[] };
}

const idsOf = (users: Left[]) => users.map(({ id }) => id);

function command(name: string) {
  const found = commands.find((one) => one.name === name);
  assert.ok(found);
  return found;
}

const run = async (name: string, values: Record<string, string>, parts: Parts) =>
  command(name).prepare(values)(parts);
