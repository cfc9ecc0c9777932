import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { cast } from '../../../../test/cast.ts';
import {
  deliveriesOf,
  endedRun,
  type Made,
  nextAttempts,
  notice,
  noticeStage,
  receiversAllowed,
  send,
} from '../../../../test/notices.ts';
import { receiver, status } from '../../../../test/receivers.ts';
import { startServer } from '../../../../test/server.ts';
import { usualLimits } from '../../../limits.ts';
import { forgetOldMessages } from './deliveries.ts';

const server = await startServer(receiversAllowed);
/** Attempts are cut off sooner than usual. */
const hasty = { limits: { ...usualLimits, notices: { ...usualLimits.notices, time_ms: 1000 } } };
const { db } = server.services;
const stage = () => noticeStage(server);

const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await turn();
};

/** Messages that are due. */
const fill = ({ id }: Made, count: number) => db`
  insert into notice_deliveries (tenant_id, notice_id, type)
  select tenant_id, id, 'test' from notices, generate_series(1, ${count}::int) where id = ${id}
`;

const usualAnswer = status(204);

describe('a slow receiver', () => {
  it('is cut off, and holds up no other one', async () => {
    const { owner } = await stage();
    const other = await stage();
    const slow = await receiver(null);
    const drop = await receiver((response) => {
      // A byte now and then, and never an end.
      response.writeHead(500);
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    });
    const quick = await receiver();
    const [made, dropping] = [await notice(owner, slow.url), await notice(owner, drop.url)];
    await fill(made, 8);
    await fill(dropping, 2);
    const sending = send(server, hasty);
    await until(() => slow.received.length >= 4 && drop.received.length >= 2);
    // They come while all others wait, and more than there are places.
    const quicks = await Promise.all(
      Array.from({ length: 20 }, () => notice(other.owner, quick.url)),
    );
    for (const one of quicks) await fill(one, 4);
    await until(() => quick.received.length === 80);
    await sending;
    const attempts = (await deliveriesOf(owner, made)).flatMap((one) => one.attempts);
    assert.equal(attempts.length, 8);
    for (const { error, duration_ms } of attempts) {
      assert.equal(error, 'There was no answer within 1 seconds.');
      assert.ok(
        duration_ms >= 990 && duration_ms < usualLimits.notices.time_ms,
        String(duration_ms),
      );
    }
    const [dropped] = (await deliveriesOf(owner, dropping)).flatMap((one) => one.attempts);
    assert.equal(dropped?.status, 500);
  });

  it('leaves places to other receivers of its tenant, and its tenant to others', async () => {
    const [one, another] = [await stage(), await stage()];
    const slow = await receiver(null);
    for (let count = 0; count < 10; count += 1) await fill(await notice(one.owner, slow.url), 9);
    const quick = await receiver();
    await fill(await notice(another.owner, quick.url), 1);
    const stop = new AbortController();
    const sending = send(server, {}, stop.signal);
    await until(() => quick.received.length === 1 && slow.open() === 16);
    const beside = startServer({}, undefined, { beside: server });
    const alsoSending = send(await beside, {}, stop.signal);
    // It counts what the first one sends.
    await fill(await notice(another.owner, quick.url), 1);
    await until(() => quick.received.length === 2);
    assert.equal(slow.open(), 16);
    stop.abort();
    await Promise.all([sending, alsoSending]);
    await db`delete from notice_deliveries`;
  });

  it('does not come first because its messages have waited for longer', async () => {
    const [one, two, other] = [await cast(server), await cast(server), await cast(server)];
    const held: ServerResponse[] = [];
    const slow = await receiver((response) => held.push(response));
    for (const { owner } of [one, two]) await fill(await notice(owner, slow.url), 9);
    const calls = { ...usualLimits.notices.calls, in_all: 4, per_tenant: 3 };
    const notices = { ...usualLimits.notices, calls };
    const stop = new AbortController();
    const sending = send(server, { limits: { ...usualLimits, notices } }, stop.signal);
    await until(() => held.length === 4);
    const quick = await receiver();
    await fill(await notice(other.owner, quick.url), 1);
    held[0]?.writeHead(500).end();
    await until(() => quick.received.length + slow.received.length === 5);
    assert.equal(quick.received.length, 1);
    stop.abort();
    await sending;
    await db`delete from notice_deliveries`;
  });

  it('is not read to the end of what it answers', async () => {
    const { owner } = await stage();
    let sent = 0;
    const endless = await receiver((response) => {
      response.writeHead(200);
      const more = () => {
        while (response.write('x'.repeat(65_536))) sent += 65_536;
        response.once('drain', more);
      };
      more();
    });
    const made = await notice(owner, endless.url);
    await fill(made, 1);
    const began = performance.now();
    await send(server);
    assert.equal((await deliveriesOf(owner, made))[0]?.state, 'delivered');
    assert.ok(performance.now() - began < 14_000);
    await until(() => endless.open() === 0);
    // What the sockets hold is more than what is read.
    assert.ok(sent < 32 * 1024 * 1024, String(sent));
  });
});

describe('several processes', () => {
  it('send each message once', async () => {
    const { owner } = await stage();
    const others = await Promise.all(
      [0, 1].map(() => startServer({}, undefined, { beside: server })),
    );
    let most = 0;
    const place = await receiver((response) => {
      most = Math.max(most, place.open());
      setImmediate(() => response.writeHead(204).end());
    });
    const made = await notice(owner, place.url);
    await fill(made, 60);
    await Promise.all([server, ...others].map((one) => send(one)));
    const ids = place.received.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual([ids.length, new Set(ids).size], [60, 60]);
    assert.ok(most <= 4, String(most));
    const attempts = (await deliveriesOf(owner, made)).flatMap((one) => one.attempts);
    assert.equal(attempts.length, 60);
  });

  it('send again what another one was sending when it stopped', async () => {
    const people = await stage();
    const { owner } = people;
    const place = await receiver(null);
    const made = await notice(owner, place.url);
    await endedRun(people);
    const stop = new AbortController();
    const sending = send(server, {}, stop.signal);
    await until(() => place.received.length === 1);
    stop.abort();
    await sending;
    place.answer = usualAnswer;
    await send(server);
    const [delivery] = await deliveriesOf(owner, made);
    assert.deepEqual([delivery?.state, delivery?.attempts.length], ['delivered', 1]);
    assert.equal(
      place.received[0]?.headers['webhook-id'],
      place.received[1]?.headers['webhook-id'],
    );
  });

  it('take over what another one has held for too long, whose word counts no more', async () => {
    const people = await stage();
    const { owner } = people;
    const held: ServerResponse[] = [];
    const place = await receiver((response) => held.push(response));
    const made = await notice(owner, place.url);
    await endedRun(people);
    const late = send(server);
    await until(() => held.length === 1);
    await db`
      update notice_deliveries set leased_until = now() - interval '1 second'
      where notice_id = ${made.id}
    `;
    place.answer = usualAnswer;
    await send(server);
    held[0]?.destroy();
    await late;
    const [delivery] = await deliveriesOf(owner, made);
    assert.equal(place.received.length, 2);
    assert.deepEqual(
      [delivery?.state, delivery?.attempts.map((one) => one.status)],
      ['delivered', [204]],
    );
  });
});

describe('old messages', () => {
  it('are removed after 30 days, with their attempts', async () => {
    const { owner } = await stage();
    const place = await receiver();
    const made = await notice(owner, place.url);
    await fill(made, 3);
    await send(server);
    const [first, second] = await deliveriesOf(owner, made);
    const aged = (id = 0, days = 0) => db`
      update notice_deliveries set created_at = now() - ${days} * interval '1 day' where id = ${id}
    `;
    await aged(first?.id, 31);
    await aged(second?.id, 29);
    assert.equal(await forgetOldMessages(db, 100), 1);
    const left = (await deliveriesOf(owner, made)).map(({ id }) => id);
    assert.equal(left.length, 2);
    assert.ok(!left.includes(first?.id ?? 0));
  });

  it('may be many: their notice can be turned on and deleted all the same', async () => {
    const { owner } = await cast(server);
    const place = await receiver();
    const [made, other] = [await notice(owner, place.url), await notice(owner, place.url)];
    await fill(made, 5001);
    await fill(other, 1);
    await db`update notice_deliveries set next_attempt_at = now() + id * interval '1 hour'`;
    const due = async (): Promise<number | undefined> => {
      const [row] = await db<{ count: number }[]>`
        select count(*)::int as count from notice_deliveries where next_attempt_at <= now()
      `;
      return row?.count;
    };
    await owner.patch(made.at, { enabled: false });
    assert.equal((await owner.patch(made.at, { enabled: true })).status, 200);
    assert.equal(await due(), 5000);

    assert.equal((await owner.delete(made.at)).status, 204);
    assert.equal(await forgetOldMessages(db, 100), 1);
    assert.equal((await deliveriesOf(owner, other)).length, 1);
    await db`delete from notice_deliveries`;
  });

  it('of a notice that is off hold up nothing', async () => {
    const { owner } = await stage();
    const place = await receiver();
    const [off, on] = [await notice(owner, place.url), await notice(owner, place.url)];
    await fill(off, 500);
    await nextAttempts(server, off);
    await owner.patch(off.at, { enabled: false });
    await fill(on, 1);
    await send(server);
    assert.equal(place.received.length, 1);
  });
});
