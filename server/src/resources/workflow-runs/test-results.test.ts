import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '../../../test/cast.ts';
import { davClient } from '../../../test/dav.ts';
import { collectAll } from '../../../test/duties.ts';
import { filesOf, look, run, type Stage, stage, versionOf } from '../../../test/runs.ts';
import { folder, share } from '../../../test/sharing.ts';
import type { Order } from '../../../test/worker.ts';
import { registerNode } from '../../../test/workflows.ts';
import { removeDeletedOutputs } from '../../engine/duties/deleted-runs.ts';
import { removeTestResults } from '../../engine/duties/test-results.ts';
import { readUsage } from '../../objects/quota.ts';

type File = { cog_id: number; direction: string; name: string; checksum_sha256: string };

/** A draft whose `second` takes what `first` made of a file. */
async function draft(client: Client): Promise<number> {
  const one = await registerNode(client);
  return versionOf(client, {
    nodes: ['first', 'second'].map((key) => ({ key, node_definition_id: one, map: true })),
    edges: [
      { from: { input: 'files' }, to: { node: 'first', port: 'in' } },
      { from: { node: 'first', port: 'out' }, to: { node: 'second', port: 'in' } },
    ],
    inputs: [{ name: 'files' }],
    variables: [],
  });
}

const made = ({ run_files }: { run_files: File[] }) =>
  run_files.filter(({ direction }) => direction === 'output');

const play =
  ({ worker }: Stage) =>
  (order: Order) =>
    worker.succeed(order, [
      { port: 'out', name: 'tested.txt', text: `${order.node_key} of run ${order.run_id}` },
    ]);

/** A run of all, or until `second`, that has ended. */
async function test(people: Stage, version: number, over: Record<string, unknown> = {}) {
  const { owner } = people;
  const cog_ids = over.cog_ids ?? (await filesOf(owner, `${crypto.randomUUID()}.txt`));
  const started = await run(owner, version, { cog_ids, until: 'second', ...over });
  assert.equal(started.status, 202, JSON.stringify(started.body));
  const id: number = started.body.workflow_run_id;
  const orders = await people.worker.work(play(people));
  const ended = await look(owner, id);
  return { id, ended, files: made(ended), keys: orders.map(({ node_key }) => node_key), cog_ids };
}

const endedAgo = ({ server }: Stage, id: number, hours: number) => server.services.db`
  update workflow_runs set finished_at = now() - ${hours} * interval '1 hour' where id = ${id}
`;

/** All that the duties do, in the smallest portions. */
async function remove({ server }: Stage) {
  const { db } = server.services;
  while ((await removeTestResults(db, 1)) > 0);
  while ((await removeDeletedOutputs(db, 1)) > 0);
  await collectAll(server.services);
}

const statusOf = async (by: Client, id: number | undefined) =>
  (await by.fetch(`/cogs/${id}/download`)).status;

const usedBy = async ({ server, owner }: Stage) =>
  (await readUsage(server.services.db, owner.user.tenant_id)).used_bytes;

const isStored = async ({ server }: Stage, { cog_id }: File) => {
  const { db, storage } = server.services;
  const [object] = await db<{ key: string }[]>`
    select key from cogs join objects on objects.id = object_id where cogs.id = ${cog_id}
  `;
  return async () => (await storage.stat(object?.key ?? '')) !== undefined;
};

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

  it('are removed a day after its end, and the run tells what they were', async () => {
    const people = await stage();
    const { owner, admin } = people;
    const other = await stage(people.server);
    const theirs = await test(other, await draft(other.owner));
    const cog_ids = await filesOf(owner, 'a', 'b');
    const before = await usedBy(people);
    const { id, ended, files } = await test(people, await draft(owner), { cog_ids });
    const stored = await isStored(people, files[0] as File);
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
    const outputs = (one: typeof now) =>
      one.node_runs.map(({ outputs }: { outputs: unknown }) => outputs);
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
    assert.equal(inCopy.length, 2);
    assert.equal(await statusOf(owner, inCopy[0].id), 200);
    const { made_by } = (await owner.get(`/cogs/${copy.id}/provenance`)).body;
    assert.equal(made_by.workflow_run_id, id);
  });
});

describe('a test whose results were removed', () => {
  it('has nothing to take over: all is computed again', async () => {
    const people = await stage();
    const { owner } = people;
    const version = await draft(owner);
    const first = await test(people, version);
    const again = { cog_ids: first.cog_ids, reuse_from_run_id: first.id };
    const before = await test(people, version, again);
    assert.deepEqual(before.keys, []);
    await endedAgo(people, first.id, 25);
    await remove(people);

    const after = await test(people, version, again);

    assert.deepEqual([after.keys, after.ended.status], [['first', 'second'], 'success']);
    assert.equal(await statusOf(owner, before.files[0]?.cog_id), 200);
    const third = await test(people, version, { ...again, reuse_from_run_id: before.id });
    assert.deepEqual(third.keys, []);
  });

  it('restarts whole, and not in part', async () => {
    const people = await stage();
    const { owner, worker } = people;
    const cog_ids = await filesOf(owner, 'a', 'b');
    const { body } = await run(owner, await draft(owner), { cog_ids, until: 'second' });
    const id = body.workflow_run_id;
    await worker.work((order) =>
      order.shard_index === 0 ? play(people)(order) : worker.fail(order),
    );
    await endedAgo(people, id, 25);
    await remove(people);
    const restart = (given: object) => owner.post(`/workflows/workflow-runs/${id}/restart`, given);

    const part = await restart({ only: [{ node_key: 'second' }] });
    assert.deepEqual([part.status, part.body.code], [409, 'results_removed']);
    const whole = await restart({ mode: 'failed' });

    assert.equal(whole.status, 202);
    assert.equal((await worker.work(play(people))).length, 4);
    const ended = await look(owner, whole.body.workflow_run_id);
    assert.deepEqual([ended.status, ended.keep_results, made(ended).length], ['success', false, 2]);
  });

  it('keeps them while a restart may take them over', async () => {
    const people = await stage();
    const { owner, worker } = people;
    const cog_ids = await filesOf(owner, 'a');
    const { body } = await run(owner, await draft(owner), { cog_ids, until: 'second' });
    const id = body.workflow_run_id;
    await worker.work((order) =>
      order.node_key === 'first' ? play(people)(order) : worker.fail(order),
    );
    const restarted = await owner.post(`/workflows/workflow-runs/${id}/restart`);
    await endedAgo(people, id, 25);
    await remove(people);
    assert.equal((await look(owner, id)).results_removed_at, undefined);
    const orders = await worker.work(play(people));
    assert.deepEqual(
      orders.map(({ node_key }) => node_key),
      ['second'],
    );
    await remove(people);
    assert.ok((await look(owner, id)).results_removed_at);
    assert.equal((await look(owner, restarted.body.workflow_run_id)).status, 'success');
  });

  it('is emptied to the end, wherever a process died before', async () => {
    const people = await stage();
    const { owner, server } = people;
    const { db } = server.services;
    const { tenant_id } = owner.user;
    const cog_ids = await filesOf(owner, 'a', 'b');
    const before = await usedBy(people);
    const { id, files } = await test(people, await draft(owner), { cog_ids });
    await endedAgo(people, id, 25);
    await db.script(`
      create function refuse_purge() returns trigger language plpgsql as
        $$ begin raise exception 'no'; end $$;
      create trigger refuse_purge before insert on audit_events for each row
        when (new.tenant_id = ${tenant_id}) execute function refuse_purge();
    `);
    await assert.rejects(removeTestResults(db, 100));
    await collectAll(server.services);
    assert.equal((await look(owner, id)).results_removed_at, undefined);
    assert.equal(await statusOf(owner, files[0]?.cog_id), 200);
    await db.script('drop trigger refuse_purge on audit_events');

    await removeTestResults(db, 100);
    await removeDeletedOutputs(db, 1);
    // As if another process went on from here.
    await collectAll(server.services);
    assert.equal(await statusOf(owner, cog_ids[0]), 200);
    assert.ok((await usedBy(people)) > before, 'What its first step made is still there.');
    await remove(people);

    assert.equal(await usedBy(people), before);
    const left = await db`
      select from objects where tenant_id = ${tenant_id} and state <> 'live'
    `;
    assert.equal(left.count, 0);
  });
});
