/** How work that runs on is paid for by heartbeats, and stopped when nothing is left. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { creditStage } from '../../test/credits.ts';
import { look } from '../../test/runs.ts';
import { sweepInPeace } from '../../test/sweeps.ts';
import type { Order } from '../../test/worker.ts';

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
