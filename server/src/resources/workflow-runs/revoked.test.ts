import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '../../../test/cast.ts';
import { filesOf, look, run, type Stage, stage, versionOf } from '../../../test/runs.ts';
import type { Order } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

const share = async (by: Client, id: number, to: Client, level: string): Promise<number> => {
  const body = { target_type: 'cog', target_id: id, user_id: to.user.id, level };
  return (await by.post(`/permissions/cogs/${id}`, body)).body.permission_id;
};

const revoke = (by: Client, permissionId: number) => by.delete(`/permissions/${permissionId}`);

const folder = async (by: Client, name: string): Promise<number> =>
  (await by.post('/cogs', { name, cog_type: 'asset_folder' })).body.id;

/** A workflow of the editor's, mapped over the files. */
const versionFor = async ({ editor }: Stage) =>
  versionOf(editor, mappedGraph(await registerNode(editor)));

async function outputPaths(by: Client, runId: number): Promise<string[]> {
  const { run_files } = await look(by, runId);
  const outputs = run_files.filter((file: Order) => file.direction === 'output');
  return Promise.all(
    outputs.map(async ({ cog_id }: Order) =>
      (await by.get(`/cogs/${cog_id}/path`)).body.map((cog: Order) => cog.name).join('/'),
    ),
  );
}

describe('restarting after a file of the run', () => {
  for (const before of ['revoked', 'kept'] as const) {
    it(`was deleted, its share ${before} before, delivers nothing of it`, async () => {
      const people = await stage();
      const { owner, editor, worker } = people;
      const version = await versionFor(people);
      const [file] = (await filesOf(owner, 'secret')) as [number];
      const grant = await share(owner, file, editor, 'viewer');
      const { body } = await run(editor, version, { cog_ids: [file] });
      await worker.work();
      const restart = `/workflows/workflow-runs/${body.workflow_run_id}/restart`;

      if (before === 'revoked') await revoke(owner, grant);
      await owner.delete(`/cogs/${file}`);

      for (const mode of ['all', 'failed']) {
        assert.equal((await editor.post(restart, { mode })).status, 404);
        assert.equal((await people.admin.post(restart, { mode })).status, 404);
      }
      assert.deepEqual(await worker.acquire(), []);
    });
  }

  it('lies in a folder that was deleted is refused alike', async () => {
    const people = await stage();
    const { owner, editor, worker } = people;
    const version = await versionFor(people);
    const docs = await folder(owner, 'Docs');
    const file = (await owner.upload('a', 'x', docs)).body.id;
    await share(owner, docs, editor, 'viewer');
    const { body } = await run(editor, version, { cog_ids: [file] });
    await worker.work();

    await owner.delete(`/cogs/${docs}`);

    const { status } = await editor.post(
      `/workflows/workflow-runs/${body.workflow_run_id}/restart`,
    );
    assert.equal(status, 404);
  });
});

describe('results', () => {
  it('go to who started the run once they may not add to the folder given, and the run says so', async () => {
    const people = await stage();
    const { owner, editor, worker } = people;
    const version = await versionFor(people);
    const given = await folder(owner, 'Given');
    const grant = await share(owner, given, editor, 'editor');
    const cog_ids = await filesOf(editor, 'a', 'b', 'c');
    const { body } = await run(editor, version, { cog_ids, output_parent_id: given });
    const id: number = body.workflow_run_id;
    const [first, second, third] = await worker.acquire();
    await worker.succeed(first);
    assert.equal((await look(editor, id)).output_fallback, undefined);

    await revoke(owner, grant);
    await worker.succeed(second);
    await share(owner, given, editor, 'editor');
    await worker.succeed(third);

    const ended = await look(editor, id);
    assert.deepEqual([ended.status, ended.output_fallback], ['success', 'no_right']);
    assert.deepEqual(
      (await outputPaths(editor, id)).map((path) => path.split('/')[1]),
      ['Given', 'Workflow outputs', 'Workflow outputs'],
    );
    const { body: inGiven } = await owner.get(`/cogs/?parent_id=${given}`);
    const { body: files } = await owner.get(`/cogs/?parent_id=${inGiven[0].id}`);
    assert.equal(files.length, 1);
  });

  it('tell when the folder given was deleted', async () => {
    const people = await stage();
    const { editor, worker } = people;
    const version = await versionFor(people);
    const given = await folder(editor, 'Given');
    const cog_ids = await filesOf(editor, 'a');
    const { body } = await run(editor, version, { cog_ids, output_parent_id: given });
    await editor.delete(`/cogs/${given}`);

    await worker.work();

    const ended = await look(editor, body.workflow_run_id);
    assert.deepEqual([ended.status, ended.output_fallback], ['success', 'folder_gone']);
    assert.equal((await outputPaths(editor, ended.id))[0]?.split('/')[1], 'Workflow outputs');
  });

  it('of somebody who was disabled do not go into a folder of others', async () => {
    const people = await stage();
    const { owner, admin, editor, worker, server } = people;
    const version = await versionFor(people);
    const given = await folder(owner, 'Given');
    await share(owner, given, editor, 'editor');
    const cog_ids = await filesOf(editor, 'a');
    const { body } = await run(editor, version, { cog_ids, output_parent_id: given });
    await server.services.db`update users set status = 'disabled' where id = ${editor.user.id}`;

    await worker.work();

    const ended = await look(admin, body.workflow_run_id);
    assert.deepEqual([ended.status, ended.output_fallback], ['success', 'no_right']);
    assert.deepEqual((await owner.get(`/cogs/?parent_id=${given}`)).body, []);
  });

  it("go round a folder that became another owner's, in which the starter may only look", async () => {
    const people = await stage();
    const { owner, editor, worker } = people;
    const version = await versionFor(people);
    const start = async (name: string, more = {}) => {
      const cog_ids = await filesOf(editor, name);
      return (await run(editor, version, { cog_ids, ...more })).body.workflow_run_id as number;
    };
    const given = await folder(owner, 'Given');
    await share(owner, given, editor, 'editor');
    const cog_ids = await filesOf(editor, 'a', 'b');
    const { body } = await run(editor, version, { cog_ids, output_parent_id: given });
    const id: number = body.workflow_run_id;
    const [first, second] = await worker.acquire();
    await worker.succeed(first);
    const { body: inGiven } = await owner.get(`/cogs/?parent_id=${given}`);
    await share(owner, inGiven[0].id, editor, 'viewer');
    await worker.succeed(second);
    const before = await start('c');
    await worker.work();
    const [path] = await outputPaths(editor, before);
    assert.equal(path, `My Files/Workflow outputs/Test/${before}/result.txt`);
    const { body: outputs } = await editor.get('/cogs/?name=Workflow%20outputs');
    const { body: own } = await editor.get(`/cogs/?parent_id=${outputs[0].id}`);
    await share(editor, own[0].id, owner, 'owner');
    await share(owner, own[0].id, editor, 'viewer');

    const after = await start('d');
    await worker.work();

    assert.deepEqual(await outputPaths(editor, id), [
      `My Files/Given/${id}/result.txt`,
      `My Files/Given/${id} (2)/result.txt`,
    ]);
    assert.deepEqual(await outputPaths(editor, after), [
      `My Files/Workflow outputs/Test (2)/${after}/result.txt`,
    ]);
    const [file] = (await look(editor, after)).run_files.filter(
      (one: Order) => one.direction === 'output',
    );
    assert.equal((await owner.get(`/cogs/${file.cog_id}`)).status, 403);
  });

  it("never go into a folder that was there before the run, in a folder that is everybody's", async () => {
    const people = await stage();
    const { owner, editor, worker } = people;
    const version = await versionFor(people);
    const cog_ids = await filesOf(editor, 'a');
    const { body: root } = await editor.get('/cogs/root');
    const { body: before } = await run(editor, version, { cog_ids });
    await worker.work();
    const project = await folder(owner, 'Project');
    await share(owner, project, editor, 'editor');
    const { body: plant } = await editor.post('/cogs', {
      name: 'Plant',
      cog_type: 'asset_folder',
      parent_id: project,
    });
    const name = String(before.workflow_run_id + 1);
    const moved = await owner.patch(`/cogs/${plant.id}`, { parent_id: root.id, name });
    assert.equal(moved.status, 200);

    const { body } = await run(editor, version, { cog_ids, output_parent_id: root.id });
    await worker.work();

    assert.equal(String(body.workflow_run_id), name);
    assert.deepEqual(await outputPaths(editor, body.workflow_run_id), [
      `My Files/${name} (2)/result.txt`,
    ]);
  });
});
