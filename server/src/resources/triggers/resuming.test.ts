import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type Stage, stage } from '../../../test/runs.ts';
import { away, hourlyTrigger, type Scheduled, shown } from '../../../test/schedules.ts';
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
