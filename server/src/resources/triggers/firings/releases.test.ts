import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { heldUp } from '../../../../test/races.ts';
import { type Stage, stage } from '../../../../test/runs.ts';
import {
  away,
  firings,
  hourlyTrigger,
  type Scheduled,
  shown,
  states,
} from '../../../../test/schedules.ts';
import { startServer } from '../../../../test/server.ts';
import { openGraphThreads } from '../../workflows/graph-bodies.ts';
import { fireDueTriggers, fireWaiting } from './firing.ts';

const threads = openGraphThreads();
after(() => threads.close());

describe('a tick that waits for the end of a run', () => {
  for (const overlap of ['queue_one', 'cancel_running'])
    it(`starts one run by \`${overlap}\`, also if that ends before another engine comes to it`, async () => {
      const { people, first, second } = await twoThatWait(overlap);

      await behindTheFirst(people, first, async () => {
        await fireWaiting({ ...people.server.services, threads });
        await people.worker.work();
      });

      assert.deepEqual(await states(people.owner, second), ['fired', 'fired']);
      assert.deepEqual(await runsOf(people, second), await firedRunsOf(people, second));
    });

  it('starts nothing once its trigger has turned itself off', async () => {
    const { people, first, second } = await twoThatWait('queue_one');
    const { owner, server } = people;

    await behindTheFirst(people, first, async () => {
      await owner.delete(`/cogs/${second.file}`);
      await away(people, second, 10);
      await fireDueTriggers({ ...server.services, threads });
      assert.equal((await shown(owner, second)).off_reason, 'refused_repeatedly');
      await owner.post(`/cogs/${second.file}/restore`, {});
    });

    assert.equal((await states(owner, second))[1], 'superseded');
    assert.deepEqual(await runsOf(people, second), await firedRunsOf(people, second));
  });

  it('waits no longer once a newer one has started', async () => {
    const { people, second } = await twoThatWait('queue_one');
    const { owner, server } = people;

    await away(people, second, 1);
    await fireDueTriggers({ ...server.services, threads });
    await people.worker.work();
    await fireWaiting({ ...server.services, threads });

    assert.deepEqual(await states(owner, second), ['fired', 'superseded', 'fired']);
    assert.equal((await runsOf(people, second)).length, 2);
  });

  it('waits no longer once a successor has taken over the trigger, which is off', async () => {
    const { people, second } = await twoThatWait('queue_one');
    const { admin, owner, editor, server } = people;
    const successor_id = editor.user.id;

    await admin.patch(`/users/${owner.user.id}`, { status: 'disabled', successor_id });
    await fireWaiting({ ...server.services, threads });

    const [, waited] = await firings(editor, second);
    assert.deepEqual(
      [waited?.state, waited?.reason],
      ['superseded', 'The trigger was turned off while it waited.'],
    );
    assert.equal((await shown(editor, second)).off_reason, 'taken_over');
    assert.equal((await runsOf(people, second)).length, 1);
  });
});

/** Each has a tick that waits, and the runs that it waited for have ended. */
async function twoThatWait(overlap: string) {
  const people = await stage(await startServer());
  const { owner, server, worker } = people;
  const given = { overlap, catch_up: 'all' };
  const first = await hourlyTrigger(people, given);
  const second = await hourlyTrigger(people, given);
  for (const trigger of [first, second]) {
    await away(people, trigger, 2);
    await fireDueTriggers({ ...server.services, threads });
    assert.deepEqual(await states(owner, trigger), ['fired', 'waiting']);
  }
  await worker.work();
  return { people, first, second };
}

/** An engine has read that both are to be started, and is at the first while this happens. */
async function behindTheFirst(people: Stage, first: Scheduled, meanwhile: () => Promise<unknown>) {
  const { server, owner } = people;
  const other = await startServer({}, undefined, { beside: server });
  const { workflow_version_id } = await shown(owner, first);
  await heldUp(
    server.services.db,
    (tx) => tx`select from workflow_versions where id = ${workflow_version_id} for update`,
    () => fireWaiting({ ...other.services, threads }),
    meanwhile,
  );
  assert.deepEqual(await states(owner, first), ['fired', 'fired']);
}

const runsOf = async ({ admin }: Stage, { id }: Scheduled): Promise<number[]> => {
  const { body } = await admin.get(`/workflows/workflow-runs?trigger_id=${id}`);
  return body.map((run: { id: number }) => run.id).toSorted();
};

const firedRunsOf = async ({ admin }: Stage, trigger: Scheduled) =>
  (await firings(admin, trigger))
    .flatMap(({ workflow_run_id }) => workflow_run_id ?? [])
    .toSorted();
