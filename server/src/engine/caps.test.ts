/** Caps on how many node runs of a workflow, and of a tenant, are leased at the same time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, client } from '../../test/cast.ts';
import { filesOf, look, run, type Stage, stage } from '../../test/runs.ts';
import { startServer } from '../../test/server.ts';
import { roomOfWorker, waitAt, withoutFallback } from '../../test/waiting-workers.ts';
import { type Order, type ScriptedWorker, scriptedWorker } from '../../test/worker.ts';
import { mappedGraph, registerNode } from '../../test/workflows.ts';
import { changeTenantSettings } from '../resources/users/users.ts';

describe('a workflow with max_running', () => {
  it('never has more node runs leased, and all finish', async () => {
    const room = await stage();
    const second = await scriptedWorker(room.server, room.owner.user.tenant_id);
    const workflow = await workflowOf(room.owner, { max_running: 2 });
    const runId = await start(room, workflow, 10);
    const held: Held[] = [];

    let done = 0;
    for (; done < 10; done += 1) {
      for (const worker of [room.worker, second])
        held.push(...(await worker.acquire(10)).map((order: Order) => ({ order, worker })));
      assert.equal(held.length, Math.min(2, 10 - done));
      assert.equal(await leasedOf(room, workflow), held.length);
      const { order, worker } = held.shift() as Held;
      assert.equal((await worker.succeed(order)).status, 204);
    }

    assert.equal((await look(room.owner, runId)).status, 'success');
  });

  it('counts all its runs together, and leaves other workflows and tenants alone', async () => {
    const room = await stage();
    const { owner, server, worker } = room;
    const capped = await workflowOf(owner, { max_running: 2 });
    const free = await workflowOf(owner, {});
    const runs = [];
    for (const workflow of [capped, capped, free]) runs.push(await start(room, workflow, 3));
    const others = await stage(server);
    const theirs = await start(others, await workflowOf(others.owner, {}), 3);

    const mine = await worker.acquire(10);

    const counts = runs.map((id) => mine.filter(({ run_id }) => run_id === id).length);
    assert.deepEqual(counts, [2, 0, 3]);
    const other = await others.worker.acquire(10);
    assert.deepEqual(
      other.map(({ run_id }) => run_id),
      [theirs, theirs, theirs],
    );
  });

  it('starts in the same call what is ready when a report frees a slot', async () => {
    const room = await stage();
    const { owner, worker } = room;
    const workflow = await workflowOf(owner, { max_running: 1 }, await chainGraph(owner));
    const runs = [await start(room, workflow, 1), await start(room, workflow, 1)];
    const [order] = await worker.acquire(10);

    const next = await exchange(room, worker, await succeeded(worker, order));

    assert.deepEqual(
      next.map(({ run_id, node_key }: Order) => [run_id, node_key]),
      [[runs[0], 'b']],
      'the next step of the run, and nothing of the other run',
    );
    const { attempt_id, lease_token } = next[0];
    const failed = { attempt_id, lease_token, status: 'failure', exit_code: 1 };
    const last = await exchange(room, worker, failed);
    assert.deepEqual(
      last.map(({ run_id, node_key }: Order) => [run_id, node_key]),
      [[runs[1], 'a']],
    );
  });

  it('gives a waiting worker no more of a new run than it may', async () => {
    const room = await stage();
    const { owner, server, worker } = room;
    const workflow = await workflowOf(owner, { max_running: 2 });
    const waits = await waitAt(server, worker, 10);

    await start(room, workflow, 10);

    assert.equal((await waits.answer).leases.length, 2);
    assert.deepEqual(await worker.acquire(10), []);
  });

  it('wakes a waiting worker as soon as another one frees a slot', async (t) => {
    withoutFallback(t);
    const room = await stage();
    const { owner, server, worker } = room;
    const waiting = await scriptedWorker(server, owner.user.tenant_id);
    await start(room, await workflowOf(owner, { max_running: 1 }), 2);
    const [order] = await worker.acquire(10);
    const waits = await waitAt(server, waiting);

    await worker.fail(order);

    assert.equal((await waits.answer).leases.length, 1);
  });

  it('wakes a waiting worker where the one that frees a slot has no room for more', async (t) => {
    withoutFallback(t);
    // Here no poll was planned before.
    const room = await stage(await startServer());
    const { owner, server, worker } = room;
    const waiting = await scriptedWorker(server, owner.user.tenant_id);
    await start(room, await workflowOf(owner, { max_running: 1 }), 2);
    const [{ attempt_id, lease_token }] = await worker.acquire(10);
    const waits = await waitAt(server, waiting);

    const failed = { attempt_id, lease_token, status: 'failure', exit_code: 1 };
    const orders = await exchange(room, worker, failed, { ...roomOfWorker, cpu: 0 });

    assert.deepEqual(orders, []);
    assert.equal((await waits.answer).leases.length, 1);
  });

  it('wakes a waiting worker as soon as it may have more, or is not limited any more', async (t) => {
    withoutFallback(t);
    const room = await stage();
    const { owner, server, worker } = room;
    const workflow = await workflowOf(owner, { max_running: 1 });
    await start(room, workflow, 10);
    assert.equal((await worker.acquire(10)).length, 1);

    const first = await waitAt(server, worker, 10);
    await owner.patch(`/workflows/${workflow.id}`, { max_running: 3 });
    assert.equal((await first.answer).leases.length, 2);

    const second = await waitAt(server, worker, 10);
    await owner.patch(`/workflows/${workflow.id}`, { max_running: null });
    assert.equal((await second.answer).leases.length, 7);
  });

  it('lets go on what runs when it is lowered, and starts nothing until less runs', async () => {
    const room = await stage();
    const { owner, worker } = room;
    const workflow = await workflowOf(owner, {});
    await start(room, workflow, 4);
    const orders = await worker.acquire(3);

    await owner.patch(`/workflows/${workflow.id}`, { max_running: 1 });

    for (const order of orders.slice(0, 2)) {
      assert.deepEqual(await worker.acquire(10), []);
      assert.equal((await worker.succeed(order)).status, 204);
    }
    assert.deepEqual(await worker.acquire(10), []);
    await worker.succeed(orders[2]);
    assert.equal((await worker.acquire(10)).length, 1);
  });

  it('says that its other node runs wait for that', async () => {
    const room = await stage();
    const { owner, worker } = room;
    const runId = await start(room, await workflowOf(owner, { max_running: 2 }), 3);
    assert.deepEqual(await reasonsOf(owner, runId), Array(3).fill('all workers are busy'));

    const [order] = await worker.acquire(10);

    const reason = 'the workflow limit is reached: 2 at once';
    assert.deepEqual(await reasonsOf(owner, runId), [undefined, undefined, reason]);
    await worker.succeed(order);
    assert.equal((await reasonsOf(owner, runId))[2], 'all workers are busy');
  });
});

describe('a tenant with a limit', () => {
  const limit = ({ server, owner }: Stage, max_running_node_runs: number | null) =>
    changeTenantSettings(server.services.db, owner.user.tenant_id, { max_running_node_runs });

  it('never has more node runs leased, of all its workflows together', async () => {
    const room = await stage();
    const { owner, worker } = room;
    await limit(room, 3);
    const runs = [];
    for (const max_running of [2, null])
      runs.push(await start(room, await workflowOf(owner, { max_running }), 4));

    const held = await worker.acquire(10);

    const counts = runs.map((id) => held.filter(({ run_id }) => run_id === id).length);
    assert.deepEqual(counts, [2, 1]);
    const done = [];
    for (let order = held.shift(); order; order = held.shift()) {
      await worker.succeed(order);
      done.push(order);
      held.push(...(await worker.acquire(10)));
      assert.ok(held.length <= 3);
    }
    assert.equal(done.length, 8);
  });

  it('does not keep others waiting', async () => {
    // A worker of the platform takes all work there is.
    const room = await stage(await startServer());
    const others = await stage(room.server);
    const platform = await scriptedWorker(room.server, null);
    await limit(room, 1);
    await start(room, await workflowOf(room.owner, {}), 4);
    const theirs = await start(others, await workflowOf(others.owner, {}), 4);

    const orders = await platform.acquire(10);

    const ours = orders.filter(({ run_id }) => run_id !== theirs);
    assert.deepEqual([ours.length, orders.length], [1, 5]);
  });

  it('says so, and starts what waits as soon as the limit ends', async (t) => {
    withoutFallback(t);
    const room = await stage();
    const { owner, server, worker } = room;
    await limit(room, 1);
    const runId = await start(room, await workflowOf(owner, {}), 3);
    await worker.acquire(10);
    assert.equal((await reasonsOf(owner, runId))[2], 'the tenant limit is reached: 1 at once');
    const waits = await waitAt(server, worker, 10);

    await limit(room, null);

    assert.equal((await waits.answer).leases.length, 2);
  });
});

type Held = { order: Order; worker: ScriptedWorker };
type Workflow = { id: number; version: number };

async function workflowOf(
  owner: Client,
  settings: { max_running?: number | null },
  graph?: object,
): Promise<Workflow> {
  const { body, status } = await owner.post('/workflows', {
    name: 'Test',
    graph: graph ?? mappedGraph(await registerNode(owner, { resources: small })),
    ...settings,
  });
  assert.equal(status, 201);
  return { id: body.id, version: body.latest_version_id };
}

const small = { cpu: 0.01, memory_mb: 16, gpu: 0, disk_mb: 1 };

/** `a`, then `b`, for each file. */
async function chainGraph(owner: Client) {
  const definition = await registerNode(owner, { resources: small });
  const keys = ['a', 'b'];
  return {
    nodes: keys.map((key) => ({ key, node_definition_id: definition, map: true })),
    edges: [
      { from: { input: 'files' }, to: { node: 'a', port: 'in' } },
      { from: { node: 'a', port: 'out' }, to: { node: 'b', port: 'in' } },
    ],
    inputs: [{ name: 'files' }],
    variables: [],
  };
}

let made = 0;

async function start({ owner }: Pick<Stage, 'owner'>, { version }: Workflow, files: number) {
  made += 1;
  const names = Array.from({ length: files }, (_, at) => `${made} ${at}`);
  const { body } = await run(owner, version, { cog_ids: await filesOf(owner, ...names) });
  return body.workflow_run_id as number;
}

async function leasedOf({ server }: Stage, { id }: Workflow): Promise<number> {
  const [row] = await server.services.db<{ leased: number }[]>`
    select count(*) as leased
    from attempts
    join workflow_runs as run on run.id = run_id
    where run.workflow_id = ${id} and attempts.status in ('leased', 'running')
  `;
  return row?.leased ?? 0;
}

const reasonsOf = async (owner: Client, runId: number): Promise<(string | undefined)[]> =>
  (await look(owner, runId)).node_runs.map(({ queue_reason }: Order) => queue_reason);

async function succeeded(worker: ScriptedWorker, { attempt_id, lease_token, node_key }: Order) {
  const outputs = await worker.upload({ attempt_id, lease_token }, [
    { port: 'out', name: 'x', text: node_key },
  ]);
  return { attempt_id, lease_token, status: 'success', exit_code: 0, outputs };
}

async function exchange(
  { server }: Stage,
  { id, token }: ScriptedWorker,
  report: object,
  free = roomOfWorker,
) {
  const { body } = await client(server.url, token).post(`/workers/${id}/exchange`, {
    ...{ reports: [report], free, max: 1 },
  });
  assert.equal(body.accepted[0].result, 'ok');
  return body.orders;
}
