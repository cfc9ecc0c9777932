import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOf, gatherGraph, look, run, stage, versionOf } from '../../../test/runs.ts';
import type { Order } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

describe('results', () => {
  it("are their starter's alone, whoever ran the workflow or made the folder before", async () => {
    const { owner, editor, viewer, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    await viewer.post('/cogs', { name: 'Workflow outputs', cog_type: 'asset_folder' });
    const results: { cog_id: number }[] = [];
    for (const starter of [owner, editor]) {
      const { body } = await run(starter, version, {
        cog_ids: await filesOf(starter, `of ${starter.user.id}`),
      });
      await worker.work();
      const { run_files } = await look(starter, body.workflow_run_id);
      results.push(run_files.find((file: { direction: string }) => file.direction === 'output'));
    }
    const statuses = await Promise.all(
      [owner, editor, viewer].map((who) =>
        Promise.all(
          results.map(async ({ cog_id }) => (await who.get(`/cogs/${cog_id}/download`)).status),
        ),
      ),
    );
    assert.deepEqual(statuses, [
      [200, 403],
      [403, 200],
      [403, 403],
    ]);
  });

  it('are kept when people delete or block the folder they were to go to', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const parent = (await owner.post('/cogs', { name: 'Given', cog_type: 'asset_folder' })).body.id;
    const cog_ids = await filesOf(owner, 'a', 'b');
    const { body } = await run(owner, version, { cog_ids, output_parent_id: parent });
    const [first, second] = await worker.acquire();
    await worker.succeed(first);
    await owner.delete(`/cogs/${parent}`);
    const inTheWay = await owner.upload('Workflow outputs', 'in the way');
    assert.equal(inTheWay.body.code, 'name_reserved');

    await worker.succeed(second);

    const ended = await look(owner, body.workflow_run_id);
    assert.equal(ended.status, 'success');
    const outputs = ended.run_files.filter((file: Order) => file.direction === 'output');
    const path = (await owner.get(`/cogs/${outputs[1].cog_id}/path`)).body;
    assert.deepEqual(
      path.slice(1, 4).map((cog: Order) => cog.name),
      ['Workflow outputs', 'Test', String(body.workflow_run_id)],
    );
  });

  it('with a name that no file can have are refused, and the run goes on', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
    const [order] = await worker.acquire();

    const { status } = await worker.succeed(order, [
      { port: 'out', name: '../../etc/passwd', text: 'x' },
    ]);

    assert.equal(status, 204);
    const ended = await look(owner, body.workflow_run_id);
    assert.deepEqual([ended.status, ended.node_runs[0].error_class], ['failure', 'output_invalid']);
  });

  it('of a worker that calls its work cancelled without being asked run again', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
    const [order] = await worker.acquire();

    await worker.complete(order, { status: 'cancelled' });

    assert.equal((await look(owner, body.workflow_run_id)).status, 'running');
    assert.equal((await worker.work()).length, 1);
    assert.equal((await look(owner, body.workflow_run_id)).status, 'success');
  });

  it('are told at the outputs that they became of, though their names and bytes are the same', async () => {
    const { owner, stranger, worker } = await stage();
    const port = { name: 'out', glob: '*', cardinality: 'many' };
    const each = await registerNode(owner, { outputs: [port] });
    const version = await versionOf(owner, mappedGraph(each));
    const cog_ids = await filesOf(owner, 'a', 'b', 'c');
    const { body } = await run(owner, version, { cog_ids });
    const names: Record<number, string[]> = { 0: ['one.txt', 'two.txt'], 1: ['one.txt'], 2: [] };
    await worker.work((order) => {
      const made = names[order.shard_index ?? 0] ?? [];
      return worker.succeed(
        order,
        made.map((name) => ({ port: 'out', name, text: 'the same' })),
      );
    });
    const nodeRuns = (id: number, filter = '') =>
      `/workflows/workflow-runs/${id}/node-runs${filter}`;
    const idsOf = ({ outputs }: Order) => outputs.map(({ cog_id }: Order) => cog_id);

    const lanes = (await owner.get(nodeRuns(body.workflow_run_id))).body.map(idsOf);
    const { run_files } = await look(owner, body.workflow_run_id);
    const one = (await owner.get(nodeRuns(body.workflow_run_id, '?node_key=each&shard_index=1')))
      .body;

    // In the order in which the lanes were worked on.
    const results = run_files.filter(({ direction }: Order) => direction === 'output');
    assert.deepEqual(
      lanes.map((ids: number[]) => ids.length),
      [2, 1, 0],
    );
    assert.deepEqual(
      lanes.flat(),
      results.map(({ cog_id }: Order) => cog_id),
    );
    assert.equal(new Set(lanes.flat()).size, 3);
    assert.deepEqual(one.map(idsOf), [lanes[1]]);
    assert.equal((await stranger.get(nodeRuns(body.workflow_run_id))).status, 404);
  });

  it('are those of this run where an earlier one is reused, and none where a step passes them on', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner));
    const cog_ids = await filesOf(owner, 'a');
    const ids: number[] = [];
    for (const reuse_from_run_id of [undefined, () => ids[0]]) {
      const reused = reuse_from_run_id && { reuse_from_run_id: reuse_from_run_id() };
      ids.push((await run(owner, version, { cog_ids, ...reused })).body.workflow_run_id);
      await worker.work();
    }

    const [then, now] = [await look(owner, ids[0] ?? 0), await look(owner, ids[1] ?? 0)];

    for (const { node_runs, run_files } of [then, now]) {
      const result = run_files.find(({ direction }: Order) => direction === 'output');
      const [each, gather] = node_runs.map(({ outputs: [output] }: Order) => output);
      assert.deepEqual([each.cog_id, gather.cog_id], [undefined, result.cog_id]);
    }
    const made = [then, now].map(({ node_runs }) => node_runs[1].outputs[0].cog_id);
    assert.notEqual(made[0], made[1]);
  });
});
