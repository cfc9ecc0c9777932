import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { davClient } from '../../../test/dav.ts';
import {
  draft,
  endedAgo,
  isStored,
  type MadeFile,
  made,
  play,
  remove,
  statusOf,
  test,
  usedBy,
} from '../../../test/draft-tests.ts';
import { filesOf, look, run, stage } from '../../../test/runs.ts';
import { folder, share } from '../../../test/sharing.ts';
import { removeTestResults } from '../../engine/duties/test-results.ts';
import { takeOverFiles } from '../cogs/transfers/successions.ts';

describe('the results of a test', () => {
  it('are files that the run leads to, and nothing else', async () => {
    const people = await stage();
    const { owner, admin, viewer, stranger, server } = people;

    const { id, ended, files } = await test(people, await draft(owner));

    assert.deepEqual([ended.test_run, ended.keep_results], [true, false]);
    const [{ cog_id } = { cog_id: 0 }] = files;
    assert.equal(
      await (await owner.fetch(`/cogs/${cog_id}/download`)).text(),
      `second of run ${id}`,
    );
    assert.equal(await statusOf(admin, cog_id), 200);
    assert.equal((await viewer.get(`/workflows/workflow-runs/${id}`)).status, 200);
    assert.deepEqual(
      [await statusOf(viewer, cog_id), await statusOf(stranger, cog_id)],
      [403, 404],
    );
    await share(owner, cog_id, viewer, 'viewer');
    assert.equal(await statusOf(viewer, cog_id), 200);
    const root = (await owner.get('/cogs/root')).body.id;
    for (const who of [owner, admin, viewer]) {
      const lists = [`/cogs/?parent_id=${root}`, '/cogs/search?q=test', `/cogs/${root}/tree`];
      for (const list of lists) {
        const { status, body } = await who.get(list);
        assert.equal(status, 200, list);
        assert.doesNotMatch(
          JSON.stringify(body),
          /tested\.txt|Test results|Workflow outputs/,
          list,
        );
      }
      const dav = await davClient(server, who);
      const headers = { depth: '1' };
      for (const path of ['/', '/Shared%20with%20me/'])
        assert.doesNotMatch(
          (await dav('PROPFIND', path, { headers })).text,
          /tested|Test results|Workflow outputs/,
        );
    }
    const { body: own } = await owner.get('/cogs/shared-with-me');
    assert.deepEqual(own, []);
  });

  it('are what each node made, also one that was taken over from an earlier test', async () => {
    const people = await stage();
    const { owner } = people;
    const version = await draft(owner);
    const contents = async ({ ended }: Awaited<ReturnType<typeof test>>) => {
      const outputs = ended.node_runs.flatMap(({ outputs }: { outputs: object[] }) => outputs);
      const ids: number[] = outputs.map(({ cog_id }: { cog_id: number }) => cog_id);
      const texts = ids.map(async (id) => (await owner.fetch(`/cogs/${id}/download`)).text());
      return { ids, texts: await Promise.all(texts) };
    };
    const first = await test(people, version);
    const before = await contents(first);
    assert.deepEqual(before.texts, [`first of run ${first.id}`, `second of run ${first.id}`]);

    const again = { cog_ids: first.cog_ids, reuse_from_run_id: first.id };
    const second = await test(people, version, again);
    assert.deepEqual(second.keys, []);
    const after = await contents(second);
    assert.deepEqual(after.texts, before.texts);
    assert.ok(!after.ids.some((id) => before.ids.includes(id)));

    await endedAgo(people, first.id, 25);
    await remove(people);
    assert.deepEqual(await contents(second), after);
  });

  it('stay where whoever starts it says, and where a run is no test of a part', async () => {
    const people = await stage();
    const { owner } = people;
    const version = await draft(owner);
    const given = (await folder(owner, 'Given')).id;
    const names = async ({ files }: Awaited<ReturnType<typeof test>>) =>
      (await owner.get(`/cogs/${files[0]?.cog_id}/path`)).body.map(
        ({ name }: { name: string }) => name,
      );
    const kept = await test(people, version, { keep_results: true });
    assert.deepEqual((await names(kept)).slice(1, 3), ['Workflow outputs', 'Test']);
    assert.equal(
      (await names(await test(people, version, { output_parent_id: given })))[1],
      'Given',
    );
    assert.equal(
      (await names(await test(people, version, { until: undefined })))[1],
      'Workflow outputs',
    );
    const tried = await test(people, version, { until: undefined, keep_results: false });
    assert.deepEqual(await names(tried), [`Test results of run ${tried.id}`, 'tested.txt']);
    for (const { ended } of [kept, tried]) assert.equal(made(ended).length, 1, 'of the last node');
    const both = { cog_ids: kept.cog_ids, keep_results: false, output_parent_id: given };
    const refused = await run(owner, version, both);
    assert.deepEqual([refused.status, refused.body.detail[0].type], [422, 'excluded']);
    await owner.post(`/workflows/workflow-versions/${version}/publish`);
    assert.equal((await names(await test(people, version)))[1], 'Workflow outputs');
  });

  it('take nothing in that would be lost with them', async () => {
    const people = await stage();
    const { owner, admin } = people;
    const { ended } = await test(people, await draft(owner));
    const at = ended.output_folder_id;
    const [file = 0] = await filesOf(owner, 'mine.txt');
    for (const who of [owner, admin]) {
      const tries = [
        await who.upload('new.txt', 'new', at),
        await who.post('/cogs', { name: 'New', cog_type: 'asset_folder', parent_id: at }),
        await who.patch(`/cogs/${file}`, { parent_id: at }),
        await who.post(`/cogs/${file}/copy`, { parent_id: at }),
      ];
      assert.deepEqual(
        tries.map(({ status }) => status),
        [403, 403, 403, 403],
      );
    }
    for (const { status, body } of [await owner.delete(`/cogs/${at}`)])
      assert.deepEqual([status, body.code], [409, 'test_results']);
  });

  it('lie in a folder that says what it is, and starts nothing', async () => {
    const people = await stage();
    const { owner } = people;
    const version = await draft(owner);
    const { ended, files } = await test(people, version);
    const at = ended.output_folder_id;
    assert.equal((await owner.get(`/cogs/${at}`)).body.test_results, true);
    const { body: path } = await owner.get(`/cogs/${files[0]?.cog_id}/path`);
    assert.deepEqual(
      path.map(({ test_results }: { test_results?: boolean }) => test_results),
      [true, undefined],
    );
    assert.equal((await owner.get('/cogs/root')).body.test_results, undefined);
    await owner.post(`/workflows/workflow-versions/${version}/publish`);
    const { body: run } = await owner.get(`/workflows/workflow-runs/${ended.id}`);
    const trigger = { type: 'folder', workflow_id: run.workflow_id, folder_id: at };
    const refused = await owner.post('/workflows/triggers', { name: 'New files', ...trigger });
    assert.equal(refused.status, 422, JSON.stringify(refused.body));
    assert.match(refused.body.detail[0].msg, /of a test/);
  });

  it('are removed a day after its end, and the run tells what they were', async () => {
    const people = await stage();
    const { owner, admin } = people;
    const other = await stage(people.server);
    const theirs = await test(other, await draft(other.owner));
    const cog_ids = await filesOf(owner, 'a', 'b');
    const before = await usedBy(people);
    const { id, ended, files } = await test(people, await draft(owner), { cog_ids });
    const stored = await isStored(people, files[0] as MadeFile);
    await remove(people);
    assert.equal(await statusOf(owner, files[0]?.cog_id), 200);
    assert.ok((await usedBy(people)) > before);
    await endedAgo(people, id, 23);
    await remove(people);
    assert.equal(await statusOf(owner, files[0]?.cog_id), 200);

    await endedAgo(people, id, 24);
    await remove(people);

    assert.deepEqual([await statusOf(owner, files[0]?.cog_id), await stored()], [404, false]);
    assert.equal((await owner.get(`/cogs/${ended.output_folder_id}`)).status, 404);
    assert.equal(await usedBy(people), before);
    const now = await look(owner, id);
    assert.ok(now.results_removed_at);
    type Output = { cog_id?: number };
    // What it became is gone.
    const outputs = (one: typeof now) =>
      one.node_runs.map(({ outputs }: { outputs: Output[] }) =>
        outputs.map(({ cog_id: _, ...output }) => output),
      );
    assert.deepEqual(outputs(now), outputs(ended));
    assert.deepEqual([now.status, now.run_files], [ended.status, ended.run_files]);
    assert.equal(await statusOf(owner, cog_ids[0]), 200);
    const { body: trash } = await admin.get('/cogs/trash');
    assert.deepEqual(trash, []);
    const { body: events } = await admin.get('/audit-events?action=cog.purged');
    assert.deepEqual(events[0].details, { name: `Test results of run ${id}` });
    assert.equal(await statusOf(other.owner, theirs.files[0]?.cog_id), 200);
    assert.equal((await look(other.owner, theirs.id)).results_removed_at, undefined);
  });

  it('are removed once, whichever engine does it, and not while somebody restarts the run', async () => {
    const people = await stage();
    const { owner, admin, server } = people;
    const { db } = server.services;
    const { id, files } = await test(people, await draft(owner));
    await endedAgo(people, id, 25);
    const engines = () => Promise.all([1, 2, 3].map(() => removeTestResults(db, 100)));
    await db.transaction(async (tx) => {
      await tx`select from workflow_runs where id = ${id} for update`;
      await engines();
      assert.equal(await statusOf(owner, files[0]?.cog_id), 200);
    });

    await engines();

    assert.equal(await statusOf(owner, files[0]?.cog_id), 404);
    const { body: events } = await admin.get('/audit-events?action=cog.purged');
    assert.equal(events.length, 1);
  });

  it('go to whoever takes over from their starter', async () => {
    const people = await stage();
    const { owner, admin, editor, server } = people;
    const { id, ended, files } = await test(people, await draft(owner));
    const leaving = { status: 'disabled', successor_id: editor.user.id };
    await admin.patch(`/users/${owner.user.id}`, leaving);
    while ((await takeOverFiles(server.services.db, 100)) > 0);
    for (const cog of [ended.output_folder_id, files[0]?.cog_id])
      assert.equal((await editor.get(`/cogs/${cog}`)).body.owner_id, editor.user.id);
    await endedAgo(people, id, 25);
    await remove(people);
    assert.equal(await statusOf(editor, files[0]?.cog_id), 404);
  });

  it('are removed with the run when that is deleted', async () => {
    const people = await stage();
    const { owner } = people;
    const version = await draft(owner);
    const cog_ids = await filesOf(owner, 'a');
    const before = await usedBy(people);
    const [first, second] = [
      await test(people, version, { cog_ids }),
      await test(people, version, { cog_ids }),
    ];
    await endedAgo(people, second.id, 25);
    await remove(people);
    for (const { id } of [first, second]) await owner.delete(`/workflows/workflow-runs/${id}`);
    await remove(people);
    assert.equal(await usedBy(people), before);
    const left = await people.server.services.db`
      select from node_run_outputs where run_id = any(${[first.id, second.id]}::bigint[])
    `;
    assert.equal(left.count, 0);
  });

  it('stay as long as it runs, however long ago it began', async () => {
    const people = await stage();
    const { owner, worker, server } = people;
    const cog_ids = await filesOf(owner, 'a', 'b');
    const { body } = await run(owner, await draft(owner), { cog_ids, until: 'first' });
    const [one, two] = await worker.acquire();
    await play(people)(one);
    await server.services.db`
      update workflow_runs
      set created_at = now() - interval '3 days', started_at = now() - interval '3 days'
      where id = ${body.workflow_run_id}
    `;
    await remove(people);
    const [file] = made(await look(owner, body.workflow_run_id));
    assert.equal(await statusOf(owner, file?.cog_id), 200);
    await play(people)(two);
    assert.equal((await look(owner, body.workflow_run_id)).status, 'success');
  });

  it('stay where they were moved or copied to', async () => {
    const people = await stage();
    const { owner } = people;
    const cog_ids = await filesOf(owner, 'a', 'b', 'c');
    const { id, files, ended } = await test(people, await draft(owner), { cog_ids });
    const [moved, copied, left] = files.map(({ cog_id }) => cog_id);
    const kept = (await folder(owner, 'Kept')).id;
    await owner.patch(`/cogs/${moved}`, { parent_id: kept });
    const copy = (await owner.post(`/cogs/${copied}/copy`, { parent_id: kept, name: 'copy' })).body;
    const path = `/cogs/${ended.output_folder_id}/copy`;
    const all = (await owner.post(path, { parent_id: kept, name: 'All that is left' })).body;
    const renamed = await owner.patch(`/cogs/${all.id}`, { name: 'The other two' });
    assert.equal(renamed.status, 200, 'It is a folder like any other.');
    await endedAgo(people, id, 25);
    await remove(people);
    const statuses = [moved, copy.id, copied, left].map((cog) => statusOf(owner, cog));
    assert.deepEqual(await Promise.all(statuses), [200, 200, 404, 404]);
    const { body: inCopy } = await owner.get(`/cogs/?parent_id=${all.id}`);
    assert.equal(inCopy.length, 5, 'three of the first node, and two');
    assert.equal(await statusOf(owner, inCopy[0].id), 200);
    const { made_by } = (await owner.get(`/cogs/${copy.id}/provenance`)).body;
    assert.equal(made_by.workflow_run_id, id);
  });
});
