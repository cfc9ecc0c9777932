/**
 * How work is paid for from the account of a tenant. Work that runs on is in credit-slices.test.ts,
 * several processes in shared-credits.test.ts, limits of single runs in max-credits.test.ts.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { creditStage } from '../../test/credits.ts';
import { untilHeard } from '../../test/heard.ts';
import { send, webhook } from '../../test/hooks.ts';
import { look } from '../../test/runs.ts';
import { away, firings, hourlyTrigger, shown, states } from '../../test/schedules.ts';
import { sweepInPeace } from '../../test/sweeps.ts';
import { waitAt, withoutFallback } from '../../test/waiting-workers.ts';
import { type Order, scriptedWorker } from '../../test/worker.ts';
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
