/** Work that runs cannot pay for from their own credits, where there is much of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { creditStage } from '../../test/credits.ts';
import { folderOfFiles, look, progress, run } from '../../test/runs.ts';
import { until } from '../../test/until.ts';
import { type Order, scriptedWorker } from '../../test/worker.ts';

describe('runs that cannot pay for more while something of them runs', () => {
  it('hide no work behind them, however many they are', async () => {
    const room = await creditStage();
    const { owner, server } = room;
    const { tenant_id } = owner.user;
    const version = await room.version(1);
    for (let count = 0; count < 8; count += 1) await room.start(version, 3, { max_credits: 6 });
    const busy = await scriptedWorker(server, tenant_id);
    for (let count = 0; count < 8; count += 1) assert.equal((await busy.acquire(1)).length, 1);
    const { body: behind } = await room.start(version, 1);

    const orders = await room.worker.acquire(1);

    assert.deepEqual(
      orders.map(({ run_id }) => run_id),
      [behind.workflow_run_id],
    );
    assert.deepEqual(await room.faults(), []);
  });
});

describe('a run that can pay for nothing of its queue any more', () => {
  it('is aborted where one failure aborts it', async () => {
    const room = await creditStage();
    const { owner, worker } = room;
    const { body } = await room.start(await room.version(1), 4, {
      max_credits: 5,
      on_failure: 'abort',
    });
    const [order] = await worker.acquire();
    await worker.started(order);
    await room.ranFor(order, 1);
    await worker.succeed(order);

    assert.deepEqual(await worker.acquire(1), []);

    const ended = await look(owner, body.workflow_run_id);
    assert.equal(ended.status, 'partial_success');
    assert.deepEqual(await room.faults(), []);
    assert.deepEqual(
      ended.node_runs.map(({ status, error_class, skip_reason }: Order) => [
        status,
        error_class ?? skip_reason,
      ]),
      [
        ['success', undefined],
        ['failure', 'insufficient_credits'],
        ['skipped', 'run_aborted'],
        ['skipped', 'run_aborted'],
      ],
    );
  });

  for (const on_failure of ['continue', 'abort'])
    it(`ends beside other work, a long queue as well (${on_failure})`, async () => {
      const room = await creditStage();
      const { owner, worker, server } = room;
      const folder = await folderOfFiles(server, owner, 5000);
      const version = await room.version(1);
      const { body } = await run(owner, version, {
        ...{ cog_ids: [folder], max_credits: 5, on_failure },
      });
      const [order] = await worker.acquire(1);
      await worker.started(order);
      await room.ranFor(order, 1);
      await worker.succeed(order);
      const behind = await room.start(version, 1);

      const [other] = await worker.acquire(1);

      assert.equal(other?.run_id, behind.body.workflow_run_id);
      await until('all of it has ended', async () => {
        assert.deepEqual(await worker.acquire(1), []);
        return (await progress(owner, body.workflow_run_id)).progress_percentage === 100;
      });
      const ended = await look(owner, body.workflow_run_id);
      assert.equal(ended.status, 'partial_success');
      const why = ({ error_class, skip_reason }: Order) => error_class ?? skip_reason ?? 'success';
      const [first, second, ...others] = (ended.node_runs as Order[]).map(why);
      assert.deepEqual([first, second], ['success', 'insufficient_credits']);
      const wanted = on_failure === 'abort' ? 'run_aborted' : 'insufficient_credits';
      assert.deepEqual([...new Set(others)], [wanted]);
      assert.deepEqual(await room.faults(), []);
    });
});
