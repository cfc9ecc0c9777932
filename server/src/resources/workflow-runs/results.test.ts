import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOf, look, run, stage, versionOf } from '../../../test/runs.ts';
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
});
