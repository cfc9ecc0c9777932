import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '../../../../test/cast.ts';
import { nextOf, pages } from '../../../../test/pages.ts';
import { filesOf, gatherGraph, run, stage, versionOf } from '../../../../test/runs.ts';
import { share } from '../../../../test/sharing.ts';
import { mappedGraph, registerNode } from '../../../../test/workflows.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the server really sent
type Row = any;

const usesOf = async (by: Client, id: number): Promise<Row[]> =>
  (await by.get(`/cogs/${id}/provenance/runs`)).body;

async function mappedStage() {
  const people = await stage();
  const version = await versionOf(people.owner, mappedGraph(await registerNode(people.owner)));
  const start = async (by: Client, cog_ids: number[]): Promise<number> => {
    const { body } = await run(by, version, { cog_ids });
    await people.worker.work();
    return body.workflow_run_id;
  };
  return { ...people, version, start };
}

const lanes = (files: Row[]) => files.map(({ checksum_sha256 }) => checksum_sha256);

describe('what was made from a file', () => {
  it('are the runs that it went into in any version, newest first, with its results alone', async () => {
    const { owner, start, version } = await mappedStage();
    const [a = 0, b = 0] = await filesOf(owner, 'a', 'b');
    const first = await start(owner, [b, a]);
    const form = new FormData();
    form.append('file', new Blob(['second']), 'file');
    await owner.fetch(`/cogs/${a}/content`, { method: 'POST', body: form });
    const second = await start(owner, [a]);

    const told = (await owner.get(`/cogs/${a}/provenance`)).body;

    assert.deepEqual(await usesOf(owner, a), told.used_in);
    assert.equal(told.more_used_in, false);
    assert.deepEqual(
      told.used_in.map((use: Row) => [use.workflow_run_id, use.version, use.position]),
      [
        [second, 2, 0],
        [first, 1, 1],
      ],
    );
    const [, { files, ...use }] = told.used_in;
    assert.deepEqual(
      [use.workflow_version_id, use.workflow_name, use.status, use.started_by, use.input_name],
      [version, 'Test', 'success', owner.user.id, 'files'],
    );
    assert.equal(files.length, 1);
    const back = (await owner.get(`/cogs/${files[0].cog_id}/provenance`)).body;
    assert.deepEqual(
      back.inputs.map((input: Row) => input.cog_id),
      [a],
    );
    assert.deepEqual([use.files_hidden, use.more_files], [0, false]);
    assert.deepEqual((await owner.get(`/cogs/${a}/provenance/runs/${first}/files`)).body, files);
  });

  it('of a gather is what was made of all', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner));
    const cog_ids = await filesOf(owner, 'a', 'b');
    const { body } = await run(owner, version, { cog_ids });
    await worker.work();

    const [ofA, ofB] = await Promise.all(cog_ids.map((id) => usesOf(owner, id)));

    assert.deepEqual(ofA?.[0].files, ofB?.[0].files);
    assert.deepEqual(
      ofA?.[0].files.map((file: Row) => file.node_key),
      ['gather'],
    );
    assert.equal(ofA?.[0].workflow_run_id, body.workflow_run_id);
  });

  it('of a gather leaves out the file whose lane failed, on either side', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner, 0.5));
    const cog_ids = await filesOf(owner, 'good', 'bad');
    await run(owner, version, { cog_ids });
    await worker.work((order) =>
      order.shard_index === 1 ? worker.fail(order) : worker.succeed(order),
    );

    const [[ofGood], [ofBad]] = (await Promise.all(cog_ids.map((id) => usesOf(owner, id)))) as [
      ...[Row[], Row[]],
    ];

    assert.deepEqual([ofGood.status, ofGood.files.length], ['partial_success', 1]);
    assert.deepEqual(ofBad.files, []);
    const back = (await owner.get(`/cogs/${ofGood.files[0].cog_id}/provenance`)).body;
    assert.deepEqual(
      back.inputs.map(({ name, contributed }: Row) => [name, contributed]),
      [
        ['good', true],
        ['bad', false],
      ],
    );
  });

  it('is told while the run is under way, and while there is nothing yet', async () => {
    const { owner, version, worker } = await mappedStage();
    const [a = 0] = await filesOf(owner, 'a');
    await run(owner, version, { cog_ids: [a] });

    const [waiting] = await usesOf(owner, a);
    const [order] = await worker.acquire();
    await worker.fail(order);
    const [failed] = await usesOf(owner, a);

    assert.deepEqual([waiting.status, waiting.files], ['queued', []]);
    assert.deepEqual([failed.status, failed.files], ['failure', []]);
  });

  it('keeps runs that were deleted', async () => {
    const { owner, start } = await mappedStage();
    const [a = 0] = await filesOf(owner, 'a');
    const id = await start(owner, [a]);
    await owner.delete(`/workflows/workflow-runs/${id}`);

    const [use] = await usesOf(owner, a);

    assert.deepEqual([use.workflow_run_id, use.is_deleted, use.files.length], [id, true, 1]);
  });

  it('counts results that the caller may not see, without naming them', async () => {
    const { owner, viewer, admin, start } = await mappedStage();
    const [a = 0] = await filesOf(owner, 'a');
    const id = await start(owner, [a]);
    await share(owner, a, viewer, 'viewer');

    const [use] = await usesOf(viewer, a);

    assert.deepEqual(use.files, [{ state: 'hidden', node_key: 'each' }]);
    assert.equal(use.files_hidden, 1);
    const listed = await viewer.get(`/cogs/${a}/provenance/runs/${id}/files`);
    assert.deepEqual(listed.body, use.files);
    assert.equal((await usesOf(admin, a))[0].files[0].state, 'available');
  });

  it('includes five results of a run, and lists the others page by page', async () => {
    const { owner, worker } = await stage();
    const outputs = [{ name: 'out', glob: '*', cardinality: 'many' }];
    const split = await registerNode(owner, { outputs });
    const version = await versionOf(owner, mappedGraph(split));
    const [a = 0, b = 0] = await filesOf(owner, 'a', 'b');
    const { body } = await run(owner, version, { cog_ids: [a, b] });
    await worker.work((order) =>
      worker.succeed(
        order,
        Array.from({ length: 7 }, (_, at) => ({
          ...{ port: 'out', name: `${order.shard_index}-${at}`, text: `${at}` },
        })),
      ),
    );

    const [use] = await usesOf(owner, b);
    assert.deepEqual([use.files.length, use.more_files], [5, true]);

    const path = `/cogs/${b}/provenance/runs/${body.workflow_run_id}/files`;
    const all = (await pages<Row>(owner, `${path}?limit=3`)).flat();
    assert.deepEqual(
      all.map(({ name }) => name),
      Array.from({ length: 7 }, (_, at) => `1-${at}`),
    );
    const counted = await owner.get(`${path}?offset=5&with_total=true`);
    assert.equal(counted.headers.get('x-total-count'), '7');
    assert.deepEqual(lanes(counted.body), lanes(all.slice(5)));
  });

  it('goes on with the next page where new runs came meanwhile', async () => {
    const { owner, start } = await mappedStage();
    const [a = 0] = await filesOf(owner, 'a');
    const ids: number[] = [];
    for (let at = 0; at < 3; at += 1) ids.push(await start(owner, [a]));
    const first = await owner.get(`/cogs/${a}/provenance/runs?limit=2&with_total=true`);
    await start(owner, [a]);

    const second = await owner.get(nextOf(first.headers) ?? '');

    assert.equal(first.headers.get('x-total-count'), '3');
    assert.deepEqual(
      [...first.body, ...second.body].map((use: Row) => use.workflow_run_id),
      ids.toReversed(),
    );
    assert.equal(second.headers.get('link'), null);
  });

  it('has a version also where the run is from before versions were recorded', async () => {
    const { owner, start, server } = await mappedStage();
    const [a = 0] = await filesOf(owner, 'a');
    const id = await start(owner, [a]);
    await server.services.db`update run_files set version = null where run_id = ${id}`;
    const form = new FormData();
    form.append('file', new Blob(['second']), 'file');
    await owner.fetch(`/cogs/${a}/content`, { method: 'POST', body: form });

    const [use] = await usesOf(owner, a);

    assert.equal(use.version, 1);
    const back = (await owner.get(`/cogs/${use.files[0].cog_id}/provenance`)).body;
    assert.deepEqual([back.inputs[0].version, back.inputs[0].current_version], [1, 2]);
  });

  it('is not found of a run that it did not go into', async () => {
    const { owner, start } = await mappedStage();
    const [a = 0, b = 0] = await filesOf(owner, 'a', 'b');
    const id = await start(owner, [a]);

    const { status, body } = await owner.get(`/cogs/${b}/provenance/runs/${id}/files`);

    assert.equal(status, 404);
    assert.equal(body.detail, 'There is no such run.');
  });
});
