/** Plans, limits and periods; how work is paid for is in engine/credits.test.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CreditStage, creditStage } from '../../test/credits.ts';
import { heldUp } from '../../test/races.ts';
import { foldCreditChanges, startDuePeriods } from './accounts.ts';

const month_ms = 32 * 86_400_000;

describe('GET /subscriptions', () => {
  it('tells what is used, without a limit as well', async () => {
    const room = await creditStage();
    const { owner, worker } = room;
    await room.start(await room.version(1));
    const [order] = await worker.acquire();
    await worker.started(order);
    await room.ranFor(order, 2);
    await worker.fail(order);

    const { body } = await owner.get('/subscriptions');

    assert.deepEqual(body.plan, { name: 'unlimited' });
    assert.ok(body.credits_used >= 2 && body.credits_used < 3, `${body.credits_used}`);
    assert.equal('credits_remaining' in body || 'credits_limit' in body, false);
    assert.ok(Date.parse(body.period_start) <= Date.now());
    assert.ok(Date.parse(body.period_end) > Date.now());
    assert.deepEqual(
      await room.server.services.db`
        select from credit_accounts where tenant_id = ${owner.user.tenant_id}
      `.then(({ length }) => length),
      0,
      'A tenant without a limit has no account.',
    );

    await room.limit(10);
    const limited = await room.credits();
    assert.equal(limited.used, body.credits_used, 'What was used before counts.');
    assert.equal(limited.remaining, Math.round((10 - limited.used) * 1000) / 1000);
  });

  it('has the plan that a platform admin gives, with its limits', async () => {
    const { owner, stranger } = await creditStage();
    const path = `/platform/tenants/${owner.user.tenant_id}`;

    const { body: tenant } = await stranger.patch(path, { plan: 'team', seats_limit: 7 });
    assert.deepEqual([tenant.plan, tenant.credits_limit, tenant.seats_limit], ['team', 10_000, 7]);
    const { body } = await owner.get('/subscriptions');
    assert.deepEqual(
      [body.plan, body.credits_limit, body.credits_remaining, body.credits_used],
      [{ name: 'team' }, 10_000, 10_000, 0],
    );

    await stranger.patch(path, { plan: 'unlimited' });
    const { body: free } = await owner.get('/subscriptions');
    assert.deepEqual([free.plan, free.credits_limit], [{ name: 'unlimited' }, undefined]);
    for (const wrong of [{ plan: 'golden' }, { credits_limit: -1 }, { credits_limit: 0.5 }])
      assert.equal((await stranger.patch(path, wrong)).status, 422);
  });
});

describe('a limit', () => {
  it('that is lowered and raised never gives more than it says', async () => {
    const room = await creditStage(100);
    const { worker } = room;
    await room.start(await room.version(1));
    const [order] = await worker.acquire();
    await worker.started(order);
    await room.ranFor(order, 3);
    await worker.fail(order);
    const { used } = await room.credits();
    const left = (limit: number) => Math.round((limit - used) * 1000) / 1000;

    for (const [limit, remaining] of [
      [50, left(50)],
      [2, 0],
      [0, 0],
      [40, left(40)],
    ] as const) {
      await room.limit(limit);
      assert.deepEqual(await room.credits(), { remaining, used });
      assert.deepEqual(await room.faults(), []);
    }
  });

  it('that is lowered gives nothing for new work when what is under way ends', async () => {
    const room = await creditStage(20);
    const { server, worker } = room;
    const version = await room.version(2);
    await room.start(version);
    const [order] = await worker.acquire();
    await room.limit(5);
    assert.deepEqual(await room.credits(), { remaining: 0, used: 0 });

    const isAsLimited = async () => {
      assert.deepEqual(await room.credits(), { remaining: 5, used: 0 });
      assert.equal((await room.start(version)).body.code, 'insufficient_credits');
      assert.deepEqual(await room.faults(), []);
    };
    // The ten credits that were held for it come back.
    await worker.fail(order, { error_class: 'disk_full', error_message: 'full' });
    await isAsLimited();
    await foldCreditChanges(server.services.db, 1000);
    await isAsLimited();

    await room.limit(20);
    assert.deepEqual(await room.credits(), { remaining: 20, used: 0 });
  });

  it('that is ended frees what is under way, which may take as long as it likes', async () => {
    const room = await creditStage(5);
    const { owner, worker } = room;
    await room.start(await room.version(1));
    const [order] = await worker.acquire();
    await worker.started(order);

    await room.limit(null);
    await room.ranFor(order, 20);
    const { body } = await worker.heartbeat([order]);
    assert.deepEqual(body.cancel, []);
    await worker.succeed(order);

    const { used, remaining } = await room.credits();
    assert.ok(used >= 20 && used < 21, `${used}`);
    assert.equal(remaining, undefined);
    assert.deepEqual(await room.faults(), []);
    await room.limit(30);
    assert.deepEqual((await owner.get('/subscriptions')).body.credits_limit, 30);
    assert.deepEqual(await room.faults(), []);
  });
});

describe('credits that are added', () => {
  const adding = (room: Awaited<ReturnType<typeof creditStage>>) => {
    const path = `/platform/tenants/${room.owner.user.tenant_id}/credits`;
    return (credits: number, key: string) =>
      room.stranger.post(
        path,
        { credits, reason: 'a fair' },
        { headers: { 'idempotency-key': key } },
      );
  };

  it('let work start in this period, once for each key, and end with it', async () => {
    const room = await creditStage(4);
    const { owner, worker } = room;
    const { db } = room.server.services;
    const add = adding(room);
    const version = await room.version(1);
    assert.equal((await room.start(version)).body.code, 'insufficient_credits');

    const { status, body } = await add(6, 'one');
    assert.deepEqual([status, body.credits_added, body.credits_remaining], [201, 6, 10]);
    assert.deepEqual((await add(6, 'one')).body, body);

    await room.start(version);
    const [order] = await worker.acquire();
    assert.deepEqual((await owner.get('/subscriptions')).body.credits_remaining, 5);
    await worker.fail(order, { error_class: 'disk_full', error_message: 'full' });
    await foldCreditChanges(db, 1000);
    assert.deepEqual(await room.credits(), { remaining: 10, used: 0 });

    await room.periodAt(new Date(Date.now() + month_ms));
    assert.deepEqual(await room.credits(), { remaining: 4, used: 0 });
    assert.equal('credits_added' in (await owner.get('/subscriptions')).body, false);
    assert.deepEqual(await room.faults(), []);
  });

  it('are for the period under way, also while the account of one that is over is in use', async () => {
    const room = await creditStage(4);
    const { db } = room.server.services;
    const { tenant_id } = room.owner.user;
    await db`update tenants set period_day = period_day % 28 + 1 where id = ${tenant_id}`;
    await db`
      update credit_accounts set period_start = '2026-01-01', period_end = '2026-02-01'
      where tenant_id = ${tenant_id}
    `;

    const { status } = await heldUp(
      db,
      (tx) => tx`select from credit_accounts where tenant_id = ${tenant_id} for no key update`,
      () => adding(room)(6, 'one'),
    );
    await startDuePeriods(db, new Date(), 1000);

    assert.equal(status, 201);
    assert.deepEqual(await room.credits(), { remaining: 10, used: 0 });
    assert.deepEqual(await room.faults(), []);
  });

  it('stay when the limit is changed, and make up for one below what is used', async () => {
    const room = await creditStage(20);
    const { worker } = room;
    const add = adding(room);
    await room.start(await room.version(1));
    const [order] = await worker.acquire();
    await worker.started(order);
    await room.ranFor(order, 4);
    await worker.fail(order);
    const { used } = await room.credits();
    const left = (credits: number) => Math.round((credits - used) * 1000) / 1000;

    await add(10, 'first');
    assert.equal((await room.credits()).remaining, left(30));
    await room.limit(2);
    assert.equal((await room.credits()).remaining, left(12));
    await room.limit(0);
    await add(1, 'second');
    assert.equal((await room.credits()).remaining, left(11));
    assert.deepEqual(await room.faults(), []);
  });

  it('stand in both audit trails, and need a limit and a platform admin', async () => {
    const room = await creditStage();
    const { admin, stranger, owner } = room;
    const add = adding(room);
    assert.equal((await add(5, 'none')).body.code, 'no_credits_limit');
    await room.limit(1);
    await add(5, 'some');

    const path = `/platform/tenants/${owner.user.tenant_id}/credits`;
    assert.equal((await admin.post(path, { credits: 5 })).status, 403);
    for (const wrong of [{ credits: 0 }, { credits: 0.5 }, {}])
      assert.equal((await stranger.post(path, wrong)).status, 422);
    for (const who of [admin, stranger]) {
      const { body } = await who.get('/audit-events/?action=tenant.credits_added');
      const [{ credits, reason }] = body.map((one: { details: object }) => one.details);
      assert.deepEqual([body.length, credits, reason], [1, 5, 'a fair']);
    }
  });
});

describe('the next period', () => {
  it('is granted once, by any number of engines, and what is left expires', async () => {
    const room = await creditStage(100);
    const { db } = room.server.services;
    const { tenant_id } = room.owner.user;
    const account = db`select id from credit_accounts where tenant_id = ${tenant_id}`;
    const [{ id = 0 } = {}] = (await account) as { id?: number }[];
    await db`update tenants set period_day = 31 where id = ${tenant_id}`;
    await db`
      update credit_accounts set period_start = '2026-12-31', period_end = '2027-01-31'
      where id = ${id}
    `;

    for (const now of ['2027-01-31', '2027-02-27', '2027-02-28', '2027-03-31', '2027-04-30'])
      await Promise.all(
        [1, 2, 3].map(() => startDuePeriods(db, new Date(`${now}T00:00:00Z`), 1000)),
      );

    const granted = await db<{ source: string; available: number }[]>`
      select source, available from credit_postings
      where account_id = ${id} and kind = 'grant' and source like '2027%' order by id
    `;
    assert.deepEqual(
      granted.map(({ source, available }) => [source, available]),
      ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30'].map((day) => [
        `${day}T00:00:00.000Z`,
        100_000,
      ]),
    );
    assert.deepEqual(await room.credits(), { remaining: 100, used: 0 });
    assert.deepEqual(await room.faults(), []);
  });

  it('begins for all others while one account is in use', async () => {
    const room = await creditStage(100);
    const other = await creditStage(100, room.server);
    const { db } = room.server.services;
    const later = new Date(Date.now() + month_ms);
    const endOf = async ({ owner }: CreditStage) =>
      Date.parse((await owner.get('/subscriptions')).body.period_end);

    await db.transaction(async (tx) => {
      await tx`
        select from credit_accounts where tenant_id = ${room.owner.user.tenant_id} for update
      `;
      await startDuePeriods(db, later, 1000);
    });

    assert.ok((await endOf(room)) <= later.getTime());
    assert.ok((await endOf(other)) > later.getTime());
    await startDuePeriods(db, later, 1000);
    assert.ok((await endOf(room)) > later.getTime());
    assert.deepEqual(await room.faults(), []);
  });

  it('has what is under way when it begins, charged once, when it ends', async () => {
    const room = await creditStage(20);
    const { worker } = room;
    await room.start(await room.version(1), 2);
    const [first, second] = await worker.acquire();
    await worker.started(first);
    await room.ranFor(first, 4);
    await worker.fail(first);
    const before = await room.credits();
    assert.ok(before.used >= 4 && before.used < 5);

    await room.periodAt(new Date(Date.now() + month_ms));
    assert.deepEqual(await room.credits(), { remaining: 15, used: 0 });
    await worker.started(second);
    await room.ranFor(second, 3);
    await worker.fail(second);

    const { remaining = 0, used } = await room.credits();
    assert.ok(used >= 3 && used < 4, `${used}`);
    assert.equal(Math.round((remaining + used) * 1000), 20_000);
    assert.deepEqual(await room.faults(), []);
  });
});

describe('a recount', () => {
  it('names what is not as it was posted, held and used', async () => {
    const room = await creditStage(20);
    const { worker } = room;
    const { db } = room.server.services;
    await room.start(await room.version(1), 2);
    const [order] = await worker.acquire();
    await worker.started(order);
    await room.ranFor(order, 1);
    await worker.fail(order);
    assert.deepEqual(await room.faults(), []);

    const { tenant_id } = room.owner.user;
    await db`
      update credit_accounts set available = available - 1, spent = spent + 1
      where tenant_id = ${tenant_id}
    `;
    await db`
      update attempts set credits_held = credits_held + 1
      where tenant_id = ${tenant_id} and status = 'leased'
    `;
    await db`
      update usage_events set millicredits = millicredits + 1 where tenant_id = ${tenant_id}
    `;

    assert.deepEqual((await room.faults()).toSorted(), [
      'available',
      'held by attempts',
      'spent',
      'spent by attempts',
    ]);
  });
});

describe('postings', () => {
  it('are never changed or removed, and each is made once', async () => {
    const room = await creditStage(1);
    const { db } = room.server.services;
    const { tenant_id } = room.owner.user;
    const mine = db`
      account_id in (select id from credit_accounts where tenant_id = ${tenant_id})
    `;
    await assert.rejects(async () => {
      await db`update credit_postings set available = 5 where ${mine}`;
    }, /never changed/);
    await assert.rejects(async () => {
      await db`delete from credit_postings where ${mine}`;
    }, /never changed/);
    await assert.rejects(async () => {
      await db`
        insert into credit_postings (account_id, kind, source, available, issued)
        select account_id, kind, source, 1, -1 from credit_postings where ${mine}
      `;
    }, /credit_postings_once/);
    await assert.rejects(async () => {
      await db`
        insert into credit_postings (account_id, kind, source, available)
        select account_id, kind, 'more', 1 from credit_postings where ${mine}
      `;
    }, /credit_postings_balance/);
    await assert.rejects(async () => {
      await db`
        insert into credit_postings (account_id, kind, source, available, held)
        select account_id, 'hold', 'too much', -1001, 1001 from credit_postings where ${mine}
      `;
    }, /credit_accounts_never_overdrawn/);
  });
});
