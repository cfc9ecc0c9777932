import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type Cast, cast, client } from '../../../test/cast.ts';
import { mailFrom, postOffice, unfolded } from '../../../test/post-office.ts';
import { startServer } from '../../../test/server.ts';
import { leaveMail } from '../../mail/outbox.ts';
import type { Services } from '../../services.ts';
import { openAccount } from '../auth/accounts.ts';
import { findUser } from '../users/users.ts';
import { sendInvitations } from './mailing.ts';

describe('an invitation, where the installation can send mail', () => {
  it('comes by mail, with the link that the admin got', async () => {
    const post = await postOffice();
    const stage = await stageWith(post.url);
    const { link } = await invite(stage, 'Eve@example.test');

    assert.equal(await sendInvitations(stage.server.services), 1);

    const [mail] = post.received;
    assert.deepEqual([mail?.from, mail?.to], ['no-reply@cogworks.test', ['Eve@example.test']]);
    assert.match(mail?.text ?? '', /^Subject: You are invited to Home$/m);
    assert.match(mail?.text ?? '', /^From: Cogworks <no-reply@cogworks.test>$/m);
    assert.ok(unfolded(mail?.text).includes(link), mail?.text);
    assert.ok(unfolded(mail?.text).includes('nothing happens unless you accept'), mail?.text);
    const token = link.slice(link.indexOf('#') + 1);
    const { status } = await client(stage.server.url).post('/invitations/look-up', { token });
    assert.equal(status, 200);
    assert.equal(await sendInvitations(stage.server.services), 0);
  });

  it('is made although the mail server is down, and sent when it is back', async () => {
    const post = await postOffice();
    const { port } = new URL(post.url);
    await post.close();
    const stage = await stageWith(post.url);
    const { services } = stage.server;
    await invite(stage, 'eve@example.test');

    assert.equal(await sendInvitations(services), 1);
    assert.equal(await sendInvitations(services), 0, 'not again before its time');
    const back = await postOffice({}, Number(port));
    await makeDue(services);
    await sendInvitations(services);

    assert.deepEqual(back.received[0]?.to, ['eve@example.test']);
  });

  it('is sent encrypted and with a password, where the server wants that', async () => {
    const post = await postOffice({
      authOptional: false,
      onAuth: ({ username, password }, session, done) => {
        const isRight = session.secure && username === 'cogworks' && password === 'a secret';
        done(isRight ? null : new Error('wrong'), isRight ? { user: 'cogworks' } : undefined);
      },
    });
    const url = new URL(post.url);
    url.username = 'cogworks';
    url.password = 'a secret';
    const distrusting = await stageWith(url.href);
    await invite(distrusting, 'eve@example.test');
    await sendInvitations(distrusting.server.services);
    assert.equal(post.received.length, 0, 'its certificate is signed by nobody');

    url.search = '?tls.rejectUnauthorized=false';
    const stage = await stageWith(url.href);
    await invite(stage, 'eve@example.test');
    await sendInvitations(stage.server.services);

    assert.deepEqual(post.received[0]?.to, ['eve@example.test']);
  });

  it('tells in the audit trail when the address is refused, and is not tried again', async () => {
    const post = await postOffice({
      onRcptTo: (_address, _session, done) =>
        done(Object.assign(new Error('no such mailbox'), { responseCode: 550 })),
    });
    const stage = await stageWith(post.url);
    const { services } = stage.server;
    const { id } = await invite(stage, 'nobody@example.test');

    await sendInvitations(services);
    await makeDue(services);

    assert.equal(await sendInvitations(services), 0);
    const { body } = await stage.admin.get('/audit-events/?action=invitation.mail_refused');
    assert.deepEqual([body.length, body[0].target_id], [1, String(id)]);
    assert.match(body[0].details.reason, /no such mailbox/);
  });

  it('is tried again when the server has no time, as servers do with strangers', async () => {
    let tries = 0;
    const post = await postOffice({
      onRcptTo: (_address, _session, done) => {
        tries += 1;
        if (tries > 1) return done();
        done(Object.assign(new Error('come back later'), { responseCode: 451 }));
      },
    });
    const stage = await stageWith(post.url);
    await invite(stage, 'eve@example.test');

    await sendInvitations(stage.server.services);
    await makeDue(stage.server.services);
    await sendInvitations(stage.server.services);

    assert.equal(post.received.length, 1);
  });

  it('is not sent once it was taken back or replaced', async () => {
    const post = await postOffice();
    const stage = await stageWith(post.url);
    const { id } = await invite(stage, 'a@example.test');
    await stage.admin.delete(`/invitations/${id}`);
    await invite(stage, 'b@example.test');
    const { link } = await invite(stage, 'b@example.test');

    await sendInvitations(stage.server.services);

    assert.equal(post.received.length, 1);
    assert.ok(unfolded(post.received[0]?.text).includes(link));
  });

  it('goes to one address only, whatever is in it', async () => {
    const post = await postOffice();
    const stage = await stageWith(post.url);
    const email = 'a,b@example.test';
    const { status } = await stage.admin.post('/invitations/', { email, role: 'member' });

    await sendInvitations(stage.server.services);

    assert.equal(status, 201);
    assert.ok(post.received.every(({ to }) => to.length === 1));
  });
});

describe('the inviter in the mail of an invitation', () => {
  it('has an address there only if it is known to be theirs', async () => {
    const post = await postOffice();
    const stage = await stageWith(post.url);
    const { services, url } = stage.server;
    const { db, config } = services;
    const { tenant_id } = stage.admin.user;
    const made = await openAccount(db, config, {
      ...{ tenant_id, email: 'made@example.test', role: 'admin' },
    });
    const { link } = await invite(stage, 'by-link@example.test', 'admin');
    const token = link.slice(link.indexOf('#') + 1);
    const { body: joined } = await client(url).post('/invitations/accept', {
      ...{ token, password: 'a fine long password', first_name: 'By', last_name: 'Link' },
    });
    await sendInvitations(services);
    post.received.splice(0);

    for (const { id, email } of [made.user, joined]) {
      const user = await findUser(db, tenant_id, id);
      assert.ok(user, email);
      const bearer = await stage.server.tokens.issue({ user_id: id, subject: user.subject });
      const admin = client(url, bearer);
      const guest = { email: `guest-of-${email}`, role: 'member' };
      assert.equal((await admin.post('/invitations/', guest)).status, 201);
    }
    await sendInvitations(services);

    const texts = post.received.map(({ text }) => unfolded(text));
    assert.ok(texts.some((text) => text.includes('\n\nmade@example.test invites you to Home')));
    assert.ok(
      texts.some((text) => text.includes('\n\nBy Link (address not verified) invites you to Home')),
      texts.join(),
    );
  });
});

describe('the mail of an invitation', async () => {
  const post = await postOffice();
  const stage = await stageWith(post.url);
  const { services } = stage.server;
  const { tenant_id } = stage.admin.user;
  beforeEach(() => post.received.splice(0));

  it('is not held up by one to something that is no address', async () => {
    const { id } = await invite(stage, 'first@example.test');
    const about = { tenant_id, invitation_id: id };
    await services.db`delete from mails`;
    const mail = { to: 'a<b@example.test', subject: 'x', text: 'x' };
    await leaveMail(services.db, services.keys, about, mail);
    await invite(stage, 'eve@example.test');

    await sendInvitations(services);

    assert.deepEqual(
      post.received.map(({ to }) => to),
      [['eve@example.test']],
    );
    const { body } = await stage.admin.get('/audit-events/?action=invitation.mail_refused');
    assert.equal(body[0]?.target_id, String(id));
  });

  it('waits while the mail server refuses the sender, which an operator will correct', async () => {
    const strict = await postOffice({
      onMailFrom: (_address, _session, done) =>
        done(Object.assign(new Error('who are you?'), { responseCode: 550 })),
    });
    await invite(stage, 'sender@example.test');
    const { config } = services;
    const mail = { url: strict.url, from: mailFrom };
    await sendInvitations({ ...services, config: { ...config, mail } });
    await makeDue(services);

    await sendInvitations(services);

    assert.deepEqual(post.received[0]?.to, ['sender@example.test']);
  });

  it('has names on one line: they can be neither headers nor paragraphs of ours', async () => {
    const name = 'Home\r\nBcc: all@example.test\r\n\r\nYour account ends today.';
    await services.db`update tenants set name = ${name} where id = ${tenant_id}`;
    await stage.admin.patch('/me', { first_name: 'Eve\n\n\u202eVisit', last_name: 'Us' });
    await invite(stage, 'eve@example.test');

    await sendInvitations(services);

    const [mail] = post.received;
    assert.deepEqual(mail?.to, ['eve@example.test']);
    const [headers = '', ...paragraphs] = unfolded(mail?.text).split('\n\n');
    assert.doesNotMatch(headers, /^Bcc:/m);
    assert.match(
      paragraphs[0] ?? '',
      /^Eve Visit Us \(.*\) invites you to Home Bcc: .* today\. on/,
    );
  });

  it('is sent five times a day to an address, and a thousand times in all; the link is there all the same', async () => {
    const inviting = () =>
      stage.admin.post('/invitations/', { email: 'often@example.test', role: 'member' });
    const mailed = [];
    for (let times = 0; times < 6; times += 1) mailed.push((await inviting()).body.is_mailed);
    assert.deepEqual(mailed, [true, true, true, true, true, false]);

    await services.db`
      update invitations set created_at = now() - interval '1 day' where outcome = 'replaced'
    `;
    assert.equal((await inviting()).body.is_mailed, true);

    await services.db`
      insert into invitations (tenant_id, email, role, invited_by, token_hash, ended_at, outcome)
      select ${tenant_id}, n || '@example.test', 'member', ${stage.admin.user.id}, n::text::bytea,
        now(), 'revoked'
      from generate_series(1, 1000) as n
    `;
    const { status, body } = await stage.admin.post('/invitations/', {
      ...{ email: 'another@example.test', role: 'member' },
    });
    assert.deepEqual([status, body.is_mailed], [201, false]);
  });
});

const stageWith = async (url: string) =>
  cast(await startServer({ SMTP_URL: url, MAIL_FROM: mailFrom }));

async function invite({ admin }: Cast, email: string, role = 'member') {
  const { body } = await admin.post('/invitations/', { email, role });
  assert.equal(body.is_mailed, true, JSON.stringify(body));
  return body as { id: number; link: string };
}

const makeDue = ({ db }: Services) => db`update mails set next_try_at = now()`;
