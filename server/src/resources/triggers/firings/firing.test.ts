import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { look, stage, versionOf } from '../../../../test/runs.ts';
import {
  away,
  firings,
  hourlyTrigger,
  type Scheduled,
  shown,
  states,
} from '../../../../test/schedules.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';
import { mappedGraph, registerNode } from '../../../../test/workflows.ts';
import { openGraphThreads } from '../../workflows/graph-bodies.ts';
import { fireDueTriggers, fireWaiting } from './firing.ts';

const threads = openGraphThreads();
after(() => threads.close());

const duty = async ({ services }: TestServer) => {
  await fireDueTriggers({ ...services, threads });
  await fireWaiting({ ...services, threads });
};

describe('a schedule', () => {
  it('fires once for each tick, with any number of processes', async () => {
    const people = await stage();
    const { owner, server } = people;
    const others = await Promise.all([
      startServer({}, undefined, { beside: server }),
      startServer({}, undefined, { beside: server }),
    ]);
    const triggers = await Promise.all(
      Array.from({ length: 8 }, () => hourlyTrigger(people, { catch_up: 'all', overlap: 'allow' })),
    );
    for (const trigger of triggers) await away(people, trigger, 3);

    await Promise.all([server, ...others, server].map(duty));
    await duty(server);

    for (const trigger of triggers) {
      const fired = await firings(owner, trigger);
      assert.deepEqual(await states(owner, trigger), ['fired', 'fired', 'fired']);
      assert.equal(new Set(fired.map(({ tick_at }) => tick_at)).size, 3);
      const ticks = fired.map(({ tick_at }) => tick_at);
      assert.deepEqual(ticks, ticks.toSorted());
      const { body: runs } = await owner.get('/workflows/workflow-runs?limit=200');
      const own = runs.filter((run: { trigger_id?: number }) => run.trigger_id === trigger.id);
      assert.deepEqual(
        own.map(({ id }: { id: number }) => id).toSorted(),
        fired.map(({ workflow_run_id }) => workflow_run_id).toSorted(),
      );
    }
    const trigger = await shown(owner, triggers[0] as Scheduled);
    assert.equal(trigger.last_status, 'queued');
    assert.ok(trigger.last_fired_at);
    assert.ok(Date.parse(trigger.next_fire_at) > Date.now());
  });

  it('fires as soon as others do, however many a tenant has that are due for longer', async () => {
    const many = await stage(await startServer());
    const few = await stage(many.server);
    const late = [await hourlyTrigger(many), await hourlyTrigger(many), await hourlyTrigger(many)];
    for (const trigger of late) await away(many, trigger, 9);
    const own = await hourlyTrigger(few);
    await away(few, own, 2);

    await fireDueTriggers({ ...many.server.services, threads }, 2);

    assert.equal((await states(few.owner, own)).at(-1), 'fired');
  });

  it('starts its runs with what its user may do, over its files', async () => {
    const people = await stage();
    const { owner, server } = people;
    const trigger = await hourlyTrigger(people);
    await away(people, trigger, 1);
    await duty(server);
    const [fired] = await firings(owner, trigger);
    const run = await look(owner, fired?.workflow_run_id ?? 0);
    assert.equal(run.started_by, owner.user.id);
    assert.equal(run.trigger_id, trigger.id);
    assert.deepEqual(
      run.run_files.map(({ cog_id }: { cog_id: number }) => cog_id),
      [trigger.file],
    );
  });

  it('makes up for what was missed as it says', async () => {
    const people = await stage();
    const { owner, server } = people;
    const [none, latest, all] = await Promise.all(
      ['none', 'latest', 'all'].map((catch_up) =>
        hourlyTrigger(people, { catch_up, overlap: 'allow' }),
      ),
    );
    for (const trigger of [none, latest, all]) await away(people, trigger as Scheduled, 18);
    await duty(server);
    const [dropped] = await firings(owner, none as Scheduled);
    assert.deepEqual([dropped?.state, dropped?.ticks], ['dropped', 18]);
    assert.deepEqual(await states(owner, latest as Scheduled), ['dropped', 'fired']);
    assert.deepEqual(await states(owner, all as Scheduled), Array(18).fill('fired'));
    const inOrder = await firings(owner, all as Scheduled);
    for (const key of ['tick_at', 'workflow_run_id'] as const) {
      const values = inOrder.map((one) => Number(one[key]) || Date.parse(String(one[key])));
      assert.deepEqual(
        values,
        values.toSorted((a, b) => a - b),
      );
    }
  });

  it('shows how late a tick has fired', async () => {
    const server = await startServer();
    const people = await stage(server);
    const trigger = await hourlyTrigger(people);
    const lateness = async (what: 'sum' | 'count') => {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      const name = `cogworks_trigger_lateness_seconds_${what}`;
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    };
    await away(people, trigger, 3);
    await duty(server);
    const [, fired] = await firings(people.owner, trigger);
    const late_s = (Date.parse(fired?.decided_at ?? '') - Date.parse(fired?.tick_at ?? '')) / 1000;
    assert.ok(late_s > 1700 && late_s < 3600, String(late_s));
    assert.equal(await lateness('count'), 1);
    assert.ok(Math.abs((await lateness('sum')) - late_s) < 60);
  });

  it('makes up for nothing while it was off, or under an earlier expression', async () => {
    const people = await stage();
    const { owner, server } = people;
    const trigger = await hourlyTrigger(people, { catch_up: 'all' });
    const path = `/workflows/triggers/${trigger.id}`;
    await owner.patch(path, { enabled: false });
    await away(people, trigger, 100);
    await duty(server);
    await owner.patch(path, { enabled: true });
    await duty(server);
    await away(people, trigger, 100);
    await owner.patch(path, { timezone: 'Asia/Kolkata' });
    await duty(server);
    await away(people, trigger, 100);
    await owner.patch(path, { cron: '0 0 * * *' });
    await duty(server);
    assert.deepEqual(await firings(owner, trigger), []);
  });

  it('whose firing fails in the database fires later, once', async () => {
    const people = await stage();
    const { owner, server } = people;
    const { db } = server.services;
    const trigger = await hourlyTrigger(people);
    await away(people, trigger, 1);
    await db.script(`
      create function refuse_firing() returns trigger language plpgsql as
        $$ begin raise exception 'no'; end $$;
      create trigger refuse_firing before insert on firings
        for each row when (new.trigger_id = ${trigger.id}) execute function refuse_firing();
    `);
    await duty(server);
    assert.deepEqual(await firings(owner, trigger), []);
    const runs = async () =>
      (await db`select from workflow_runs where trigger_id = ${trigger.id}`).length;
    assert.equal(await runs(), 0);
    await db.script('drop trigger refuse_firing on firings');
    await duty(server);
    assert.deepEqual(await firings(owner, trigger), [], 'It pauses.');
    await db`update triggers set retry_at = now() where id = ${trigger.id}`;
    await duty(server);
    await duty(server);
    assert.deepEqual(await states(owner, trigger), ['fired']);
    assert.equal(await runs(), 1);
  });

  it('goes on when the clock was set back, and decides no tick twice', async () => {
    const people = await stage();
    const { owner, server } = people;
    const trigger = await hourlyTrigger(people, { catch_up: 'all', overlap: 'allow' });
    await away(people, trigger, 2);
    await duty(server);
    await server.services.db`
      update triggers
      set last_tick_at = now() + interval '26 hours', next_fire_at = now() + interval '27 hours'
      where id = ${trigger.id}
    `;
    await duty(server);
    const { next_fire_at } = await shown(owner, trigger);
    assert.ok(Date.parse(next_fire_at) < Date.now() + 3_600_000);
    await server.services.db`
      update triggers
      set last_tick_at = now() - interval '3 hours', next_fire_at = now() - interval '2 hours'
      where id = ${trigger.id}
    `;
    await duty(server);
    const fired = await firings(owner, trigger);
    assert.equal(new Set(fired.map(({ tick_at }) => tick_at)).size, 3);
    assert.equal(new Set(fired.map(({ workflow_run_id }) => workflow_run_id)).size, 3);
    const runs = await server.services
      .db`select from workflow_runs where trigger_id = ${trigger.id}`;
    assert.equal(runs.length, 3);
  });
});

describe('a trigger of a workflow', () => {
  it('starts the version that is published by then, and says so when there is none', async () => {
    const people = await stage();
    const { owner, server } = people;
    const graph = mappedGraph(await registerNode(owner));
    const first = await versionOf(owner, graph);
    const at = (version: number) => `/workflows/workflow-versions/${version}`;
    const { workflow_id } = (await owner.post(`${at(first)}/publish`)).body;
    const trigger = await hourlyTrigger(people, {
      ...{ workflow_version_id: undefined, workflow_id, overlap: 'allow' },
    });
    const fired = async () => {
      await away(people, trigger, 1);
      await duty(server);
      return (await firings(owner, trigger)).at(-1);
    };
    const versionFired = async () => await look(owner, (await fired())?.workflow_run_id ?? 0);

    assert.equal((await versionFired()).workflow_version_id, first);
    const { body: second } = await owner.post(`/workflows/${workflow_id}/versions`, { graph });
    assert.equal((await versionFired()).workflow_version_id, first, 'A draft is not published.');
    await owner.post(`${at(second.id)}/publish`);
    assert.equal((await versionFired()).workflow_version_id, second.id);
    for (const version of [first, second.id]) await owner.post(`${at(version)}/archive`);
    const refused = await fired();
    assert.deepEqual(
      [refused?.state, refused?.reason],
      ['refused', 'No version of the workflow is published.'],
    );
  });
});

describe('a trigger whose user', () => {
  it('is disabled turns itself off, and on again with the user', async () => {
    const people = await stage();
    const { owner, admin, server } = people;
    const trigger = await hourlyTrigger(people);
    const set = (status: string) => admin.patch(`/users/${owner.user.id}`, { status });
    await set('disabled');
    await away(people, trigger, 1);
    await duty(server);
    assert.deepEqual(await states(admin, trigger), ['refused']);
    const { enabled, off_reason } = await shown(admin, trigger);
    assert.deepEqual([enabled, off_reason], [false, 'run_as_disabled']);

    await away(people, trigger, 5);
    await set('active');
    await duty(server);
    assert.equal((await shown(admin, trigger)).enabled, true);
    assert.deepEqual(await states(admin, trigger), ['refused']);
    await away(people, trigger, 1);
    await duty(server);
    assert.deepEqual(await states(admin, trigger), ['refused', 'fired']);
  });

  it('has lost a file is refused with the reason, and off after ten times', async () => {
    const people = await stage();
    const { owner, viewer, admin, server } = people;
    const folder = (await owner.post('/cogs', { name: 'A', cog_type: 'asset_folder' })).body.id;
    const file = (await owner.upload('a', 'a', folder)).body.id;
    const grant = await owner.post(`/permissions/cogs/${file}`, {
      target_type: 'cog',
      target_id: file,
      user_id: viewer.user.id,
      level: 'viewer',
    });
    const trigger = await hourlyTrigger(people, { catch_up: 'all', cog_ids: [file] }, viewer);
    await owner.delete(`/permissions/${grant.body.permission_id}`);
    await away(people, trigger, 9);
    await duty(server);
    const refused = await firings(viewer, trigger);
    assert.deepEqual(await states(viewer, trigger), Array(9).fill('refused'));
    assert.match(refused[0]?.reason ?? '', /no access/);
    assert.equal((await shown(viewer, trigger)).enabled, true);

    await away(people, trigger, 1);
    await duty(server);
    const { enabled, off_reason, last_status } = await shown(viewer, trigger);
    assert.deepEqual([enabled, off_reason, last_status], [false, 'refused_repeatedly', 'refused']);
    const { body: events } = await admin.get('/audit-events?action=trigger.paused');
    assert.equal(events.length, 1);
  });
});
