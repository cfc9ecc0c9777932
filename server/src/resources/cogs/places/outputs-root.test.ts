import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { filesOf, look, run, stage, versionOf } from '../../../../test/runs.ts';
import { startServer } from '../../../../test/server.ts';
import { share } from '../../../../test/sharing.ts';
import type { Order } from '../../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../../test/workflows.ts';
import { migrate } from '../../../db/migrate.ts';
import { ensureFolderPath } from '../files/files.ts';

const makeFolder = (by: Client, name: string, parent_id?: number) =>
  by.post('/cogs/', {
    name,
    cog_type: 'asset_folder',
    ...(parent_id === undefined ? {} : { parent_id }),
  });

const names = async (by: Client, path: string): Promise<string[]> =>
  (await by.get(path)).body.map((cog: { name: string }) => cog.name);

/** A tenant whose folder for results contains folders of the owner and the editor. */
async function withResults() {
  const people = await cast();
  const { db } = people.server.services;
  const result = (of: Client, name: string) =>
    db.transaction((tx) => ensureFolderPath(tx, of.user.tenant_id, of.user.id, null, [name]));
  const [mine, theirs] = [
    await result(people.owner, 'Mine'),
    await result(people.editor, 'Theirs'),
  ];
  const { body } = await people.owner.get(`/cogs/${mine}`);
  return { ...people, outputs: body.parent_id as number, mine, theirs };
}

describe('the folder of all results', () => {
  it('is one for all who run something, each with a folder of their own in it', async () => {
    const { owner, editor, viewer, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const folders = new Set<number>();
    for (const starter of [owner, editor, viewer]) {
      const cog_ids = await filesOf(starter, `of ${starter.user.id}`);
      const { body } = await run(starter, version, { cog_ids });
      await worker.work();
      const { run_files } = await look(starter, body.workflow_run_id);
      const [output] = run_files.filter((file: Order) => file.direction === 'output');
      const { body: path } = await starter.get(`/cogs/${output.cog_id}/path`);
      assert.deepEqual(
        [path[1].name, path[3].name],
        ['Workflow outputs', String(body.workflow_run_id)],
      );
      folders.add(path[1].id);
      assert.equal((await names(starter, `/cogs/?parent_id=${path[1].id}`)).length, 1);
    }
    assert.equal(folders.size, 1);
  });

  it('is seen by everybody, in the root and in paths, with what a grant shows in it', async () => {
    const { owner, viewer, admin, outputs, mine } = await withResults();

    const { body } = await viewer.get(`/cogs/${outputs}`);
    const access = { level: 'viewer', can_upload: true, can_share: false, can_delete: false };
    assert.deepEqual(body.access, access);
    assert.ok(!('purpose' in body));
    assert.deepEqual(await names(viewer, '/cogs/'), ['Workflow outputs']);
    assert.deepEqual(await names(viewer, `/cogs/?parent_id=${outputs}`), []);
    await share(owner, mine, viewer, 'viewer');
    assert.deepEqual(await names(viewer, `/cogs/?parent_id=${outputs}`), ['Mine']);
    assert.deepEqual(await names(viewer, `/cogs/${mine}/path`), [
      'My Files',
      'Workflow outputs',
      'Mine',
    ]);
    assert.deepEqual(await names(admin, `/cogs/?parent_id=${outputs}`), ['Mine', 'Theirs']);
    assert.deepEqual(await names(owner, '/cogs/shared-with-me'), [], 'the root leads to it');
  });

  it('takes folders that everybody makes for themselves', async () => {
    const { viewer, owner, outputs } = await withResults();

    const { status, body } = await makeFolder(viewer, 'Own', outputs);

    assert.deepEqual([status, body.access.level], [201, 'owner']);
    assert.equal((await owner.get(`/cogs/${body.id}`)).status, 403);
  });

  it('is shared, renamed, moved and deleted by no member, and fixed even for an admin', async () => {
    const { owner, admin, outputs, mine } = await withResults();

    assert.equal((await owner.patch(`/cogs/${outputs}`, { name: 'x' })).status, 403);
    assert.equal((await owner.patch(`/cogs/${outputs}`, { parent_id: mine })).status, 403);
    assert.equal((await owner.delete(`/cogs/${outputs}`)).status, 403);
    assert.equal((await share(owner, outputs, owner, 'owner')).status, 403);
    const { body: other } = await makeFolder(admin, 'Other');
    for (const answer of [
      await admin.patch(`/cogs/${outputs}`, { name: 'x' }),
      await admin.patch(`/cogs/${outputs}`, { parent_id: other.id }),
      await admin.delete(`/cogs/${outputs}`),
    ]) {
      assert.deepEqual([answer.status, answer.body.code], [409, 'shared_folder']);
    }
  });

  it('takes from nobody what somebody else made, under no name: runs would find it', async () => {
    const { owner, editor, admin, outputs, theirs } = await withResults();
    const { body: project } = await makeFolder(owner, 'Project');
    await share(owner, project.id, editor, 'editor');
    const { body: plant } = await makeFolder(editor, 'Plant', project.id);
    const move = (by: Client, id: number, parent_id: number, name: string) =>
      by.patch(`/cogs/${id}`, { parent_id, name });

    assert.equal((await move(owner, plant.id, outputs, 'Theirs (2)')).status, 403);
    await share(editor, theirs, owner, 'editor');
    assert.equal((await owner.patch(`/cogs/${theirs}`, { name: 'Else' })).status, 403);

    const handOver = (by: Client) =>
      by.post(`/cogs/${theirs}/transfer`, { user_id: editor.user.id });
    assert.equal((await handOver(editor)).status, 403);
    assert.equal((await handOver(admin)).status, 200);

    const grant = await share(editor, theirs, owner, 'editor', { can_delete: true });
    assert.equal(grant.status, 200);
    assert.equal((await owner.delete(`/cogs/${theirs}`)).status, 204);
    const restore = (name: string) => owner.post(`/cogs/${theirs}/restore`, { name });
    assert.equal((await restore('Else')).status, 403);
    assert.equal((await restore('Theirs')).status, 200);
    await share(editor, theirs, owner, 'editor');

    assert.equal((await editor.patch(`/cogs/${theirs}`, { name: 'Else' })).status, 200);
    assert.equal((await move(owner, plant.id, theirs, 'Inside')).status, 200);
    assert.equal((await move(admin, plant.id, outputs, 'Given back')).status, 200);
    const { body: lent } = await makeFolder(editor, 'Lent', project.id);
    assert.equal((await move(editor, lent.id, outputs, 'Lent')).status, 200);
  });

  it('keeps its name in the root, before it is there too', async () => {
    const { owner, admin } = await cast();
    const { body: root } = await owner.get('/cogs/root');
    const { body: docs } = await makeFolder(owner, 'Docs');
    const { body: inner } = await makeFolder(owner, 'Workflow outputs', docs.id);

    for (const answer of [
      await makeFolder(owner, 'Workflow outputs'),
      await makeFolder(admin, 'Workflow outputs', root.id),
      await owner.upload('Workflow outputs', 'x'),
      await owner.patch(`/cogs/${docs.id}`, { name: 'Workflow outputs' }),
      await owner.patch(`/cogs/${inner.id}`, { parent_id: root.id }),
    ]) {
      assert.deepEqual([answer.status, answer.body.code], [409, 'name_reserved']);
    }
    const moved = await owner.patch(`/cogs/${inner.id}`, { parent_id: root.id, name: 'Mine' });
    assert.equal(moved.status, 200);
  });
});

describe('an installation of before', () => {
  it('keeps what everybody has in the folder that becomes the shared one, and its twins', async () => {
    const server = await startServer();
    const { db } = server.services;
    await db`alter table cogs drop column purpose`;
    await db`delete from schema_migrations where name = '0031_workflow_outputs.sql'`;
    const people = await cast(server);
    const { owner, editor, viewer, stranger } = people;
    const add = async (by: Client, name: string, parent: number | null, type = 'asset_folder') => {
      const { tenant_id, id: user_id } = by.user;
      const [row] = await db<{ id: number }[]>`
        insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
        values (${tenant_id}, ${parent}, ${name}, ${type}, ${user_id})
        returning id
      `;
      return row?.id ?? 0;
    };
    const grant = (by: Client, cog: number, to: Client, level: string) => db`
      insert into permissions (tenant_id, cog_id, user_id, level, created_by)
      values (${by.user.tenant_id}, ${cog}, ${to.user.id}, ${level}, ${by.user.id})
    `;
    const root = await add(people.admin, 'My Files', null, 'master_folder');
    const first = await add(owner, 'Workflow outputs', root);
    await grant(owner, first, owner, 'owner');
    await grant(owner, first, viewer, 'viewer');
    const resize = await add(owner, 'Resize', first);
    const lent = await add(owner, 'Lent', first);
    await grant(owner, lent, viewer, 'editor');
    const twin = await add(editor, 'Workflow outputs (2)', root);
    await grant(editor, twin, editor, 'owner');
    const theirs = await add(stranger, 'Their Files', null, 'master_folder');

    await migrate(db);

    const level = async (who: Client, id: number) =>
      (await who.get(`/cogs/${id}`)).body.access?.level;
    assert.deepEqual(await Promise.all([owner, viewer, editor].map((who) => level(who, resize))), [
      'owner',
      'viewer',
      undefined,
    ]);
    assert.deepEqual(await Promise.all([owner, viewer, editor].map((who) => level(who, lent))), [
      'owner',
      'editor',
      undefined,
    ]);
    assert.deepEqual(await Promise.all([owner, viewer, editor].map((who) => level(who, first))), [
      'viewer',
      'viewer',
      'viewer',
    ]);
    assert.equal(await level(editor, twin), 'owner');
    assert.equal((await owner.get(`/cogs/${first}`)).body.owner_id, people.admin.user.id);
    const { tenant_id, id: ownerId } = owner.user;
    const next = await db.transaction((tx) =>
      ensureFolderPath(tx, tenant_id, ownerId, null, ['Resize']),
    );
    assert.equal(next, resize);
    assert.deepEqual((await stranger.get(`/cogs/?parent_id=${theirs}`)).body, []);
  });

  it('renames a file that has the name', async () => {
    const server = await startServer();
    const { db } = server.services;
    const { owner } = await cast(server);
    const { body: file } = await owner.upload('results', 'x');
    await db`alter table cogs drop column purpose`;
    await db`delete from schema_migrations where name = '0031_workflow_outputs.sql'`;
    await db`update cogs set name = 'Workflow outputs' where id = ${file.id}`;

    await migrate(db);

    const { body } = await owner.get(`/cogs/${file.id}`);
    assert.equal(body.name, `Workflow outputs (file ${file.id})`);
  });
});
