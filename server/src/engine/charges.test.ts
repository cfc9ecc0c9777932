import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Cast } from '../../test/cast.ts';
import { leaseStage } from '../../test/leases.ts';
import { filesOf, run, stage, versionOf } from '../../test/runs.ts';
import type { Order } from '../../test/worker.ts';
import { mappedGraph, registerNode } from '../../test/workflows.ts';
import { rateOf } from '../credits/prices.ts';

describe('the charge', () => {
  async function charges(server: Cast['server'], runId: number) {
    const rows = await server.services.db<{ seconds: number; millicredits: number }[]>`
      select seconds::float8, millicredits from usage_events where run_id = ${runId} order by attempt_id
    `;
    return rows.map((row) => [row.seconds >= 60, row.millicredits > 0]);
  }
  const runFor = (server: Cast['server'], order: Order, minutes: number) =>
    server.services
      .db`update attempts set started_at = now() - make_interval(mins => ${minutes}) where id = ${order.attempt_id}`;

  it('is for the container alone: nothing for what the platform spoilt', async () => {
    const { worker, start, server } = await leaseStage();
    const id = await start();
    const notStored = { port: 'out', name: 'a', object_id: 1, size_bytes: 1 };
    const outputs = [{ ...notStored, checksum_sha256: '0'.repeat(64) }];
    const reports = [
      { status: 'cancelled' },
      { status: 'success', exit_code: 0, outputs },
      { status: 'failure', error_class: 'disk_full' },
      { status: 'failure', error_class: 'exit_nonzero', exit_code: 1 },
    ];

    for (const report of reports) {
      await server.services.db`update ready_queue set not_before = now() where run_id = ${id}`;
      const [order] = await worker.acquire();
      await worker.started(order);
      await runFor(server, order, 2);
      await worker.complete(order, report);
    }

    assert.deepEqual(await charges(server, id), [
      [true, false],
      [true, false],
      [true, false],
      [true, true],
    ]);
  });

  it('is paid, once, by a program that wrote more than its disk holds', async () => {
    const { worker, start, server, look } = await leaseStage();
    const id = await start();
    const [order] = await worker.acquire();
    await worker.started(order);
    await runFor(server, order, 2);

    await worker.fail(order, { error_class: 'disk_limit', error_message: 'Over 64 MB.' });

    assert.deepEqual(await worker.acquire(), []);
    const ended = await look(id);
    assert.equal(ended.status, 'failure');
    assert.equal(ended.node_runs[0].error_class, 'disk_limit');
    assert.deepEqual(await charges(server, id), [[true, true]]);
  });

  it('is exact, rounded up once to a thousandth of a credit', async () => {
    const { server, owner, worker } = await stage();
    const sizes = [
      { cpu: 0.1, memory_mb: 64 },
      { cpu: 0.7, memory_mb: 3000 },
      { cpu: 1.1, memory_mb: 9000 },
    ];
    for (const size of sizes) {
      const resources = { ...size, gpu: 0, disk_mb: 64 };
      const version = await versionOf(owner, mappedGraph(await registerNode(owner, { resources })));
      const names = Array.from({ length: 6 }, (_, at) => `${at}.txt`);
      const cog_ids = await filesOf(owner, ...names.map((name) => `${size.cpu} ${name}`));
      const { body } = await run(owner, version, { cog_ids });
      for (const [at] of names.entries()) {
        const [order] = await worker.acquire(1);
        assert.ok(order);
        await worker.started(order);
        await server.services.db`
          update attempts set started_at = started_at - ${1 + at * 7} * interval '3 seconds'
          where id = ${order.attempt_id}
        `;
        await worker.fail(order);
      }
      const rows = await server.services.db<{ ms: number; millicredits: number }[]>`
        select (seconds * 1000)::bigint as ms, millicredits from usage_events
        where run_id = ${body.workflow_run_id}
      `;
      assert.equal(rows.length, names.length);
      const perMinute = BigInt(Math.round(rateOf(resources) * 1_000_000));
      for (const { ms, millicredits } of rows)
        assert.equal(BigInt(millicredits), (BigInt(ms) * perMinute + 59_999_999n) / 60_000_000n);
    }
  });

  it('is nothing, and no obstacle, when the clock was set back in between', async () => {
    const { worker, start, server, look } = await leaseStage();
    const id = await start();
    const [order] = await worker.acquire();
    await worker.started(order);
    await runFor(server, order, -30);

    await worker.fail(order);

    assert.equal((await look(id)).status, 'failure');
    assert.deepEqual(await charges(server, id), [[false, false]]);
  });
});
