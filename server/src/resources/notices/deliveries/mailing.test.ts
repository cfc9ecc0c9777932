import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import {
  allEvents,
  deliveriesOf,
  endedRun,
  type Made,
  type NoticeStage,
  nextAttempts,
  notice,
  noticeStage,
  receiversAllowed,
  send,
} from '../../../../test/notices.ts';
import { mailFrom, postOffice, unfolded } from '../../../../test/post-office.ts';
import { receiver } from '../../../../test/receivers.ts';
import { startServer, testServer } from '../../../../test/server.ts';
import { usualLimits } from '../../../limits.ts';

type Asked = NonNullable<NonNullable<Parameters<typeof postOffice>[0]>['onRcptTo']>;
const takesAll: Asked = (_address, _session, done) => done();
const refuses =
  (responseCode: number): Asked =>
  (_address, _session, done) =>
    done(Object.assign(new Error('<eve@inner.test> not here'), { responseCode }));

let [onMailFrom, onRcptTo] = [takesAll, takesAll];
const post = await postOffice({
  onMailFrom: (...of) => onMailFrom(...of),
  onRcptTo: (...of) => onRcptTo(...of),
});
const errors: string[] = [];
const server = await startServer(
  { SMTP_URL: post.url, MAIL_FROM: mailFrom, ...receiversAllowed },
  pino({ level: 'error' }, { write: (line) => void errors.push(line) }),
);
beforeEach(() => {
  errors.splice(0);
  [onMailFrom, onRcptTo] = [takesAll, takesAll];
  post.received.splice(0);
});

const byMail = async (
  { owner }: Pick<NoticeStage, 'owner'>,
  given: Record<string, unknown> = {},
): Promise<Made> => {
  const wanted = { by_mail: true, events: allEvents, ...given };
  const { status, body } = await owner.post('/workflows/notices', wanted);
  assert.equal(status, 201, JSON.stringify(body));
  return { id: body.id, secret: '', at: `/workflows/notices/${body.id}` };
};
const texts = () => post.received.map(({ text }) => unfolded(text));
const receivers = () => post.received.map(({ to }) => to.join());

describe('a notice by mail', () => {
  it('comes to who set it up, and tells how the run ended, and where it is', async () => {
    const people = await noticeStage(server);
    const { owner } = people;
    const made = await byMail(people, { name: 'Nightly' });
    const failed = await endedRun(people, 'failure');
    await send(server);

    assert.deepEqual(receivers(), [owner.user.email]);
    const [mail = ''] = texts();
    const [headers = '', ...paragraphs] = mail.split('\n\n');
    assert.match(headers, /^From: Cogworks <no-reply@cogworks.test>$/m);
    assert.match(headers, /^Auto-Submitted: auto-generated$/m);
    const { body: run } = await owner.get(`/workflows/workflow-runs/${failed}`);
    const { body: workflow } = await owner.get(`/workflows/${run.workflow_id}`);
    assert.ok(headers.includes(`Subject: ${workflow.name}: a run failed`), headers);
    assert.equal(paragraphs[0], `A run of “${workflow.name}” failed.`);
    assert.equal(paragraphs[1], run.error_message);
    assert.match(paragraphs[2] ?? '', /^Steps: 1 failed.*\.\nStarted by .+, began .+ UTC, took /);
    assert.equal(paragraphs[3], `${server.url}/app/runs/${failed}`);
    assert.match(paragraphs[4] ?? '', /notice “Nightly”/);
    assert.ok(paragraphs[4]?.includes(`${server.url}/app/settings/notices/${made.id}`));
    const [delivery] = await deliveriesOf(owner, made);
    assert.deepEqual([delivery?.state, delivery?.attempts[0]?.status], ['delivered', 250]);
    assert.ok(headers.includes(`<${delivery?.message_id}@cogworks.test>`), headers);
  });

  it('has neither URL nor secret, and can be tried out', async () => {
    const people = await noticeStage(server);
    const { owner, admin } = people;
    assert.equal((await owner.get('/me')).body.gets_mail, true);
    const made = await byMail(people);
    const { body } = await owner.get(made.at);
    assert.deepEqual([body.by_mail, body.url, body.secret], [true, undefined, undefined]);
    assert.equal((await owner.post(`${made.at}/rotate-secret`, {})).body.code, 'notice_by_mail');
    const events = (await admin.get('/audit-events/?action=notice.created')).body;
    assert.deepEqual(events[0].details, { by_mail: true });

    await owner.post(`${made.at}/test`);
    await send(server);

    assert.deepEqual(receivers(), [owner.user.email]);
    assert.match(texts()[0] ?? '', /This is a test\./);
  });

  it('is refused with what is wrong', async () => {
    const people = await noticeStage(server);
    const { owner } = people;
    const usual = { by_mail: true, events: ['run.failure'] };
    const field = async (given: object) => {
      const { status, body } = await owner.post('/workflows/notices', { ...usual, ...given });
      return [status, body.detail[0].loc[1]];
    };
    assert.deepEqual(await field({ url: 'https://example.com' }), [422, 'url']);
    assert.deepEqual(await field({ by_mail: false }), [422, 'url']);
    const secret = `whsec_${Buffer.alloc(24).toString('base64')}`;
    assert.deepEqual(await field({ secret }), [422, 'secret']);
    assert.deepEqual(await field({ to: 'eve@example.test' }), [422, 'to']);
    const made = await byMail(people);
    const { status } = await owner.patch(made.at, { url: 'https://example.com' });
    assert.equal(status, 422);
    assert.equal((await owner.patch(made.at, { name: 'Mine', enabled: false })).status, 200);
  });

  it('is not there where the installation sends no mails', async () => {
    const { owner } = await noticeStage(await testServer());
    const wanted = { by_mail: true, events: ['run.failure'] };
    const { status, body } = await owner.post('/workflows/notices', wanted);
    assert.deepEqual([status, body.code], [409, 'mail_not_set_up']);
    assert.equal((await owner.get('/me')).body.gets_mail, false);
  });

  it('can have names that are neither headers nor paragraphs of ours', async () => {
    const people = await noticeStage(server);
    const { owner, workflow } = people;
    await byMail(people, { name: 'a\r\nBcc: all@example.test' });
    await server.services.db`
      update workflows set name = ${'x\r\nBcc: all@example.test\r\n\r\nYour account ends.'}
      where id = ${workflow}
    `;
    await endedRun(people);
    await send(server);

    assert.deepEqual(receivers(), [owner.user.email]);
    const [headers = '', ...paragraphs] = (texts()[0] ?? '').split('\n\n');
    assert.doesNotMatch(headers, /^Bcc:/m);
    assert.match(paragraphs[0] ?? '', /^A run of “x Bcc: .* ends\.” was cancelled\.$/);
    assert.match(paragraphs.at(-1) ?? '', /notice “a Bcc: all@example\.test”/);
  });

  it('comes to nobody who is disabled or removed, and to no successor', async () => {
    const people = await noticeStage(server);
    const { owner, admin } = people;
    const made = await byMail(people);
    await endedRun(people);
    await admin.patch(`/users/${owner.user.id}`, { status: 'disabled' });
    await endedRun({ ...people, owner: admin });
    await send(server);
    assert.deepEqual(receivers(), []);

    await admin.patch(`/users/${owner.user.id}`, {
      ...{ status: 'disabled', successor_id: admin.user.id },
    });
    assert.equal((await admin.get(made.at)).body.created_by, owner.user.id);
    await send(server);
    assert.deepEqual(receivers(), []);

    await admin.patch(`/users/${owner.user.id}`, { status: 'active' });
    await send(server);
    assert.deepEqual(receivers(), [owner.user.email], 'of the run that ended before');
  });

  it('comes so often within an hour; the last mail says that others are left out', async () => {
    const people = await noticeStage(server);
    const { owner } = people;
    const limits = { ...usualLimits, notices: { ...usualLimits.notices, mails_per_hour: 2 } };
    const [made, other] = [await byMail(people), await byMail(people)];
    const sendOnly = (notice: Made) =>
      owner.post(`${notice.at}/test`).then(() => send(server, { limits }));
    await sendOnly(made);
    await endedRun(people);
    await send(server, { limits });
    await sendOnly(other);

    assert.equal(post.received.length, 2, 'of all notices of a user');
    assert.match(texts()[1] ?? '', /until 2\S+ \S+ UTC you get no more/);
    const failed = [...(await deliveriesOf(owner, made)), ...(await deliveriesOf(owner, other))]
      .filter(({ state }) => state === 'failed')
      .map(({ attempts }) => attempts[0]?.error);
    assert.deepEqual(failed, Array(2).fill('These were more than 2 mails within an hour.'));

    await server.services.db`
      update notice_mails set since = now() - interval '1 hour' where user_id = ${owner.user.id}
    `;
    await sendOnly(other);
    assert.equal(post.received.length, 3);
  });
});

describe('a mail server that does not take a mail', () => {
  it('is tried again when it is back', async () => {
    const gone = await postOffice();
    await gone.close();
    const { config } = server.services;
    const people = await noticeStage(server);
    const { owner } = people;
    const made = await byMail(people);
    await endedRun(people);
    await send(server, { config: { ...config, mail: { url: gone.url, from: mailFrom } } });
    const [waiting] = await deliveriesOf(owner, made);
    assert.deepEqual(
      [waiting?.state, waiting?.attempts[0]?.error, waiting?.attempts[0]?.status],
      ['waiting', 'The mail server could not be reached.', undefined],
    );
    const shown = (await owner.get(made.at)).body;
    assert.equal(shown.failing_since, undefined, 'the receiver can do nothing about it');

    await nextAttempts(server, made);
    await send(server);
    assert.deepEqual(receivers(), [owner.user.email]);
    assert.equal((await deliveriesOf(owner, made))[0]?.state, 'delivered');
    const [row] = await server.services.db<{ count: number }[]>`
      select count from notice_mails where user_id = ${owner.user.id}
    `;
    assert.equal(row?.count, 1, 'what was not sent is not counted');
  });

  it('is not tried again once it has refused the address for good', async () => {
    onRcptTo = refuses(550);
    const people = await noticeStage(server);
    const { owner } = people;
    const made = await byMail(people);
    await endedRun(people);
    await send(server);

    const [delivery] = await deliveriesOf(owner, made);
    assert.deepEqual([delivery?.state, delivery?.attempts[0]?.status], ['failed', 550]);
    assert.doesNotMatch(JSON.stringify(delivery), /inner\.test/);
    assert.ok((await owner.get(made.at)).body.failing_since);
  });

  it('is tried again when it has no time', async () => {
    onRcptTo = refuses(451);
    const people = await noticeStage(server);
    const { owner } = people;
    const made = await byMail(people);
    await endedRun(people);
    await send(server);
    assert.equal((await deliveriesOf(owner, made))[0]?.state, 'waiting');

    onRcptTo = takesAll;
    await nextAttempts(server, made);
    await send(server);
    assert.deepEqual(receivers(), [owner.user.email]);
  });

  it('does not turn a notice off because it refuses the sender', async () => {
    onMailFrom = refuses(550);
    const people = await noticeStage(server);
    const { owner } = people;
    const made = await byMail(people);
    await endedRun(people);
    await send(server);
    const [delivery] = await deliveriesOf(owner, made);
    assert.deepEqual([delivery?.state, delivery?.attempts[0]?.status], ['waiting', 550]);
    assert.equal((await owner.get(made.at)).body.failing_since, undefined);
  });

  it('does not hold up calls of URLs, however many mails wait for its answer', async () => {
    const asked = Promise.withResolvers<void>();
    const unanswered: (() => void)[] = [];
    onRcptTo = (_address, _session, done) => {
      unanswered.push(done);
      asked.resolve();
    };
    const people = await noticeStage(server);
    const { owner } = people;
    const mails: Made[] = [];
    for (let count = 0; count < 4; count += 1) mails.push(await byMail(people));
    for (let count = 0; count < 4; count += 1) await endedRun(people);
    const sending = send(server);
    await asked.promise;

    const called = Promise.withResolvers<void>();
    const { url } = await receiver((response) => {
      response.writeHead(204).end();
      called.resolve();
    });
    await notice(owner, url);
    await endedRun(people);
    await called.promise;

    for (const made of mails)
      for (const { attempts } of await deliveriesOf(owner, made)) assert.deepEqual(attempts, []);
    onRcptTo = takesAll;
    for (const done of unanswered) done();
    await sending;
    assert.deepEqual(errors, []);
    const ends = (await Promise.all(mails.map((made) => deliveriesOf(owner, made))))
      .flat()
      .map(({ state, attempts }) => [state, attempts[0]?.status, attempts[0]?.error]);
    assert.deepEqual(ends, Array(20).fill(['delivered', 250, undefined]));
    // A mail that an earlier test has left may come due meanwhile.
    const own = receivers().filter((address) => address === owner.user.email);
    assert.equal(own.length, 20);
  });
});
