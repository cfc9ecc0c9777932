import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { send, webhook } from '../../../test/hooks.ts';
import { endedOrWaiting, heldUp } from '../../../test/races.ts';
import { type Stage, stage } from '../../../test/runs.ts';
import { away, hourlyTrigger, type Scheduled, shown, states } from '../../../test/schedules.ts';
import { startServer } from '../../../test/server.ts';
import { openGraphThreads } from '../workflows/graph-bodies.ts';
import { fireDueTriggers } from './firings/firing.ts';

const threads = openGraphThreads();
after(() => threads.close());

describe('a trigger that is off because its user was disabled', () => {
  it('stays off with the user enabled once somebody has turned it off', async () => {
    const people = await stage();
    const { admin, owner } = people;
    const trigger = await offWithItsUser(people);
    const path = `/workflows/triggers/${trigger.id}`;

    await admin.patch(path, { enabled: false });
    await setStatus(people, 'active');

    const { enabled, off_reason } = await shown(owner, trigger);
    assert.deepEqual([enabled, off_reason], [false, undefined]);
    assert.equal((await owner.patch(path, { enabled: true })).body.enabled, true);
  });

  it('stays off for whoever takes it over until they turn it on', async () => {
    const people = await stage();
    const { admin, owner } = people;
    const trigger = await offWithItsUser(people);
    const path = `/workflows/triggers/${trigger.id}`;

    await admin.patch(path, { run_as_user_id: admin.user.id });
    await admin.patch(`/users/${admin.user.id}`, { role: 'admin' });
    await setStatus(people, 'active');

    const { enabled, off_reason } = await shown(owner, trigger);
    assert.deepEqual([enabled, off_reason], [false, undefined]);
    assert.equal((await admin.patch(path, { enabled: true })).body.enabled, true);
  });

  it('is on again with the user, also if a tick turns it off at that moment', async () => {
    const people = await stage(await startServer());
    const { owner, admin, server } = people;
    const { db } = server.services;
    const trigger = await hourlyTrigger(people, { overlap: 'queue_one', catch_up: 'all' });
    await away(people, trigger, 2);
    await fireDueTriggers({ ...server.services, threads });
    assert.deepEqual(await states(owner, trigger), ['fired', 'waiting']);
    await setStatus(people, 'disabled');
    await away(people, trigger, 1);

    let enabling: Promise<void> | undefined;
    await heldUp(
      db,
      (tx) => tx`select from firings where state = 'waiting' for update`,
      () => fireDueTriggers({ ...server.services, threads }),
      async () => {
        enabling = setStatus(people, 'active');
        await endedOrWaiting(db, enabling, 2);
      },
    );
    await enabling;

    assert.deepEqual(await states(admin, trigger), ['fired', 'superseded', 'refused']);
    const { enabled, off_reason } = await shown(admin, trigger);
    assert.deepEqual([enabled, off_reason], [true, undefined]);
  });

  it('is on again with the user, also if a message comes at that moment', async () => {
    const people = await stage(await startServer());
    const { owner, server } = people;
    const { db } = server.services;
    const hook = await webhook(people);
    await setStatus(people, 'disabled');

    let message: ReturnType<typeof send> | undefined;
    await heldUp(
      db,
      (tx) => tx`select from triggers where id = ${hook.id} for update`,
      () => setStatus(people, 'active'),
      async () => {
        message = send(hook);
        await endedOrWaiting(db, message, 2);
      },
    );

    assert.equal((await message)?.status, 409);
    assert.equal((await shown(owner, hook)).enabled, true);
    assert.equal((await send(hook)).status, 202);
  });
});

/** By its first tick after its user was disabled. */
async function offWithItsUser(people: Stage): Promise<Scheduled> {
  const trigger = await hourlyTrigger(people);
  await setStatus(people, 'disabled');
  await away(people, trigger, 1);
  await fireDueTriggers({ ...people.server.services, threads });
  const { enabled, off_reason } = await shown(people.admin, trigger);
  assert.deepEqual([enabled, off_reason], [false, 'run_as_disabled']);
  return trigger;
}

async function setStatus({ admin, owner }: Stage, status: string) {
  assert.equal((await admin.patch(`/users/${owner.user.id}`, { status })).status, 200);
}
