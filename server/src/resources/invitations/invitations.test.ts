import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Cast, type Client, cast, client, person } from '../../../test/cast.ts';
import { heldUp } from '../../../test/races.ts';
import { signIn, userWithPassword } from '../../../test/sign-in.ts';
import { openAccount } from '../auth/accounts.ts';

const password = 'a fine long password';

describe('an invitation', () => {
  it('lets whoever has its link in, with a password of their own', async () => {
    const { admin, server } = await cast();
    const email = addressOf('Ada');

    const invited = await admin.post('/invitations/', { email, role: 'admin' });

    assert.equal(invited.status, 201);
    const { link, is_mailed, ...shown } = invited.body;
    assert.equal(is_mailed, false);
    assert.match(link, new RegExp(`^${server.url}/app/invitation#inv_\\w{43}_\\w{6}$`));
    assert.deepEqual((await admin.get('/invitations/')).body, [shown]);
    const anybody = client(server.url);
    const { body: found } = await anybody.post('/invitations/look-up', { token: tokenOf(link) });
    assert.deepEqual(
      [found.organization, found.email, found.role, found.needs, found.expires_at],
      ['Home', email, 'admin', 'password', shown.expires_at],
    );
    const accepted = await anybody.post('/invitations/accept', {
      token: tokenOf(link),
      first_name: 'Ada',
      last_name: 'Lovelace',
      password,
    });
    assert.equal(accepted.status, 201, JSON.stringify(accepted.body));
    const { access_token } = await signIn(server, email, password);
    const { body: me } = await client(server.url, access_token).get('/me');
    assert.deepEqual(
      [me.id, me.tenant_id, me.role, me.first_name, me.onboarding_complete],
      [accepted.body.id, admin.user.tenant_id, 'admin', 'Ada', true],
    );
    assert.deepEqual((await admin.get('/invitations/')).body, []);
  });

  it('stays open however often its link is looked at, and is good for one use', async () => {
    const stage = await cast();
    const { link } = await invite(stage.admin, addressOf('eve'));
    for (let scans = 0; scans < 100; scans += 1)
      assert.equal((await look(stage, link)).status, 200);

    const both = await Promise.all([accept(stage, link), accept(stage, link)]);

    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 410]);
    for (const late of [await accept(stage, link), await look(stage, link)]) {
      assert.deepEqual([late.status, late.body.code], [410, 'invitation_accepted']);
    }
  });

  it('makes no user before it is accepted', async () => {
    const { admin } = await cast();
    await invite(admin, addressOf('eve'));

    assert.equal((await admin.get('/users/')).body.length, 4);
  });

  it('ends when a newer one for the same address is made, in any case', async () => {
    const stage = await cast();
    const email = addressOf('eve');
    const first = await invite(stage.admin, email);
    const second = await invite(stage.admin, email.toUpperCase());

    const late = await accept(stage, first.link);

    assert.deepEqual([late.status, late.body.code], [410, 'invitation_replaced']);
    assert.equal((await stage.admin.get('/invitations/')).body.length, 1);
    assert.equal((await accept(stage, second.link)).status, 201);
  });

  it('can be taken back', async () => {
    const stage = await cast();
    const { id, link } = await invite(stage.admin, addressOf('eve'));

    assert.equal((await stage.admin.delete(`/invitations/${id}`)).status, 204);

    const late = await accept(stage, link);
    assert.deepEqual([late.status, late.body.code], [410, 'invitation_revoked']);
    assert.equal((await stage.admin.delete(`/invitations/${id}`)).status, 404);
  });

  it('expires after a week', async () => {
    const stage = await cast();
    const { id, link } = await invite(stage.admin, addressOf('eve'));
    await expire(stage, id);

    for (const late of [await accept(stage, link), await look(stage, link)]) {
      assert.deepEqual([late.status, late.body.code], [410, 'invitation_expired']);
    }
    assert.deepEqual((await stage.admin.get('/invitations/')).body, []);
  });

  it('is refused to somebody signed in with another address, and stays as it is', async () => {
    const stage = await cast();
    const { link } = await invite(stage.admin, addressOf('eve'));

    const answer = await stage.stranger.post('/invitations/accept', body(link));

    assert.deepEqual([answer.status, answer.body.code], [403, 'other_address']);
    assert.equal((await accept(stage, link)).status, 201);
  });

  it('says only to the invited that the address has an account elsewhere', async () => {
    const stage = await cast();
    const { server, stranger, admin } = stage;
    const elsewhere = await userWithPassword(server, stranger.user.tenant_id);

    const invited = await admin.post('/invitations/', { email: elsewhere.email, role: 'member' });
    const nobody = await admin.post('/invitations/', { email: addressOf('new'), role: 'member' });

    assert.deepEqual([invited.status, nobody.status], [201, 201]);
    assert.deepEqual(Object.keys(invited.body), Object.keys(nobody.body));
    await admin.delete(`/invitations/${nobody.body.id}`);
    const asked = await client(server.url).post('/invitations/accept', {
      token: tokenOf(invited.body.link),
    });
    assert.equal(asked.status, 422, 'nobody learns it by asking alone');
    const { access_token } = await signIn(server, elsewhere.email, elsewhere.password);
    const signedIn = client(server.url, access_token);
    for (const one of [client(server.url), signedIn]) {
      const answer = await one.post('/invitations/accept', body(invited.body.link));
      assert.deepEqual([answer.status, answer.body.code], [409, 'email_taken']);
    }
    assert.equal((await admin.get('/invitations/')).body.length, 1);
  });

  it('asks for a password that is good enough, and stays open until it gets one', async () => {
    const stage = await cast();
    const { email, link } = await invite(stage.admin, addressOf('eve'));
    const token = tokenOf(link);

    for (const given of [{}, { password: 'short' }, { password: email }]) {
      const { status, body } = await client(stage.server.url).post('/invitations/accept', {
        token,
        ...given,
      });
      assert.equal(status, 422);
      assert.deepEqual(body.detail[0].loc, ['body', 'password']);
    }
    assert.equal((await accept(stage, link)).status, 201);
  });

  it('ends when whoever sent it may no longer invite', async () => {
    const stage = await cast();
    const { admin, server } = stage;
    for (const change of [{ status: 'disabled' }, { role: 'member' }]) {
      const second = await person(server, admin.user.tenant_id, 'second', 'admin');
      const { id, link } = await invite(second, addressOf('eve'));

      await admin.patch(`/users/${second.user.id}`, change);

      const late = await accept(stage, link);
      assert.deepEqual([late.status, late.body.code], [410, 'invitation_voided']);
      const { body: events } = await admin.get('/audit-events/?action=invitation.voided');
      assert.equal(events[0].target_id, String(id));
    }
  });

  it('cannot be accepted when it expires while its acceptance waits', async () => {
    const stage = await cast();
    const { tenant_id } = stage.admin.user;
    const { id, link } = await invite(stage.admin, addressOf('eve'));

    const late = await heldUp(
      stage.server.services.db,
      (tx) => tx`select from tenants where id = ${tenant_id} for no key update`,
      () => accept(stage, link),
      () => expire(stage, id),
    );

    assert.deepEqual([late.status, late.body.code], [410, 'invitation_expired']);
  });

  it('is taken back when an operator makes a user of its address', async () => {
    const stage = await cast();
    const { admin, server } = stage;
    const { db, config } = server.services;
    const { id, email, link } = await invite(stage.admin, addressOf('eve'));

    await openAccount(db, config, { tenant_id: admin.user.tenant_id, email, role: 'member' });

    const late = await accept(stage, link);
    assert.deepEqual([late.status, late.body.code], [410, 'invitation_revoked']);
    const [event] = (await admin.get('/audit-events/?action=invitation.revoked')).body;
    assert.deepEqual([event.target_id, event.actor_id], [String(id), undefined]);
  });

  it('is not found by a token with a letter changed', async () => {
    const stage = await cast();
    const { link } = await invite(stage.admin, addressOf('eve'));
    const changed = link.replace(/.$/, (letter) => (letter === 'a' ? 'b' : 'a'));

    assert.equal((await accept(stage, changed)).status, 404);
    assert.equal((await look(stage, 'x#nonsense')).status, 404);
  });

  it('is in the audit trail, from its making to its end', async () => {
    const stage = await cast();
    const { admin } = stage;
    const { link } = await invite(admin, addressOf('eve'));
    const { body: user } = await accept(stage, link);

    const { body } = await admin.get('/audit-events/?target_type=invitation');

    assert.deepEqual(
      body.map(({ action, actor_id }: { action: string; actor_id: number }) => [action, actor_id]),
      [
        ['invitation.accepted', user.id],
        ['invitation.created', admin.user.id],
      ],
    );
    assert.ok(!JSON.stringify(body).includes(tokenOf(link)));
  });
});

describe('inviting', () => {
  it('is for admins', async () => {
    const { owner, admin } = await cast();
    const { id } = await invite(admin, addressOf('eve'));

    assert.equal(
      (await owner.post('/invitations/', { email: 'a@b.test', role: 'member' })).status,
      403,
    );
    assert.equal((await owner.get('/invitations/')).status, 403);
    assert.equal((await owner.delete(`/invitations/${id}`)).status, 403);
  });

  it('is refused to an admin who was disabled while the request waited', async () => {
    const { admin, server } = await cast();
    const { tenant_id } = admin.user;
    const second = await person(server, tenant_id, 'second', 'admin');

    const { status } = await heldUp(
      server.services.db,
      async (tx) => {
        await tx`select from tenants where id = ${tenant_id} for no key update`;
        await tx`update users set status = 'disabled' where id = ${second.user.id}`;
      },
      () => second.post('/invitations/', { email: addressOf('eve'), role: 'admin' }),
      undefined,
      { keeps: true },
    );

    assert.equal(status, 403);
    assert.deepEqual((await admin.get('/invitations/')).body, []);
  });

  it('refuses members, also disabled ones, and what is no address', async () => {
    const { admin, viewer } = await cast();
    const email = viewer.user.email.toUpperCase();

    const { status, body } = await admin.post('/invitations/', { email, role: 'member' });

    assert.deepEqual([status, body.code], [409, 'already_member']);
    await admin.patch(`/users/${viewer.user.id}`, { status: 'disabled' });
    const again = await admin.post('/invitations/', { email, role: 'member' });
    assert.deepEqual([again.status, again.body.code], [409, 'already_member']);
    const wrong = await admin.post('/invitations/', { email: 'nobody', role: 'king' });
    assert.equal(wrong.body.detail.length, 2);
    for (const email of [
      'a<b@example.test',
      'a@example.test>',
      'a\u200b@example.test',
      'a\x01@b.test',
    ])
      assert.equal(
        (await admin.post('/invitations/', { email, role: 'member' })).status,
        422,
        email,
      );
  });

  it('once with an Idempotency-Key makes one invitation, and tells its link again', async () => {
    const { admin } = await cast();
    const headers = { 'idempotency-key': 'once' };
    const request = { email: addressOf('eve'), role: 'member' };

    const first = await admin.post('/invitations/', request, { headers });
    const second = await admin.post('/invitations/', request, { headers });

    assert.deepEqual(second.body, first.body);
  });
});

const addressOf = (name: string) => `${name}-${crypto.randomUUID()}@Example.test`;

const tokenOf = (link: string) => link.slice(link.indexOf('#') + 1);

const body = (link: string) => ({ token: tokenOf(link), password });

const invite = async (admin: Client, email: string) =>
  (await admin.post('/invitations/', { email, role: 'member' })).body as {
    id: number;
    email: string;
    link: string;
  };

const accept = ({ server }: Cast, link: string) =>
  client(server.url).post('/invitations/accept', body(link));

const look = ({ server }: Cast, link: string) =>
  client(server.url).post('/invitations/look-up', { token: tokenOf(link) });

const expire = ({ server }: Cast, id: number) => server.services.db`
  update invitations set expires_at = now() where id = ${id}
`;
