import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send, webhook } from '../../../test/hooks.ts';
import { pages } from '../../../test/pages.ts';
import { stage, versionOf } from '../../../test/runs.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';
import type { Trigger } from './schema.ts';

async function published(people: Awaited<ReturnType<typeof stage>>) {
  const { owner } = people;
  const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
  const { body } = await owner.post(`/workflows/workflow-versions/${version}/publish`);
  return { version, workflow: body.workflow_id as number };
}

const daily = { name: 'Every morning', type: 'schedule', cron: '0 7 * * MON-FRI' };

describe('a trigger', () => {
  it('is set up with usual answers to what is not said', async () => {
    const people = await stage();
    const { owner } = people;
    const { workflow } = await published(people);
    const { status, body } = await owner.post('/workflows/triggers', {
      ...daily,
      workflow_id: workflow,
      timezone: 'europe/berlin',
    });
    assert.equal(status, 201);
    const { id, next_fire_at, created_at, updated_at, ...rest } = body;
    assert.deepEqual(rest, {
      name: 'Every morning',
      type: 'schedule',
      workflow_id: workflow,
      cog_ids: [],
      extra_variables: {},
      enabled: true,
      run_as_user_id: owner.user.id,
      created_by: owner.user.id,
      cron: '0 7 * * MON-FRI',
      timezone: 'Europe/Berlin',
      overlap: 'skip',
      catch_up: 'latest',
      dst: { gap: 'shift', overlap: 'first' },
    });
    assert.ok(Date.parse(next_fire_at) > Date.now());
    assert.equal(created_at, updated_at);

    const { body: shown } = await owner.get(`/workflows/triggers/${id}`);
    assert.deepEqual(shown, body);
    const { body: list } = await owner.get(`/workflows/triggers?workflow_id=${workflow}`);
    assert.deepEqual(list, [body]);
    assert.deepEqual((await owner.get('/workflows/triggers?workflow_id=0')).body, []);
  });

  it('is listed by its workflow, by its folder, and by both, page by page', async () => {
    const people = await stage();
    const { owner } = people;
    const hooks = [await webhook(people), await webhook(people)];
    for (const { id, file } of hooks) {
      const { workflow_version_id } = (await owner.get(`/workflows/triggers/${id}`)).body;
      const one = { name: 'x', type: 'webhook', workflow_version_id, cog_ids: [file] };
      for (const { folder } of [...hooks, ...hooks])
        await owner.post('/workflows/triggers', { ...one, folder_id: folder });
    }
    const all: Trigger[] = (await owner.get('/workflows/triggers')).body;
    assert.equal(all.length, 10);
    const { workflow_id, folder_id } = all.at(-1) ?? assert.fail();
    const ofWorkflow = all.filter((row) => row.workflow_id === workflow_id);
    const ofFolder = all.filter((row) => row.folder_id === folder_id);
    const listed = async (query: string) =>
      (await pages<Trigger>(owner, `/workflows/triggers?limit=1&${query}`)).flat();

    assert.deepEqual(await listed(`workflow_id=${workflow_id}`), ofWorkflow);
    assert.deepEqual(await listed(`folder_id=${folder_id}`), ofFolder);
    assert.deepEqual(
      await listed(`workflow_id=${workflow_id}&folder_id=${folder_id}`),
      ofFolder.filter((row) => row.workflow_id === workflow_id),
    );
  });

  it('says when it would fire', async () => {
    const people = await stage();
    const { owner } = people;
    const { workflow } = await published(people);
    const query = 'cron=30 2 * * *&timezone=Europe/Berlin&count=100';
    const { body: preview } = await owner.get(`/workflows/triggers/preview?${query}`);
    assert.equal(preview.length, 100);
    assert.ok(
      preview.every(({ local_time }: { local_time: string }) => /02:30|03:30/.test(local_time)),
    );
    const { body: trigger } = await owner.post('/workflows/triggers', {
      ...daily,
      workflow_id: workflow,
    });
    const { body: ticks } = await owner.get(`/workflows/triggers/${trigger.id}/preview?count=2`);
    assert.equal(ticks[0].at, trigger.next_fire_at);
    assert.match(ticks[1].local_time, / 07:00$/);
  });

  it('is refused with each fault of its schedule', async () => {
    const people = await stage();
    const { owner } = people;
    const { workflow } = await published(people);
    const faults: [Record<string, unknown>, string, RegExp][] = [
      [{ cron: '* * * * * *' }, 'cron', /five fields/],
      [{ cron: '60 * * * *' }, 'cron', /minute: 60/],
      [{ cron: '0 0 30 2 *' }, 'cron', /never fires/],
      [{ cron: '@reboot' }, 'cron', /five fields/],
      [{ timezone: 'Mars/Phobos' }, 'timezone', /no time zone "Mars\/Phobos"/],
      [{ timezone: '+05:30' }, 'timezone', /no time zone/],
    ];
    for (const [fault, field, msg] of faults) {
      const given = { ...daily, workflow_id: workflow, ...fault };
      const { status, body } = await owner.post('/workflows/triggers', given);
      assert.equal(status, 422, JSON.stringify(fault));
      assert.deepEqual(body.detail[0].loc, ['body', field]);
      assert.match(body.detail[0].msg, msg);
    }
    const both = { cron: 'x', timezone: 'y', workflow_id: workflow };
    const { body } = await owner.post('/workflows/triggers', { ...daily, ...both });
    assert.equal(body.detail.length, 2);
  });

  it('warns of days that are meant both ways', async () => {
    const people = await stage();
    const { workflow } = await published(people);
    const given = { ...daily, cron: '0 7 13 * FRI', workflow_id: workflow };
    const { body } = await people.owner.post('/workflows/triggers', given);
    assert.match(body.warnings[0], /fires on either/);
  });

  it('needs a workflow that is published, or a version, and files that its maker may see', async () => {
    const people = await stage();
    const { owner, viewer, stranger } = people;
    const { workflow, version } = await published(people);
    const draft = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body: unpublished } = await owner.get(`/workflows/workflow-versions/${draft}`);
    const file = (await owner.upload('a.txt', 'a')).body.id;
    const answer = async (client: typeof owner, given: Record<string, unknown>) => {
      const { status, body } = await client.post('/workflows/triggers', { ...daily, ...given });
      return [status, body.code];
    };
    assert.deepEqual(await answer(owner, {}), [422, undefined]);
    assert.deepEqual(await answer(owner, { workflow_id: unpublished.workflow_id }), [
      409,
      'not_published',
    ]);
    assert.equal((await answer(owner, { workflow_version_id: draft }))[0], 201);
    assert.equal(
      (await answer(owner, { workflow_id: workflow, workflow_version_id: draft }))[0],
      422,
    );
    assert.equal((await answer(owner, { workflow_id: workflow, cog_ids: [file] }))[0], 201);
    assert.equal((await answer(viewer, { workflow_id: workflow, cog_ids: [file] }))[0], 403);
    assert.equal((await answer(stranger, { workflow_id: workflow }))[0], 404);
    assert.equal((await answer(stranger, { workflow_version_id: version }))[0], 404);
  });

  it('is changed, taken over and deleted by its user and admins only', async () => {
    const people = await stage();
    const { owner, viewer, admin, stranger } = people;
    const { workflow } = await published(people);
    const made = await owner.post('/workflows/triggers', { ...daily, workflow_id: workflow });
    const path = `/workflows/triggers/${made.body.id}`;

    assert.equal((await stranger.get(path)).status, 404);
    assert.equal((await stranger.patch(path, { name: 'x' })).status, 404);
    assert.equal((await stranger.get(`${path}/firings`)).status, 404);
    assert.equal((await viewer.get(path)).status, 200);
    assert.equal((await viewer.patch(path, { name: 'x' })).status, 403);
    assert.equal((await viewer.patch(path, { run_as_user_id: viewer.user.id })).status, 403);
    assert.equal((await viewer.delete(path)).status, 403);
    assert.equal((await viewer.post(`${path}/fire`)).status, 403);
    assert.equal((await owner.patch(path, { run_as_user_id: admin.user.id })).status, 403);

    const changed = await owner.patch(path, { cron: '0 8 * * *', timezone: 'Asia/Kolkata' });
    assert.equal(changed.status, 200);
    assert.match(changed.body.next_fire_at, /T02:30:00/);
    const off = await owner.patch(path, { enabled: false });
    assert.equal(off.body.enabled, false);
    const taken = await admin.patch(path, { run_as_user_id: admin.user.id });
    assert.equal(taken.body.run_as_user_id, admin.user.id);
    assert.equal((await owner.delete(path)).status, 204);
    assert.equal((await owner.get(path)).status, 404);
    const { body: events } = await admin.get('/audit-events?target_type=trigger');
    type Event = { action: string; actor_id: number };
    assert.deepEqual(
      events.map(({ action, actor_id }: Event) => [action, actor_id]),
      [
        ['trigger.deleted', owner.user.id],
        ['trigger.changed', admin.user.id],
        ['trigger.changed', owner.user.id],
        ['trigger.changed', owner.user.id],
        ['trigger.created', owner.user.id],
      ],
    );
    assert.equal(events[1].details.run_as_user_id, admin.user.id);
  });

  it('that an admin took over does not do what its maker says with the rights of the admin', async () => {
    const people = await stage();
    const { owner, admin } = people;
    const hook = await webhook(people);
    await send(hook);
    const path = `/workflows/triggers/${hook.id}`;
    const [delivery] = (await owner.get(`${path}/deliveries`)).body;
    await admin.patch(path, { run_as_user_id: admin.user.id });
    const [root] = (await owner.get(`/cogs/${hook.file}/path`)).body;
    const tries = await Promise.all([
      owner.patch(path, { cog_ids: [root.id] }),
      owner.patch(path, { enabled: true }),
      owner.patch(path, { enabled: false, name: 'x' }),
      owner.patch(path, { run_as_user_id: admin.user.id }),
      owner.post(`${path}/fire`),
      owner.post(`${path}/rotate-secret`, {}),
      owner.post(`${path}/deliveries/${delivery.id}/redeliver`),
    ]);
    for (const { status } of tries) assert.equal(status, 403);
    assert.equal((await owner.get(`${path}/deliveries`)).status, 200);
    assert.equal((await owner.patch(path, { enabled: false })).status, 200);
    const back = await owner.patch(path, { run_as_user_id: owner.user.id, enabled: true });
    assert.equal(back.status, 200);
    assert.equal((await owner.post(`${path}/fire`)).status, 202);
  });
});
