/** How several processes spend one account: checked against a book that is kept by hand. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { client } from '../../test/cast.ts';
import { type CreditStage, creditStage } from '../../test/credits.ts';
import { untilHeard } from '../../test/heard.ts';
import { runsOf } from '../../test/models/runs.ts';
import { run } from '../../test/runs.ts';
import { startServer, type TestServer } from '../../test/server.ts';
import { roomOfWorker } from '../../test/waiting-workers.ts';
import { type Order, type ScriptedWorker, scriptedWorker } from '../../test/worker.ts';

const month_ms = 32 * 86_400_000;

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
