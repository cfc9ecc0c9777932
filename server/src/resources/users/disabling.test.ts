import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type Client, cast } from '../../../test/cast.ts';
import { watch } from '../../../test/event-stream.ts';
import { endedOrWaiting, heldUp } from '../../../test/races.ts';
import { filesOf, look, type Stage, stage, versionOf } from '../../../test/runs.ts';
import { away, hourlyTrigger, shown, states } from '../../../test/schedules.ts';
import { startServer } from '../../../test/server.ts';
import { userWithPassword } from '../../../test/sign-in.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';
import { takeOverFiles } from '../cogs/transfers/successions.ts';
import { lockTree } from '../permissions/access.ts';
import { fireDueTriggers } from '../triggers/firings/firing.ts';
import { openGraphThreads } from '../workflows/graph-bodies.ts';

const threads = openGraphThreads();
after(() => threads.close());

describe('disabling a user', () => {
  it('can be looked at before: what it stops, counted and by name', async () => {
    const people = await stage();
    const { admin, owner, viewer } = people;
    const { workflow, run, trigger, notice, file } = await everythingOf(people, owner);
    const { body: key } = await owner.post('/api-keys/', { description: 'The nightly import' });

    const { status, body } = await admin.get(`/users/${owner.user.id}/disable-preview`);

    assert.equal(status, 200);
    const one = (id: number, name: string) => ({ count: 1, first: [{ id, name }] });
    assert.deepEqual(body.api_keys, one(key.id, 'The nightly import'));
    assert.deepEqual(body.triggers, one(trigger, 'Daily'));
    assert.deepEqual(body.notices, one(notice, 'https://example.com'));
    assert.deepEqual(body.runs, one(run, 'Test'));
    assert.deepEqual(body.workflows, one(workflow, 'Test'));
    assert.deepEqual(body.cogs, one(file, 'a.txt'));
    assert.deepEqual([body.sessions, body.invitations], [{ count: 0 }, { count: 0, first: [] }]);
    const path = `/users/${owner.user.id}/disable-preview`;
    assert.equal((await viewer.get(path)).status, 403);
    assert.equal((await people.stranger.get(path)).status, 404);
  });

  it('ends open event streams and new requests at once, and lets runs go on', async () => {
    const people = await stage();
    const { admin, owner } = people;
    const { run, file } = await everythingOf(people, owner);
    const stream = await watch(owner, '/events');
    const download = await owner.fetch(`/cogs/${file}/download`);

    await admin.patch(`/users/${owner.user.id}`, { status: 'disabled' });

    await stream.ended;
    assert.equal(await download.text(), 'bytes of a.txt');
    assert.equal((await owner.get(`/cogs/${file}/download`)).status, 401);
    assert.equal((await look(admin, run)).status, 'queued');
  });
});

describe('a successor', () => {
  it('owns what the disabled user owned, and turns their triggers on as they like', async () => {
    const people = await stage();
    const { admin, owner, editor } = people;
    const { workflow, trigger, notice, file } = await everythingOf(people, owner);
    const folder = (await owner.post('/cogs/', { name: 'Papers', cog_type: 'asset_folder' })).body;
    const inside = (await owner.upload('inside.txt', 'x', folder.id)).body;
    const others = (await people.viewer.upload('others.txt', 'x')).body;

    const { status } = await disable(people, owner, editor);
    assert.equal(status, 200);
    await takeAllOver(people);

    for (const id of [file, folder.id, inside.id]) {
      const { body } = await editor.get(`/cogs/${id}`);
      assert.deepEqual([body.owner_id, body.access.level], [editor.user.id, 'owner']);
    }
    assert.equal((await admin.get(`/cogs/${others.id}`)).body.owner_id, people.viewer.user.id);
    const renamed = await editor.patch(`/workflows/${workflow}`, { name: 'Mine now' });
    assert.equal(renamed.status, 200);
    const { body: moved } = await editor.get(`/workflows/triggers/${trigger}`);
    assert.deepEqual(
      [moved.run_as_user_id, moved.created_by, moved.enabled, moved.off_reason],
      [editor.user.id, editor.user.id, false, 'taken_over'],
    );
    const { body: told } = await editor.get(`/workflows/notices/${notice}`);
    assert.deepEqual([told.created_by, told.url], [editor.user.id, 'https://example.com/hook']);
    const on = await editor.patch(`/workflows/triggers/${trigger}`, { enabled: true });
    assert.deepEqual([on.status, on.body.enabled, on.body.off_reason], [200, true, undefined]);
  });

  it('who is the admin has the triggers go on, also those turned off meanwhile', async () => {
    const people = await stage();
    const { admin, owner, server } = people;
    const { trigger } = await everythingOf(people, owner);
    await admin.patch(`/users/${owner.user.id}`, { status: 'disabled' });
    await server.services.db`
      update triggers set enabled = false, off_reason = 'run_as_disabled' where id = ${trigger}
    `;

    const { status } = await admin.patch(`/users/${owner.user.id}`, {
      successor_id: admin.user.id,
    });

    assert.equal(status, 200);
    const { body } = await admin.get(`/workflows/triggers/${trigger}`);
    assert.deepEqual([body.enabled, body.off_reason], [true, undefined]);
    assert.equal(body.run_as_user_id, admin.user.id);
  });

  it('finds what was in the trash, and owns it when it is restored', async () => {
    const people = await stage();
    const { owner, editor } = people;
    const { id } = (await owner.upload('gone.txt', 'x')).body;
    await owner.delete(`/cogs/${id}`);

    await disable(people, owner, editor);
    await takeAllOver(people);

    const { body: trash } = await editor.get('/cogs/trash');
    assert.deepEqual(
      trash.map((cog: { id: number }) => cog.id),
      [id],
    );
    assert.equal((await editor.post(`/cogs/${id}/restore`, {})).status, 200);
    assert.equal((await editor.get(`/cogs/${id}`)).body.access.level, 'owner');
  });

  it('who is disabled in turn leaves all of it to the next, in whatever order it is done', async () => {
    const people = await stage();
    const { admin, owner, editor, viewer } = people;
    const files = await filesOf(owner, 'a', 'b', 'c', 'd');
    await disable(people, owner, editor);
    await takeOverFiles(people.server.services.db, 3);
    await disable(people, editor, viewer);
    await takeAllOver(people);

    for (const id of files) {
      assert.equal((await admin.get(`/cogs/${id}`)).body.owner_id, viewer.user.id);
    }
  });

  it('owns what runs of the one who left deliver later, also when that one is removed', async () => {
    const people = await stage();
    const { admin, owner, editor, viewer, worker } = people;
    const { run } = await everythingOf(people, owner);
    await disable(people, owner, editor);
    await takeAllOver(people);
    await admin.delete(`/users/${owner.user.id}`);
    await disable(people, editor, viewer);

    await worker.work();

    const cog_id = await resultOf(admin, run);
    const { body: path } = await viewer.get(`/cogs/${cog_id}/path`);
    const owners = path.slice(2).map((cog: { owner_id: number }) => cog.owner_id);
    assert.deepEqual(new Set(owners), new Set([viewer.user.id]));
    assert.equal((await viewer.get(`/cogs/${cog_id}`)).body.access.level, 'owner');
  });

  it('is named, also while the one who leaves is taking over files of another', async () => {
    const people = await stage(await startServer());
    const { owner, editor, viewer, admin, server } = people;
    const files = await filesOf(owner, 'a', 'b', 'c');
    await disable(people, owner, editor);

    const takeOver = () => takeOverFiles(server.services.db, 2);
    const { status } = await disabledDuring(people, takeOver, editor, viewer);
    await takeAllOver(people);

    assert.equal(status, 200);
    for (const id of files) {
      assert.equal((await admin.get(`/cogs/${id}`)).body.owner_id, viewer.user.id);
    }
  });

  it('is named, also while a trigger of the one who leaves starts a run', async () => {
    const people = await stage(await startServer());
    const { admin, owner, server } = people;
    const trigger = await hourlyTrigger(people);
    await away(people, trigger, 1);

    let disabling: ReturnType<typeof disable> | undefined;
    await heldUp(
      server.services.db,
      (tx) => tx`select from objects where tenant_id = ${owner.user.tenant_id} for update`,
      () => fireDueTriggers({ ...server.services, threads }),
      async () => {
        disabling = disable(people, owner, admin);
        await endedOrWaiting(server.services.db, disabling, 2);
      },
    );

    assert.equal((await disabling)?.status, 200);
    assert.deepEqual(await states(admin, trigger), ['fired']);
    assert.equal((await shown(admin, trigger)).run_as_user_id, admin.user.id);
  });

  it('who leaves while such a result arrives leaves it to the next', async () => {
    const people = await stage();
    const { owner, editor, viewer, worker } = people;
    const { run } = await everythingOf(people, owner);
    await disable(people, owner, editor);
    await takeAllOver(people);

    const { status } = await disabledDuring(people, () => worker.work(), editor, viewer);
    await takeAllOver(people);

    assert.equal(status, 200);
    const { body: result } = await viewer.get(`/cogs/${await resultOf(viewer, run)}`);
    assert.deepEqual([result.owner_id, result.access?.level], [viewer.user.id, 'owner']);
  });

  it('has nothing of what somebody does who is enabled again', async () => {
    const people = await stage();
    const { admin, owner, editor, worker } = people;
    const { run } = await everythingOf(people, owner);
    await disable(people, owner, editor);
    await admin.patch(`/users/${owner.user.id}`, { status: 'active' });

    await worker.work();

    const cog_id = await resultOf(admin, run);
    assert.equal((await admin.get(`/cogs/${cog_id}`)).body.owner_id, owner.user.id);
  });

  it('and all that was taken over stand in the audit trail', async () => {
    const people = await stage();
    const { admin, owner, editor } = people;
    const { workflow, trigger, notice, file } = await everythingOf(people, owner);
    await disable(people, owner, editor);
    await takeAllOver(people);

    const { body } = await admin.get('/audit-events/');
    type Event = { action: string; target_id: string; details: Record<string, unknown> };
    const told = (action: string) => body.find((event: Event) => event.action === action) as Event;

    assert.equal(told('workflow.transferred').target_id, String(workflow));
    assert.equal(told('trigger.transferred').target_id, String(trigger));
    assert.equal(told('notice.transferred').target_id, String(notice));
    assert.deepEqual(told('cogs.taken_over').details, {
      successor_id: editor.user.id,
      cog_ids: [file],
    });
    assert.deepEqual(told('user.files_taken_over').details, {
      successor_id: editor.user.id,
      cog_count: 1,
    });
  });

  it('must be another active user of the tenant, of somebody who is disabled', async () => {
    const people = await cast();
    const { admin, owner, editor, stranger, viewer, server } = people;
    await admin.patch(`/users/${viewer.user.id}`, { status: 'disabled' });
    const path = `/users/${owner.user.id}`;
    const name = (successor_id: number, status?: string) =>
      admin.patch(path, { ...(status && { status }), successor_id });

    assert.equal((await name(editor.user.id)).status, 422);
    assert.equal((await name(owner.user.id, 'disabled')).status, 422);
    assert.equal((await name(stranger.user.id, 'disabled')).status, 404);
    assert.equal((await name(viewer.user.id, 'disabled')).status, 404);
    assert.equal((await owner.get('/me')).status, 200);
    const next = await userWithPassword(server, owner.user.tenant_id);
    assert.equal((await name(next.id, 'disabled')).status, 200);
  });
});

/** A run, a trigger, a notice, a workflow and a file of somebody. */
async function everythingOf(people: Stage, owner: Client) {
  const version = await versionOf(owner, mappedGraph(await registerNode(people.admin)));
  const { body: published } = await owner.post(`/workflows/workflow-versions/${version}/publish`);
  const workflow: number = published.workflow_id;
  const [file = 0] = await filesOf(owner, 'a.txt');
  const { body: started } = await owner.post(`/workflows/workflow-versions/${version}/run`, {
    cog_ids: [file],
  });
  const { body: trigger } = await owner.post('/workflows/triggers', {
    ...{ name: 'Daily', type: 'schedule', cron: '0 7 * * *', workflow_id: workflow },
  });
  const { body: notice } = await owner.post('/workflows/notices', {
    ...{ url: 'https://example.com/hook', events: ['run.failure'] },
  });
  const run: number = started.workflow_run_id;
  return { workflow, file, run, trigger: trigger.id as number, notice: notice.id as number };
}

/** Disables somebody while something has begun, and waits for a folder to be moved. */
async function disabledDuring(
  people: Stage,
  work: () => Promise<unknown>,
  user: Client,
  successor: Client,
) {
  const { db } = people.server.services;
  let disabling: ReturnType<typeof disable> | undefined;
  await heldUp(
    db,
    (tx) => lockTree(tx, user.user.tenant_id, 'move'),
    work,
    async () => {
      disabling = disable(people, user, successor);
      await endedOrWaiting(db, disabling, 2);
    },
  );
  return disabling as ReturnType<typeof disable>;
}

const disable = ({ admin }: Stage, { user }: Client, successor: Client) =>
  admin.patch(`/users/${user.id}`, { status: 'disabled', successor_id: successor.user.id });

async function resultOf(client: Client, run: number): Promise<number> {
  const { run_files } = await look(client, run);
  return run_files.find((file: { direction: string }) => file.direction === 'output').cog_id;
}

async function takeAllOver({ server }: Stage) {
  while ((await takeOverFiles(server.services.db, 2)) > 0);
}
