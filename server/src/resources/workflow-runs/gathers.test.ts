import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOf, gatherGraph, look, progress, run, stage, versionOf } from '../../../test/runs.ts';
import type { Order } from '../../../test/worker.ts';

describe('a gather', () => {
  it('takes the lanes of a mapped node in the order of the input files', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'c', 'a', 'b') });

    const lanes = await worker.acquire();
    // Lanes end in a different order than they began.
    for (const order of lanes.reverse()) {
      await worker.succeed(order, [
        { port: 'out', name: order.inputs[0].name, text: order.inputs[0].name },
      ]);
    }
    const [gather] = await worker.acquire();

    assert.deepEqual(
      gather.inputs.map((input: Order) => input.name),
      ['c', 'a', 'b'],
    );
    const bytes = await fetch(gather.inputs[1].url);
    assert.equal(await bytes.text(), 'a');
    assert.equal((await progress(owner, body.workflow_run_id)).current_node, 'gather');
  });

  it('that needs every lane fails its run when one is lost, unless its edge tolerates that', async () => {
    const { owner, worker } = await stage();
    const [strict, tolerant] = [
      await versionOf(owner, await gatherGraph(owner)),
      await versionOf(owner, await gatherGraph(owner, 0.5)),
    ];
    const cog_ids = await filesOf(owner, 'good', 'bad');
    const play = (order: Order) =>
      order.inputs[0]?.name === 'bad' ? worker.fail(order) : worker.succeed(order);

    const first = (await run(owner, strict, { cog_ids })).body.workflow_run_id;
    await worker.work(play);
    const second = (await run(owner, tolerant, { cog_ids })).body.workflow_run_id;
    await worker.work(play);

    const failed = await look(owner, first);
    assert.equal(failed.status, 'failure');
    const gather = failed.node_runs.find((row: Order) => row.node_key === 'gather');
    assert.deepEqual([gather.status, gather.skip_reason], ['skipped', 'upstream_failed']);
    assert.equal((await look(owner, second)).status, 'partial_success');
  });

  it('goes on with one good lane of a node that may fail, unless its edge asks for more', async () => {
    const { owner, worker } = await stage();
    const cog_ids = await filesOf(owner, 'good', 'bad', 'worse');
    const outcomeOf = async (ratio?: number) => {
      const version = await versionOf(owner, await gatherGraph(owner, ratio, 'continue'));
      const { body } = await run(owner, version, { cog_ids });
      await worker.work((order) =>
        ['bad', 'worse'].includes(order.inputs[0]?.name)
          ? worker.fail(order)
          : worker.succeed(order),
      );
      return (await look(owner, body.workflow_run_id)).status;
    };

    assert.equal(await outcomeOf(), 'partial_success');
    assert.equal(await outcomeOf(0.3), 'partial_success');
    assert.equal(await outcomeOf(0.5), 'failure');
  });
});
