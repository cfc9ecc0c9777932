/** How work is paid for from the account of a tenant; limits of single runs are in max-credits.test.ts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { client } from '../../test/cast.ts';
import { type CreditStage, creditStage } from '../../test/credits.ts';
import { untilHeard } from '../../test/heard.ts';
import { send, webhook } from '../../test/hooks.ts';
import { runsOf } from '../../test/models/runs.ts';
import { look, run } from '../../test/runs.ts';
import { away, firings, hourlyTrigger, shown, states } from '../../test/schedules.ts';
import { startServer, type TestServer } from '../../test/server.ts';
import { sweepInPeace } from '../../test/sweeps.ts';
import { roomOfWorker, waitAt, withoutFallback } from '../../test/waiting-workers.ts';
import { type Order, type ScriptedWorker, scriptedWorker } from '../../test/worker.ts';
import { fireDueTriggers } from '../resources/triggers/firings/firing.ts';
import { openGraphThreads } from '../resources/workflows/graph-bodies.ts';

const month_ms = 32 * 86_400_000;
const threads = openGraphThreads();
after(() => threads.close());

describe('work of a tenant with a limit', () => {
  it('holds five minutes at a time, is charged what it ran, and gets the rest back', async () => {
    const room = await creditStage(20);
    const { worker } = room;
    await room.start(await room.version(2));
    const [order] = await worker.acquire();
    assert.deepEqual(await room.credits(), { remaining: 10, used: 0 });
    await worker.started(order);
    await room.ranFor(order, 1);

    await worker.succeed(order);

    const { remaining = 0, used } = await room.credits();
    assert.ok(used >= 2 && used < 3, `${used}`);
    assert.equal(Math.round((remaining + used) * 1000), 20_000);
    assert.deepEqual(await room.faults(), []);
  });

  it('gets all of it back when the platform was at fault, also by a lost worker', async () => {
    const room = await creditStage(20);
    const { worker, server } = room;
    await room.start(await room.version(2), 2);
    const [first, second] = await worker.acquire();
    for (const order of [first, second]) {
      await worker.started(order);
      await room.ranFor(order, 3);
    }
    assert.equal((await room.credits()).remaining, 0);

    await worker.fail(first, { error_class: 'disk_full', error_message: 'full' });
    await server.services.db`
      update attempts set lease_expires_at = now() - interval '1 second'
      where id = ${second.attempt_id}
    `;
    await sweepInPeace(server.services);

    assert.deepEqual(await room.credits(), { remaining: 20, used: 0 });
    assert.deepEqual(await room.faults(), []);
  });

  it('waits when nothing is left for a slice, says so, and lets others go ahead', async () => {
    const room = await creditStage(7);
    const { owner, server, worker } = room;
    const { body } = await room.start(await room.version(1), 2);
    const small = await room.start(await room.version(0.4));

    const orders = await worker.acquire();

    assert.deepEqual(
      orders.map(({ run_id }: Order) => run_id),
      [body.workflow_run_id, small.body.workflow_run_id],
    );
    assert.deepEqual(await room.credits(), { remaining: 0, used: 0 });
    const waiting = (await look(owner, body.workflow_run_id)).node_runs[1];
    assert.equal(waiting.status, 'queued');
    assert.equal(
      waiting.queue_reason,
      'credits: 5 are needed for its first five minutes, and 0 of the organization are left',
    );
    const others = await creditStage(5, server);
    await others.start(await others.version(1));
    assert.equal((await others.worker.acquire()).length, 1);
  });

  it('holds nothing when the lease comes to nothing', async () => {
    const room = await creditStage(20);
    const { server, worker } = room;
    const { db } = server.services;
    await room.start(await room.version(1));
    await db.script(`
      create function refuse_events() returns trigger language plpgsql as
        $$ begin raise exception 'no'; end $$;
      create trigger refuse_events before insert on run_events for each row
        when (new.tenant_id = ${room.owner.user.tenant_id}) execute function refuse_events();
    `);
    assert.deepEqual(await worker.acquire(), []);
    await db.script('drop trigger refuse_events on run_events');

    assert.deepEqual(await room.credits(), { remaining: 20, used: 0 });
    assert.deepEqual(await room.faults(), []);
    assert.equal((await worker.acquire()).length, 1);
  });

  it('is woken when credits come back, the limit is raised, or a period begins', async (t) => {
    withoutFallback(t);
    const room = await creditStage(6);
    const { server, worker } = room;
    const waiting = await scriptedWorker(server, room.owner.user.tenant_id);
    await untilHeard(server);
    await room.start(await room.version(1), 4);
    const [first] = await worker.acquire();
    const woken = async (event: () => Promise<unknown>) => {
      const waits = await waitAt(server, waiting);
      await event();
      const { leases } = await waits.answer;
      assert.equal(leases.length, 1);
      const [{ attempt } = {}] = leases;
      return { attempt_id: attempt?.id, lease_token: attempt?.lease_token };
    };

    const second = await woken(() => worker.fail(first));
    await woken(() => room.limit(12));
    await woken(async () => {
      await waiting.started(second);
      await room.ranFor(second, 4);
      await waiting.complete(second, { status: 'failure', exit_code: 1 });
      assert.ok(((await room.credits()).remaining ?? 0) < 5);
      await room.periodAt(new Date(Date.now() + month_ms));
    });
    assert.deepEqual(await room.faults(), []);
  });

  it('needs credits to start: 409, also for a restart, and nothing is left of it', async () => {
    const room = await creditStage(5);
    const { owner, worker } = room;
    const version = await room.version(1);
    const { body } = await room.start(version);
    const [order] = await worker.acquire();
    await worker.fail(order);
    await room.limit(4);

    const restarted = await owner.post(`/workflows/workflow-runs/${body.workflow_run_id}/restart`);
    const refused = await room.start(version);

    for (const answer of [refused, restarted])
      assert.deepEqual([answer.status, answer.body.code], [409, 'insufficient_credits']);
    const { used } = await room.credits();
    assert.match(
      refused.body.detail,
      new RegExp(
        `needs 5 credits to start, .* and ${Math.round((4 - used) * 1000) / 1000} are left`,
      ),
    );
    const { body: runs } = await owner.get('/workflows/workflow-runs');
    assert.equal(runs.length, 1);
    assert.equal(runs[0].superseded_by_run_id, undefined);
  });

  it('starts by a webhook once there are credits, and once for one message', async () => {
    const room = await creditStage(2);
    const hook = await webhook(room);

    const refused = await send(hook, {}, { id: 'msg_1' });
    assert.deepEqual([refused.status, refused.body.code], [409, 'insufficient_credits']);
    await room.limit(10);
    const started = await send(hook, {}, { id: 'msg_1' });
    const again = await send(hook, {}, { id: 'msg_1' });

    assert.equal(started.status, 202);
    assert.deepEqual([again.status, again.body], [200, started.body]);
    const { body } = await room.owner.get(`/workflows/triggers/${hook.id}/deliveries`);
    const refusal = body.find(({ verdict }: { verdict: string }) => verdict === 'refused');
    assert.match(refusal.reason, /credits to start/);
  });
});

describe('a schedule of a tenant without credits', () => {
  it('is refused, is not turned off, and goes on once there are some', async () => {
    const room = await creditStage(1);
    const { owner, server } = room;
    const services = { ...server.services, threads };
    const trigger = await hourlyTrigger(room, { catch_up: 'all', overlap: 'allow' });
    await away(room, trigger, 12);

    await fireDueTriggers(services);
    const refused = await firings(owner, trigger);
    assert.deepEqual([...new Set(refused.map(({ state }) => state))], ['refused']);
    assert.match(refused[0]?.reason ?? '', /credits to start/);
    assert.equal((await shown(owner, trigger)).enabled, true);
    await room.limit(50);
    await away(room, trigger, 1);
    await fireDueTriggers(services);

    assert.equal((await states(owner, trigger)).at(-1), 'fired');
  });
});

describe('work that runs for longer than it is paid for', () => {
  it('is paid for by heartbeats, a slice before the last one ends', async () => {
    const room = await creditStage(20);
    const { worker } = room;
    await room.start(await room.version(1));
    const [order] = await worker.acquire();
    await worker.started(order);
    const beat = async (minutes: number) => {
      await room.ranFor(order, minutes);
      assert.deepEqual((await worker.heartbeat([order])).body.cancel, []);
      return (await room.credits()).remaining;
    };

    assert.deepEqual(
      [await beat(3), await beat(4), await beat(4.5), await beat(9), await beat(13)],
      [15, 10, 10, 5, 5],
    );
    await worker.succeed(order);

    const { used } = await room.credits();
    assert.ok(used >= 13 && used < 14, `${used}`);
    assert.deepEqual(await room.faults(), []);
  });

  it('is paid for together, and first where the least time is left', async () => {
    const room = await creditStage(20);
    const { server, worker } = room;
    await room.start(await room.version(1), 3);
    const orders = await worker.acquire();
    for (const [at, minutes] of [3.7, 4.95, 3.9].entries()) {
      await worker.started(orders[at]);
      await room.ranFor(orders[at], minutes);
    }
    const beat = async () => {
      assert.deepEqual((await worker.heartbeat(orders)).body.cancel, []);
      const held = await server.services.db<{ credits_held: number }[]>`
        select credits_held from attempts
        where id = any(${orders.map(({ attempt_id }) => attempt_id)}::bigint[]) order by id
      `;
      return held.map(({ credits_held }) => credits_held);
    };

    assert.deepEqual(await beat(), [5000, 10_000, 5000]);
    await room.limit(30);
    assert.deepEqual(await beat(), [10_000, 10_000, 10_000]);

    const holds = await server.services.db`
      select from credit_postings join credit_accounts as account on account.id = account_id
      where tenant_id = ${room.owner.user.tenant_id} and kind = 'hold'
    `;
    assert.equal(holds.count, 3, 'One for the leases, and one for each heartbeat.');
    assert.deepEqual(await room.faults(), []);
  });

  it('is stopped at the end of its slice, and fails for want of credits', async () => {
    const room = await creditStage(5);
    const { owner, worker } = room;
    const retry = { max_attempts: 3, on: [] };
    const { body } = await room.start(await room.version(1, { retry }));
    const [order] = await worker.acquire();
    await worker.started(order);

    await room.ranFor(order, 4.5);
    assert.deepEqual((await worker.heartbeat([order])).body.cancel, [], 'It still has time.');
    await room.ranFor(order, 4.9);
    const { cancel } = (await worker.heartbeat([order])).body;
    assert.deepEqual(
      cancel.map(({ attempt_id }: Order) => attempt_id),
      [order.attempt_id],
    );
    await room.ranFor(order, 5.2);
    await worker.complete(order, { status: 'cancelled' });

    const ended = await look(owner, body.workflow_run_id);
    assert.equal(ended.status, 'failure');
    assert.equal(ended.node_runs[0].error_class, 'insufficient_credits');
    assert.match(ended.error_message, /there were no credits left for it/);
    assert.deepEqual(await room.credits(), { remaining: 0, used: 5 });
    assert.deepEqual(await room.faults(), []);
  });

  it('goes on while another transaction uses the account, and is paid for later', async () => {
    const room = await creditStage(20);
    const { server, worker } = room;
    await room.start(await room.version(1));
    const [order] = await worker.acquire();
    await worker.started(order);
    await room.ranFor(order, 4.95);
    const beat = async () => (await worker.heartbeat([order])).body.cancel;

    await server.services.db.transaction(async (tx) => {
      await tx`
        select from credit_accounts where tenant_id = ${room.owner.user.tenant_id} for update
      `;
      assert.deepEqual(await beat(), []);
    });
    assert.equal((await room.credits()).remaining, 15);
    assert.deepEqual(await beat(), []);

    assert.equal((await room.credits()).remaining, 10);
    assert.deepEqual(await room.faults(), []);
  });

  it('ends as it is told to by its user, when both tell it to stop', async () => {
    const room = await creditStage(5);
    const { owner, worker } = room;
    const { body } = await room.start(await room.version(1));
    const [order] = await worker.acquire();
    await worker.started(order);
    await room.ranFor(order, 4.9);
    await worker.heartbeat([order]);

    await owner.post(`/workflows/workflow-runs/${body.workflow_run_id}/cancel`);
    await worker.complete(order, { status: 'cancelled' });

    assert.equal((await look(owner, body.workflow_run_id)).status, 'cancelled');
    assert.deepEqual(await room.faults(), []);
  });

  it('costs nothing when its worker is lost meanwhile, and is not tried again', async () => {
    const room = await creditStage(5);
    const { owner, server, worker } = room;
    const { body } = await room.start(await room.version(1));
    const [order] = await worker.acquire();
    await worker.started(order);
    await room.ranFor(order, 4.9);
    await worker.heartbeat([order]);
    await server.services.db`
      update attempts set lease_expires_at = now() - interval '1 second'
      where id = ${order.attempt_id}
    `;

    await sweepInPeace(server.services);

    assert.equal((await look(owner, body.workflow_run_id)).status, 'failure');
    assert.deepEqual(await room.credits(), { remaining: 5, used: 0 });
    assert.deepEqual(await room.faults(), []);
  });
});

describe('two processes that spend the credits of a tenant', () => {
  let server: TestServer;
  let other: TestServer;
  before(async () => {
    server = await startServer();
    other = await startServer({}, undefined, { beside: server });
    await untilHeard(other);
  });

  it('start no more than there is for', async () => {
    const room = await creditStage(10, server);
    const version = await room.version(0.6);
    const theirs = client(other.url, room.owner.token);
    const cog_ids = [(await room.owner.upload('one.txt', 'one')).body.id];
    const workers = await Promise.all(
      [1, 2, 3, 4].map(() => scriptedWorker(server, room.owner.user.tenant_id)),
    );

    const starts = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        run({ ...room.owner, ...(at % 2 ? theirs : {}) }, version, { cog_ids }),
      ),
    );
    assert.deepEqual([...new Set(starts.map(({ status }) => status))], [202]);
    const orders: Order[] = [];
    for (let tries = 0; tries < 4; tries += 1)
      orders.push(
        ...(
          await Promise.all(
            workers.map((worker, at) => (at % 2 ? worker.acquire() : acquireAt(other, worker))),
          )
        ).flat(),
      );

    assert.equal(orders.length, 3);
    assert.deepEqual(await room.credits(), { remaining: 1, used: 0 });
    assert.deepEqual(await room.faults(), []);
  });

  it('agree with an account book, whatever happens', async (test) => {
    const room = await creditStage(40, server);
    const { seed } = runsOf(1, test);
    const dice = fc.sample(fc.noBias(fc.nat()), { seed, numRuns: 1000 });
    await keepBook(room, other, (below) => (dice.pop() ?? 0) % below);
  });
});

async function acquireAt({ url }: TestServer, { id, token }: ScriptedWorker) {
  const { body, status } = await client(url, token).post(`/workers/${id}/acquire`, {
    ...{ free: roomOfWorker, max: 10 },
  });
  return status === 200 ? body : [];
}

/** Random work, limits and periods, compared with a book that is kept by hand. */
async function keepBook(
  room: CreditStage,
  other: TestServer,
  random: (below: number) => number,
): Promise<void> {
  const { server, worker } = room;
  const { db } = server.services;
  const versions = [await room.version(0.2), await room.version(1), await room.version(1.7)];
  const book = { limit: 40_000, used: 0 };
  let now = Date.now();
  const live: { order: Order; slice: number; held: number }[] = [];
  const held = () => live.reduce((sum, one) => sum + one.held, 0);
  const end = async (minutes: number, report: Record<string, unknown>) => {
    const [one] = live.splice(random(live.length), 1);
    if (!one) return;
    await worker.started(one.order);
    await room.ranFor(one.order, minutes);
    await worker.complete(one.order, report);
    const [row] = await db<{ millicredits: number; rate: number }[]>`
      select millicredits, cpu::float8 as rate from usage_events
      where attempt_id = ${one.order.attempt_id}
    `;
    const least = Math.min(one.held, Math.ceil(minutes * (row?.rate ?? 0) * 1000 - 0.01));
    const isFree = report.error_class === 'infrastructure' || report.status === 'cancelled';
    const cost = row?.millicredits ?? 0;
    assert.ok(isFree ? cost === 0 : cost >= least && cost <= one.held, `${cost} ${least}`);
    book.used += cost;
  };
  const acts = [
    () => room.start(versions[random(3)] as number, 1 + random(3)),
    async () => {
      const at = random(2) ? worker.acquire(3) : acquireAt(other, worker);
      for (const order of await at) {
        const slice = Math.round(order.resources.cpu * 5000);
        live.push({ order, slice, held: slice });
      }
    },
    () => end(random(50) / 10, { status: 'failure', exit_code: 1 }),
    () => end(random(80) / 10, { status: 'failure', exit_code: 1 }),
    () => end(random(40) / 10, { status: 'failure', error_class: 'infrastructure' }),
    () => end(0.5, { status: 'cancelled' }),
    async () => {
      const one = live[random(live.length)];
      if (!one) return;
      await worker.started(one.order);
      await room.ranFor(one.order, (one.held / one.slice) * 5 - 1);
      const isPaid = book.limit - book.used - held() >= one.slice;
      await worker.heartbeat(live.map(({ order }) => order));
      if (isPaid) one.held += one.slice;
      await room.ranFor(one.order, 0);
    },
    async () => {
      book.limit = (20 + random(60)) * 1000;
      await room.limit(book.limit / 1000);
    },
    async () => {
      now += month_ms;
      await room.periodAt(new Date(now));
      book.used = 0;
    },
  ];
  for (let step = 0; step < 60; step += 1) {
    await (acts[random(step % 12 === 0 ? acts.length : acts.length - 2)] as () => unknown)();
    const { remaining = 0, used } = await room.credits();
    const left = Math.max(0, book.limit - book.used - held());
    assert.deepEqual(
      [Math.round(remaining * 1000), Math.round(used * 1000)],
      [left, book.used],
      `step ${step}`,
    );
    assert.deepEqual(await room.faults(), []);
  }
}
