import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { client } from '../../../test/cast.ts';
import {
  filesOf,
  gatherGraph,
  look,
  run,
  type Stage,
  stage,
  versionOf,
} from '../../../test/runs.ts';
import { type Order, type ScriptedWorker, scriptedWorker } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

const free = { cpu: 8, memory_mb: 16_384, gpu: 0, disk_mb: 100_000 };

describe('POST /workers/{id}/exchange', () => {
  it('gives each report a result of its own, in their order', async () => {
    const { owner, server, worker } = await stage();
    const runId = await startOver(owner, 'a', 'b');
    const [first, second] = await worker.acquire();
    const reports = [
      { ...failed(first), lease_token: randomUUID() },
      { ...failed(second), attempt_id: 999_999_999 },
      failed(second),
    ];

    const { status, body } = await exchange(server, worker, { reports, max: 0 });

    assert.equal(status, 200);
    assert.deepEqual(resultsOf(body), ['lease_lost', 'not_found', 'ok']);
    assert.deepEqual(
      body.accepted.map(({ attempt_id }: Order) => attempt_id),
      reports.map(({ attempt_id }) => attempt_id),
    );
    assert.deepEqual(await statusesOf(owner, runId), ['running', 'failure']);
  });

  it('answers a report that stands alone as it does among others', async () => {
    const { owner, server, worker } = await stage();
    await startOver(owner, 'a');
    const [order] = await worker.acquire();
    const resultOf = async (report: object) => {
      const { body } = await exchange(server, worker, { reports: [report], max: 0 });
      return resultsOf(body);
    };

    assert.deepEqual(await resultOf({ ...failed(order), lease_token: randomUUID() }), [
      'lease_lost',
    ]);
    assert.deepEqual(await resultOf({ ...failed(order), attempt_id: 999_999_999 }), ['not_found']);
    assert.deepEqual(await resultOf(failed(order)), ['ok']);
  });

  it('takes a report again that it has taken, alone and beside itself', async () => {
    const { owner, server, worker } = await stage();
    const runId = await startOver(owner, 'a', 'b');
    const [first, second] = await worker.acquire();

    const twice = [failed(first), failed(first)];
    const { body: once } = await exchange(server, worker, { reports: twice, max: 0 });
    const { body: again } = await exchange(server, worker, {
      reports: [failed(first), failed(second)],
      max: 0,
    });
    const other = { ...failed(first), status: 'success' };
    const { body: late } = await exchange(server, worker, { reports: [other], max: 0 });

    assert.deepEqual(resultsOf(once), ['ok', 'ok']);
    assert.deepEqual(resultsOf(again), ['ok', 'ok']);
    assert.deepEqual(resultsOf(late), ['lease_lost'], 'it has ended in another way');
    assert.deepEqual(await statusesOf(owner, runId), ['failure', 'failure']);
    const [charged] = await server.services.db<{ attempts: number }[]>`
      select count(*) as attempts from attempts where run_id = ${runId}
    `;
    assert.equal(charged?.attempts, 2);
  });

  it('brings back in the same call what the reports make ready', async () => {
    const { owner, server, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner, 0));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a', 'b') });
    const orders = await worker.acquire();

    const reports = await Promise.all(orders.map((order) => succeeded(worker, order)));
    const answer = await exchange(server, worker, { reports });

    assert.deepEqual(resultsOf(answer.body), ['ok', 'ok']);
    const [gather, ...others] = answer.body.orders;
    assert.equal(gather.node_key, 'gather');
    assert.equal(gather.inputs.length, 2);
    assert.deepEqual(others, []);
    const last = await exchange(server, worker, { reports: [await succeeded(worker, gather)] });
    assert.deepEqual(last.body.orders, []);
    assert.equal((await look(owner, body.workflow_run_id)).status, 'success');
  });

  it('gives the room of what has ended in the same call, and no more than is asked for', async () => {
    const { owner, server, worker } = await stage();
    const definition = await registerNode(owner, {
      resources: { cpu: 8, memory_mb: 64, gpu: 0, disk_mb: 64 },
    });
    const version = await versionOf(owner, mappedGraph(definition));
    await run(owner, version, { cog_ids: await filesOf(owner, 'a', 'b', 'c') });
    const [order, ...none] = await worker.acquire();
    assert.deepEqual(none, [], 'it has room for one');

    const { body } = await exchange(server, worker, { reports: [failed(order)] });

    assert.deepEqual(
      body.orders.map(({ shard_index }: Order) => shard_index),
      [1],
    );
  });

  it('waits for work when it brings no report', async () => {
    const { owner, server, worker } = await stage();

    const asked = exchange(server, worker, { wait_seconds: 25 });
    await owner.get('/me');
    const runId = await startOver(owner, 'a');

    const { body } = await asked;
    assert.deepEqual(body.accepted, []);
    assert.deepEqual(
      body.orders.map((order: Order) => order.run_id),
      [runId],
    );
  });

  it('is answered at once where nothing is ready: with reports, and without a time to wait', async () => {
    const { owner, server, worker } = await stage();
    await startOver(owner, 'a');
    const [order] = await worker.acquire();

    const reported = await exchange(server, worker, { reports: [failed(order)], wait_seconds: 25 });
    const asked = await exchange(server, worker, {});

    assert.deepEqual(reported.body.orders, []);
    assert.deepEqual(asked.body, { accepted: [], orders: [] });
  });

  it('brings no work to a worker that wants none', async () => {
    const { owner, server, worker } = await stage();
    const runId = await startOver(owner, 'a', 'b');
    const [order] = await worker.acquire(1);

    const reported = await exchange(server, worker, { reports: [failed(order)], max: 0 });
    const asked = await exchange(server, worker, { max: 0, wait_seconds: 25 });

    assert.deepEqual(resultsOf(reported.body), ['ok']);
    assert.deepEqual(reported.body.orders, []);
    assert.deepEqual(asked.body, { accepted: [], orders: [] });
    assert.deepEqual(await statusesOf(owner, runId), ['failure', 'queued']);
  });

  it("knows neither another tenant's attempt nor another worker's path", async () => {
    const { owner, stranger, server, worker } = await stage();
    const runId = await startOver(owner, 'a');
    const [order] = await worker.acquire();
    const other = await scriptedWorker(server, stranger.user.tenant_id);

    const reported = await exchange(server, other, { reports: [failed(order)] });
    const as = await client(server.url, other.token).post(`/workers/${worker.id}/exchange`, {
      ...{ reports: [], free, max: 1 },
    });

    assert.deepEqual(resultsOf(reported.body), ['not_found']);
    assert.deepEqual(reported.body.orders, []);
    assert.equal(as.status, 404);
    assert.deepEqual(await statusesOf(owner, runId), ['running']);
  });

  it('refuses a call with something in it that cannot be stored, and takes none of it', async () => {
    const { owner, server, worker } = await stage();
    const runId = await startOver(owner, 'a', 'b');
    const [first, second] = await worker.acquire();
    const bad = ['a\u0000b', 'x'.repeat(10_001), '\ud800'];

    for (const error_message of bad) {
      const reports = [failed(first), { ...failed(second), error_message }];
      const { status } = await exchange(server, worker, { reports });
      assert.equal(status, 422, JSON.stringify(error_message.slice(0, 10)));
    }

    assert.deepEqual(await statusesOf(owner, runId), ['running', 'running']);
    const { body } = await exchange(server, worker, { reports: [failed(first), failed(second)] });
    assert.deepEqual(resultsOf(body), ['ok', 'ok']);
  });

  it('fails alone an attempt whose outputs did not come', async () => {
    const { owner, server, worker } = await stage();
    const runId = await startOver(owner, 'a', 'b');
    const [first, second] = await worker.acquire();
    const good = await succeeded(worker, first);
    const made = { port: 'out', name: 'never.txt', object_id: 999_999_999, size_bytes: 1 };
    const outputs = [{ ...made, checksum_sha256: 'a'.repeat(64) }];

    const { body } = await exchange(server, worker, {
      reports: [{ ...failed(second), status: 'success', outputs }, good],
      max: 0,
    });

    assert.deepEqual(resultsOf(body), ['ok', 'ok']);
    assert.deepEqual(await statusesOf(owner, runId), ['success', 'queued']);
  });

  it('takes reports on many runs from two workers at the same moment', async () => {
    const { owner, server, worker } = await stage();
    const other = await scriptedWorker(server, owner.user.tenant_id);
    const version = await versionOf(owner, await gatherGraph(owner, 0));
    const started = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (name) => {
        const cog_ids = await filesOf(owner, `${name}1`, `${name}2`, `${name}3`);
        return (await run(owner, version, { cog_ids })).body.workflow_run_id as number;
      }),
    );

    const counts = await Promise.all([worker, other].map((one) => workTogether(server, one)));

    // A worker without work may stop while the other still holds a node run that others follow.
    const late = await worker.work();
    assert.equal(
      counts.reduce((sum, count) => sum + count, late.length),
      16,
    );
    for (const id of started) {
      const { status, node_runs } = await look(owner, id);
      assert.equal(status, 'success');
      assert.ok(node_runs.every(({ attempt }: Order) => attempt === 1));
    }
  });
});

/** Takes work by exchange and reports it in the next call, until there is none. */
async function workTogether(server: Stage['server'], worker: ScriptedWorker): Promise<number> {
  let done = 0;
  let { orders } = (await exchange(server, worker, { max: 3 })).body;
  while (orders.length > 0) {
    const reports = await Promise.all(orders.map((order: Order) => succeeded(worker, order)));
    const { body } = await exchange(server, worker, { reports, max: 3 });
    assert.deepEqual(resultsOf(body), Array(reports.length).fill('ok'));
    done += reports.length;
    orders = body.orders;
  }
  return done;
}

const exchange = ({ url }: Stage['server'], { id, token }: ScriptedWorker, body: object) =>
  client(url, token).post(`/workers/${id}/exchange`, { reports: [], free, max: 10, ...body });

const resultsOf = ({ accepted }: Order) => accepted.map(({ result }: Order) => result);

const failed = ({ attempt_id, lease_token }: Order) => ({
  ...{ attempt_id, lease_token, status: 'failure', exit_code: 1, error_class: 'exit_nonzero' },
});

/** Uploads its output. @returns the report. */
async function succeeded(worker: ScriptedWorker, { attempt_id, lease_token }: Order) {
  const file = { port: 'out', name: 'result.txt', text: String(attempt_id) };
  const outputs = await worker.upload({ attempt_id, lease_token }, [file]);
  return { attempt_id, lease_token, status: 'success', exit_code: 0, outputs };
}

/** Starts a run of one node over these files. */
async function startOver(owner: Stage['owner'], ...names: string[]): Promise<number> {
  const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
  const { body } = await run(owner, version, { cog_ids: await filesOf(owner, ...names) });
  return body.workflow_run_id;
}

const statusesOf = async (owner: Stage['owner'], runId: number) =>
  (await look(owner, runId)).node_runs.map(({ status }: Order) => status);
