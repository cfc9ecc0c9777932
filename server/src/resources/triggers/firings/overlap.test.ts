import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { look, stage } from '../../../../test/runs.ts';
import { away, firings, hourlyTrigger, states } from '../../../../test/schedules.ts';
import type { TestServer } from '../../../../test/server.ts';
import type { Order } from '../../../../test/worker.ts';
import { openGraphThreads } from '../../workflows/graph-bodies.ts';
import { fireDueTriggers, fireWaiting } from './firing.ts';

const threads = openGraphThreads();
after(() => threads.close());

const duty = async ({ services }: TestServer) => {
  await fireDueTriggers({ ...services, threads });
  await fireWaiting({ ...services, threads });
};

describe('a tick while a run of the trigger has not ended', () => {
  it('is left out by `skip`, which names the run', async () => {
    const people = await stage();
    const { owner, server } = people;
    const trigger = await hourlyTrigger(people, { overlap: 'skip', catch_up: 'all' });
    await away(people, trigger, 3);
    await duty(server);
    const [first, second] = await firings(owner, trigger);
    assert.deepEqual(await states(owner, trigger), ['fired', 'skipped', 'skipped']);
    assert.match(second?.reason ?? '', new RegExp(`Run ${first?.workflow_run_id} `));
  });

  it('waits for its end by `queue_one`, the newest alone', async () => {
    const people = await stage();
    const { owner, server, worker } = people;
    const trigger = await hourlyTrigger(people, { overlap: 'queue_one', catch_up: 'all' });
    await away(people, trigger, 4);
    await duty(server);
    assert.deepEqual(await states(owner, trigger), [
      'fired',
      'superseded',
      'superseded',
      'waiting',
    ]);
    await duty(server);
    assert.equal((await states(owner, trigger)).at(-1), 'waiting');
    const [order] = await worker.acquire();
    await worker.succeed(order);
    await Promise.all([duty(server), duty(server)]);
    assert.equal((await states(owner, trigger)).at(-1), 'fired');
    const started = (await firings(owner, trigger)).filter(({ state }) => state === 'fired');
    assert.equal(new Set(started.map(({ workflow_run_id }) => workflow_run_id)).size, 2);
  });

  it('no longer waits when the trigger is turned off', async () => {
    const people = await stage();
    const { owner, server, worker } = people;
    const trigger = await hourlyTrigger(people, { overlap: 'queue_one', catch_up: 'all' });
    await away(people, trigger, 2);
    await duty(server);
    assert.deepEqual(await states(owner, trigger), ['fired', 'waiting']);
    await owner.patch(`/workflows/triggers/${trigger.id}`, { enabled: false });
    const [order] = await worker.acquire();
    await worker.succeed(order);
    await duty(server);
    const [, waited] = await firings(owner, trigger);
    assert.deepEqual(
      [waited?.state, waited?.reason],
      ['superseded', 'The trigger was changed while it waited.'],
    );
  });

  it('cancels it by `cancel_running`, and starts when it has ended', async () => {
    const people = await stage();
    const { owner, server } = people;
    const trigger = await hourlyTrigger(people, { overlap: 'cancel_running' });
    await away(people, trigger, 1);
    await duty(server);
    const [first] = await firings(owner, trigger);
    await server.services.db`delete from firings where trigger_id = ${trigger.id}`;
    await away(people, trigger, 1);
    await duty(server);
    await duty(server);
    assert.equal((await look(owner, first?.workflow_run_id ?? 0)).status, 'cancelled');
    const [second] = await firings(owner, trigger);
    assert.equal(second?.state, 'fired');
    assert.notEqual(second?.workflow_run_id, first?.workflow_run_id);
  });

  it('starts by `cancel_running` only when what runs has really stopped', async () => {
    const people = await stage();
    const { owner, server, worker } = people;
    const trigger = await hourlyTrigger(people, { overlap: 'cancel_running', catch_up: 'all' });
    await away(people, trigger, 1);
    await duty(server);
    const [order] = await worker.acquire();
    await worker.started(order);
    await away(people, trigger, 1);
    await duty(server);
    await duty(server);
    assert.deepEqual(await states(owner, trigger), ['fired', 'waiting']);
    const { cancel } = (await worker.heartbeat([order])).body;
    assert.deepEqual(
      cancel.map(({ attempt_id }: Order) => attempt_id),
      [order.attempt_id],
    );
    await worker.complete(order, { status: 'cancelled' });
    await duty(server);
    const [first, second] = await firings(owner, trigger);
    const [old, next] = [await look(owner, first?.workflow_run_id ?? 0), second];
    assert.deepEqual([old.status, next?.state], ['cancelled', 'fired']);
    const { created_at } = await look(owner, next?.workflow_run_id ?? 0);
    assert.ok(Date.parse(created_at) >= Date.parse(old.finished_at));
  });

  it('does not mind a run started by hand, and leaves it alone', async () => {
    const people = await stage();
    const { owner, server } = people;
    for (const overlap of ['skip', 'queue_one', 'cancel_running']) {
      const trigger = await hourlyTrigger(people, { overlap });
      const { body } = await owner.post(`/workflows/triggers/${trigger.id}/fire`);
      await away(people, trigger, 1);
      await duty(server);
      await duty(server);
      assert.deepEqual(await states(owner, trigger), ['fired', 'fired'], overlap);
      assert.equal((await look(owner, body.workflow_run_id)).status, 'queued');
    }
  });

  it('runs beside it by `allow`, and so does a run started by hand', async () => {
    const people = await stage();
    const { owner, server } = people;
    const trigger = await hourlyTrigger(people);
    await away(people, trigger, 1);
    await duty(server);
    const path = `/workflows/triggers/${trigger.id}/fire`;
    const headers = { 'idempotency-key': 'once' };
    const byHand = await owner.post(path, undefined, { headers });
    assert.equal(byHand.status, 202);
    assert.deepEqual((await owner.post(path, undefined, { headers })).body, byHand.body);
    const { status, trigger_id } = await look(owner, byHand.body.workflow_run_id);
    assert.deepEqual([status, trigger_id], ['queued', trigger.id]);
    assert.equal((await firings(owner, trigger)).length, 2);
  });
});
