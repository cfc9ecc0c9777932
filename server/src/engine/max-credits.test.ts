/** Runs that may spend so much and no more. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { creditStage } from '../../test/credits.ts';
import { untilHeard } from '../../test/heard.ts';
import { look, run, versionOf } from '../../test/runs.ts';
import { waitAt, withoutFallback } from '../../test/waiting-workers.ts';
import { type Order, scriptedWorker } from '../../test/worker.ts';
import { mappedGraph, registerNode } from '../../test/workflows.ts';

describe('a run with max_credits', () => {
  it('spends no more, and ends for want of them when nothing of it runs', async () => {
    const room = await creditStage();
    const { owner, worker } = room;
    const version = await room.version(1);
    const { body } = await room.start(version, 5, { max_credits: 12.5 });
    const begun = await look(owner, body.workflow_run_id);
    assert.deepEqual([begun.max_credits, begun.credits_used], [12.5, 0]);

    const first = await worker.acquire();
    assert.equal(first.length, 2);
    const waiting = (await look(owner, body.workflow_run_id)).node_runs[4];
    assert.equal(
      waiting.queue_reason,
      'credits: 5 are needed for its first five minutes, and 2.5 of this run are left',
    );
    for (const order of first) {
      await worker.started(order);
      await room.ranFor(order, 4);
      await worker.succeed(order);
    }
    assert.deepEqual(await worker.acquire(), [], 'Some 4.5 are left, and 5 are needed.');

    const ended = await look(owner, body.workflow_run_id);
    assert.equal(ended.status, 'partial_success');
    assert.ok(ended.credits_used >= 8 && ended.credits_used < 9, `${ended.credits_used}`);
    assert.match(ended.error_message, /^3 of 5 files failed at each: It needs 5 credits to start/);
    assert.deepEqual(
      ended.node_runs.map(({ status, error_class }: Order) => [status, error_class]),
      [
        ['success', undefined],
        ['success', undefined],
        ...Array.from({ length: 3 }, () => ['failure', 'insufficient_credits']),
      ],
    );
    assert.deepEqual(await room.faults(), []);
  });

  it('is refused when not even its first step can be paid for', async () => {
    const room = await creditStage();
    const version = await room.version(1);

    const refused = await room.start(version, 1, { max_credits: 4.999 });

    assert.deepEqual([refused.status, refused.body.code], [409, 'insufficient_credits']);
    assert.equal((await room.start(version, 1, { max_credits: 5 })).status, 202);
    for (const max_credits of [0, -1, 'many'])
      assert.equal((await room.start(version, 1, { max_credits })).status, 422);
  });

  it('goes on with what comes back, and hides nobody meanwhile', async (t) => {
    withoutFallback(t);
    const room = await creditStage();
    const { server, worker } = room;
    const waiting = await scriptedWorker(server, room.owner.user.tenant_id);
    await untilHeard(server);
    const version = await room.version(1);
    await room.start(version, 3, { max_credits: 6 });
    const { body: behind } = await room.start(version, 1);

    const [first, ...others] = await worker.acquire(2);
    const [free] = others.length > 0 ? others : await worker.acquire(1);
    assert.equal(free.run_id, behind.workflow_run_id);
    assert.deepEqual(await worker.acquire(), []);
    const waits = await waitAt(server, waiting);
    await worker.succeed(first);

    assert.equal((await waits.answer).leases.length, 1);
    assert.deepEqual(await room.faults(), []);
  });

  it('pays its tenant as well: both limits hold', async () => {
    const room = await creditStage(12);
    const { worker } = room;
    const version = await room.version(1);
    await room.start(version, 3, { max_credits: 100 });
    assert.equal((await worker.acquire()).length, 2);
    assert.equal((await room.credits()).remaining, 2);
    await room.limit(100);
    await room.start(version, 3, { max_credits: 5 });

    assert.equal((await worker.acquire()).length, 2);
    assert.equal((await room.credits()).remaining, 80);
    assert.deepEqual(await room.faults(), []);
  });

  it('goes on behind a step that was not paid for where that may fail', async () => {
    const room = await creditStage();
    const { owner, worker } = room;
    const of = (cpu: number, over = {}) =>
      registerNode(owner, { resources: { cpu, memory_mb: 64, gpu: 0, disk_mb: 64 }, ...over });
    const [small, large] = [await of(0.2), await of(2)];
    const last = await of(0.2, { inputs: [{ name: 'in', cardinality: 'optional' }] });
    const graph = mappedGraph(small);
    const version = await versionOf(owner, {
      ...graph,
      nodes: [
        ...graph.nodes,
        { key: 'large', node_definition_id: large, map: true, on_error: 'continue' },
        { key: 'last', node_definition_id: last, map: true },
      ],
      edges: [
        ...graph.edges,
        { from: { node: 'each', port: 'out' }, to: { node: 'large', port: 'in' } },
        { from: { node: 'large', port: 'out' }, to: { node: 'last', port: 'in' } },
      ],
    });
    const cog_ids = [(await owner.upload('a.txt', 'a')).body.id];
    const { body } = await run(owner, version, { cog_ids, max_credits: 3 });

    // The first turn ends with the step that is not paid for.
    const done = [...(await worker.work()), ...(await worker.work())];

    assert.deepEqual(
      done.map(({ node_key }) => node_key),
      ['each', 'last'],
    );
    const ended = await look(owner, body.workflow_run_id);
    assert.equal(ended.status, 'partial_success');
    assert.deepEqual(await room.faults(), []);
  });

  it('is limited alike when it is restarted, or as the restart says', async () => {
    const room = await creditStage();
    const { owner, worker } = room;
    const { body } = await room.start(await room.version(1), 2, { max_credits: 5 });
    const [order] = await worker.acquire();
    await worker.started(order);
    await room.ranFor(order, 1);
    await worker.succeed(order);
    await worker.acquire();
    const path = `/workflows/workflow-runs/${body.workflow_run_id}/restart`;
    assert.equal((await look(owner, body.workflow_run_id)).status, 'partial_success');

    const limits = [];
    for (const given of [{}, { max_credits: 50 }]) {
      const { status, body: again } = await owner.post(path, given);
      assert.equal(status, 202, JSON.stringify(again));
      limits.push((await look(owner, again.workflow_run_id)).max_credits);
    }

    assert.deepEqual(limits, [5, 50]);
    assert.equal((await owner.post(path, { max_credits: 4 })).body.code, 'insufficient_credits');
  });
});
