import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, beforeEach, describe, it } from 'node:test';
import { client } from '../../../../test/cast.ts';
import {
  clientId,
  clientSecret,
  type IdentityProvider,
  identityProvider,
} from '../../../../test/identity-provider.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';
import { authorizationRequest, type Browser, type Page } from '../../../../test/sign-in.ts';
import { signInElsewhere, whoCame } from '../../../../test/sign-in-elsewhere.ts';

let idp: IdentityProvider;
let server: TestServer;

before(async () => {
  idp = await identityProvider();
  server = await startServer({
    OIDC_ISSUER: idp.url,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
  });
});

beforeEach(() => {
  Object.assign(idp, { person: {}, userinfo: {} });
});

let count = 0;
const newAddress = () => `person-${++count}@corp.test`;
const goThere = (browser?: Browser, request?: ReturnType<typeof authorizationRequest>) =>
  signInElsewhere(server, browser, request);
const whoIs = (there: Parameters<typeof whoCame>[1]) => whoCame(server, there);

describe('a newcomer who is invited', () => {
  const invite = async (email: string) => {
    idp.person = {};
    const host = await whoIs(await goThere());
    const { body } = await host.me.post('/invitations/', { email, role: 'member' });
    const { body: organization } = await host.me.get('/organization');
    return { host, invitation: body.id as number, organization: organization.name as string };
  };
  const verified = (email: string) => ({ sub: `of-${email}`, email, email_verified: true });
  /** Fifty others who invite that address. */
  const crowd = (email: string) =>
    Promise.all(
      Array.from({ length: 50 }, async () => {
        const other = client(server.url, await idp.accessToken({ sub: randomUUID() }));
        const { status } = await other.post('/invitations/', { email, role: 'member' });
        assert.equal(status, 201);
      }),
    );
  const choicesOf = ({ text }: Page) =>
    [...text.matchAll(/name="choice" value="(\w+)"/g)].map(([, one]) => one);
  const usersWith = (email: string) =>
    server.services.db`select from users where lower(email) = ${email.toLowerCase()}`;

  it('is asked, and joins only by saying so', async () => {
    const email = newAddress();
    const { host, invitation } = await invite(email.toUpperCase());

    // The ID token leaves it out; the userinfo endpoint has it.
    idp.person = { sub: `of-${email}` };
    idp.userinfo = { email, email_verified: true };
    const { browser, request, page } = await goThere();

    assert.match(page.text, /invites you to\s+<strong>New tenant<\/strong> as a member/);
    assert.equal((await usersWith(email)).length, 0, 'nothing has happened yet');
    const joined = await browser.submit(page.url, { choice: String(invitation) });
    const guest = await whoIs({ request, page: joined });
    assert.deepEqual([guest.tenant_id, guest.role], [host.tenant_id, 'member']);
    const again = await whoIs(await goThere());
    assert.equal(again.id, guest.id);
  });

  it('may have an organization of their own instead, and the invitation stays as it is', async () => {
    const email = newAddress();
    const { host } = await invite(email);
    idp.person = verified(email);
    const { browser, request, page } = await goThere();

    const own = await whoIs({ request, page: await browser.submit(page.url, { choice: 'own' }) });

    assert.notEqual(own.tenant_id, host.tenant_id);
    assert.equal(own.role, 'admin');
    assert.equal((await host.me.get('/invitations/')).body.length, 1);
  });

  it('chooses among all who invite them, and no others', async () => {
    const email = newAddress();
    const first = await invite(email);
    const second = await invite(email);
    const elsewhere = await invite(newAddress());
    idp.person = verified(email);
    const { browser, request, page } = await goThere();

    const foreign = await browser.submit(page.url, { choice: String(elsewhere.invitation) });
    await second.host.me.delete(`/invitations/${second.invitation}`);
    const late = await browser.submit(page.url, { choice: String(second.invitation) });
    const looked = await browser.follow(page.url);
    const joined = await browser.submit(page.url, { choice: String(first.invitation) });

    assert.deepEqual(choicesOf(page), [`${second.invitation}`, `${first.invitation}`, 'own']);
    assert.deepEqual([foreign.status, late.status], [410, 410]);
    assert.match(late.text, /taken back or has expired/);
    assert.ok(!looked.text.includes(`value="${second.invitation}"`));
    assert.equal((await whoIs({ request, page: joined })).tenant_id, first.host.tenant_id);
  });

  it('is asked first about the one whose link they have opened, however many others there are', async () => {
    const email = newAddress();
    const { host, invitation } = await invite(email);
    const { body } = await host.me.post('/invitations/', { email, role: 'admin' });
    const token = body.link.slice(body.link.indexOf('#') + 1);
    const { body: opened } = await client(server.url).post('/invitations/look-up', { token });
    await crowd(email);
    idp.person = verified(email);

    const { page: unasked } = await goThere();
    const asking = authorizationRequest(server.url, { invitation: String(opened.id) });
    const { browser, request, page } = await goThere(undefined, asking);
    const joined = await browser.submit(page.url, { choice: String(opened.id) });

    assert.notEqual(opened.id, invitation);
    assert.deepEqual([choicesOf(unasked).length, choicesOf(page).length], [51, 51]);
    assert.ok(!choicesOf(unasked).includes(`${opened.id}`));
    assert.equal(choicesOf(page)[0], `${opened.id}`);
    assert.equal((await whoIs({ request, page: joined })).tenant_id, host.tenant_id);
  });

  it('may choose what others have pushed off the page since', async () => {
    const email = newAddress();
    const { host, invitation } = await invite(email);
    idp.person = verified(email);
    const { browser, request, page } = await goThere();
    await crowd(email);

    const joined = await browser.submit(page.url, { choice: String(invitation) });

    assert.equal((await whoIs({ request, page: joined })).tenant_id, host.tenant_id);
  });

  it('is told the address of the inviter only if that is verified', async () => {
    const email = newAddress();
    for (const email_verified of [true, false]) {
      const inviter = {
        sub: randomUUID(),
        given_name: 'Boss',
        email: `boss-${email_verified}@x.test`,
      };
      const claims = await idp.accessToken({ ...inviter, email_verified });
      const { status } = await client(server.url, claims).post('/invitations/', {
        ...{ email, role: 'member' },
      });
      assert.equal(status, 201);
    }
    idp.person = verified(email);

    const { page } = await goThere();

    const inviters = [...page.text.matchAll(/<strong>(.*)<\/strong> invites you/g)];
    assert.deepEqual(
      inviters.map(([, by]) => by),
      ['Boss (address not verified)', 'Boss (boss-true@x.test)'],
    );
    assert.ok(!page.text.includes('boss-false'));
  });

  it('sees nothing of an invitation that is not theirs, whatever the request says', async () => {
    const [email, another] = [newAddress(), newAddress()];
    await invite(email);
    const elsewhere = await invite(another);
    idp.person = verified(email);

    for (const invitation of [String(elsewhere.invitation), 'x', '-1', '9'.repeat(40)]) {
      const asking = authorizationRequest(server.url, { invitation });
      const { page } = await goThere(undefined, asking);
      assert.equal(choicesOf(page).length, 2);
      assert.ok(!choicesOf(page).includes(`${elsewhere.invitation}`));
    }
  });

  it('is not asked about what is for another address, or for one that is not verified', async () => {
    const email = newAddress();
    const { host } = await invite(email);

    idp.person = { sub: `not-${email}`, email };
    const unverified = await whoIs(await goThere());
    idp.person = verified(`x${email}`);
    const other = await whoIs(await goThere());

    assert.notEqual(unverified.tenant_id, host.tenant_id);
    assert.notEqual(other.tenant_id, host.tenant_id);
  });
});
