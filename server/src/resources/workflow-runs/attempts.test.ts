import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOf, run, stage, versionOf } from '../../../test/runs.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

describe('the attempts of node runs', () => {
  it('come where they are asked for, with their times and how they ended', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a.txt', 'b.txt') });
    const path = `/workflows/workflow-runs/${body.workflow_run_id}/node-runs`;
    await worker.work((order) =>
      order.shard_index === 0
        ? worker.fail(order, { exit_code: 2, error_class: 'exit_nonzero', error_message: 'no' })
        : worker.succeed(order),
    );

    const { body: plain } = await owner.get(path);
    assert.deepEqual(
      plain.map((one: object) => 'attempts' in one),
      [false, false],
    );
    const { body: rows } = await owner.get(`${path}?with_attempts=true`);
    const [[failed], [done]] = rows.map(({ attempts }: { attempts: object[] }) => attempts);
    const { leased_at, started_at, finished_at, ...facts } = failed;
    assert.deepEqual(facts, {
      ...{ number: 1, status: 'failure', worker_id: worker.id },
      ...{ exit_code: 2, error_class: 'exit_nonzero', error_message: 'no' },
    });
    assert.ok(leased_at <= started_at && started_at <= finished_at);
    assert.equal(done.status, 'success');

    const one = await owner.get(`${path}?with_attempts=true&node_key=each&shard_index=1`);
    assert.deepEqual(one.body, [rows[1]]);
  });
});
