import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '../../../test/cast.ts';
import { filesOf, gatherGraph, look, run, stage, versionOf } from '../../../test/runs.ts';
import type { Order } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

const placesOf = (orders: Order[]) => orders.map((order) => [order.node_key, order.shard_index]);
const link = (from: object, node: string) => ({ from, to: { node, port: 'in' } });

/** `first`, then `second`, per file; the command of `second` is given. */
async function chain(client: Client, command: string[] = ['true']) {
  return {
    nodes: [
      { key: 'first', node_definition_id: await registerNode(client), map: true },
      { key: 'second', node_definition_id: await registerNode(client, { command }), map: true },
    ],
    edges: [link({ input: 'files' }, 'first'), link({ node: 'first', port: 'out' }, 'second')],
    inputs: [{ name: 'files' }],
    variables: [{ variable_name: 'level', type: 'integer', default: 1 }],
  };
}

/** Another version of the same workflow. */
async function changed(client: Client, version: number, graph: object): Promise<number> {
  const { body } = await client.get(`/workflows/workflow-versions/${version}`);
  return (await client.post(`/workflows/${body.workflow_id}/versions`, { graph })).body.id;
}

async function started(client: Client, version: number, body: Record<string, unknown>) {
  const answer = await run(client, version, body);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body.workflow_run_id as number;
}

describe('a run that reuses an ended one', () => {
  it('goes on where a run until a node ended, and says what is from where', async () => {
    const { owner, worker, server } = await stage();
    const version = await versionOf(owner, await chain(owner));
    const cog_ids = await filesOf(owner, 'a', 'b');
    const first = await started(owner, version, { cog_ids, until: 'first' });
    await worker.work();

    const id = await started(owner, version, { cog_ids, reuse_from_run_id: first });
    assert.deepEqual(placesOf(await worker.work()), [
      ['second', 0],
      ['second', 1],
    ]);

    const [then, now] = [await look(owner, first), await look(owner, id)];
    assert.deepEqual([now.status, now.reuse_from_run_id], ['success', first]);
    assert.deepEqual(
      [now.restarted_from_run_id, then.superseded_by_run_id],
      [undefined, undefined],
    );
    assert.deepEqual(
      now.node_runs.map((row: Order) => [row.cached, row.reused_from_node_run_id]),
      [
        ...then.node_runs.map((row: Order) => [true, row.id]),
        [false, undefined],
        [false, undefined],
      ],
    );
    // It was the last step of the run before, where its outputs became files.
    const contents = (run: typeof now) =>
      run.node_runs[0].outputs.map(({ cog_id: _, ...output }: { cog_id?: number }) => output);
    assert.deepEqual(contents(now), contents(then));
    assert.equal(now.node_runs[0].outputs[0].cog_id, undefined);
    const { db } = server.services;
    const [charged] = await db`select count(*) from usage_events where run_id = ${id}`;
    assert.equal(charged?.count, 2);
  });

  it('takes over what another version did not change, and publishes it as its own', async () => {
    const { owner, worker } = await stage();
    const graph = await chain(owner);
    const version = await versionOf(owner, graph);
    const cog_ids = await filesOf(owner, 'a');
    const first = await started(owner, version, { cog_ids });
    await worker.work();
    const [one, two] = graph.nodes as [Order, Order];
    const other = await registerNode(owner);
    const play = async (nodes: Order[], edges: object[] = graph.edges) => {
      const next = await changed(owner, version, { ...graph, nodes, edges });
      const id = await started(owner, next, { cog_ids, reuse_from_run_id: first });
      const ran = (await worker.work()).map((order) => order.node_key);
      return [(await look(owner, id)).status, ...ran];
    };

    assert.deepEqual(await play([one, two]), ['success']);
    assert.deepEqual(await play([{ ...one, title: 'One', position: { x: 1, y: 1 } }, two]), [
      'success',
    ]);
    assert.deepEqual(await play([one, { ...two, node_definition_id: other }]), [
      'success',
      'second',
    ]);
    assert.deepEqual(await play([{ ...one, node_definition_id: other }, two]), [
      ...['success', 'first', 'second'],
    ]);
    assert.deepEqual(
      await play([one, two], [graph.edges[0], link({ input: 'files' }, 'second')] as object[]),
      [...['success', 'second']],
    );
    const same = await started(owner, version, { cog_ids, reuse_from_run_id: first });
    const { run_files } = await look(owner, same);
    const results = run_files.filter((file: Order) => file.direction === 'output');
    assert.equal(results.length, 1);
    assert.equal((await owner.get(`/cogs/${results[0].cog_id}/download`)).status, 200);
  });

  it('takes over the files that it had too, wherever they are in the list', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner));
    const [a, b, c] = (await filesOf(owner, 'a', 'b', 'c')) as [number, number, number];
    const first = await started(owner, version, { cog_ids: [a, b] });
    await worker.work((order) =>
      worker.succeed(order, [{ port: 'out', name: 'of', text: `of ${order.inputs[0].name}` }]),
    );
    const play = async (cog_ids: number[]) => {
      const id = await started(owner, version, { cog_ids, reuse_from_run_id: first });
      const ran = placesOf(await worker.work());
      const { node_runs } = await look(owner, id);
      return { ran, sources: node_runs.map((row: Order) => row.reused_from_node_run_id) };
    };
    const [ofA, ofB, ofAll] = (await look(owner, first)).node_runs.map((row: Order) => row.id);

    assert.deepEqual(await play([a, b]), { ran: [], sources: [ofA, ofB, ofAll] });
    assert.deepEqual(await play([b, a]), {
      ...{ ran: [['gather', undefined]], sources: [ofB, ofA, undefined] },
    });
    assert.deepEqual(await play([c, b]), {
      ran: [
        ['each', 0],
        ['gather', undefined],
      ],
      sources: [undefined, ofB, undefined],
    });
    assert.deepEqual((await play([a])).ran, [['gather', undefined]]);
  });

  it('runs again what gets other bytes or another name, and what a changed variable touches', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await chain(owner, ['x', '{{vars.level}}']));
    const cog_ids = await filesOf(owner, 'a');
    const first = await started(owner, version, { cog_ids });
    await worker.work();
    const play = async (body: Record<string, unknown>) => {
      await started(owner, version, { cog_ids, reuse_from_run_id: first, ...body });
      return (await worker.work()).map((order) => order.node_key);
    };
    const twin = (await owner.upload('twin', 'bytes of a')).body.id;
    const copy = await owner.post('/cogs', { name: 'Elsewhere', cog_type: 'asset_folder' });
    const same = (await owner.upload('a', 'bytes of a', copy.body.id)).body.id;

    assert.deepEqual(await play({ extra_variables: { level: 1 } }), []);
    assert.deepEqual(await play({ extra_variables: { level: 2 } }), ['second']);
    assert.deepEqual(await play({ cog_ids: [twin] }), ['first', 'second']);
    assert.deepEqual(await play({ cog_ids: [same] }), []);
  });

  it('runs again what failed, and a command that has the id of the run', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await chain(owner, ['x', '{{run.id}}']));
    const cog_ids = await filesOf(owner, 'good', 'bad');
    const first = await started(owner, version, { cog_ids });
    await worker.work((order) =>
      order.inputs[0].name === 'bad' ? worker.fail(order) : worker.succeed(order),
    );

    await started(owner, version, { cog_ids, reuse_from_run_id: first });

    assert.deepEqual(placesOf(await worker.work()).sort(), [
      ['first', 1],
      ['second', 0],
      ['second', 1],
    ]);
  });

  it('is refused for runs under way, of other workflows, of other tenants and unknown ones', async () => {
    const { owner, stranger, worker } = await stage();
    const graph = mappedGraph(await registerNode(owner));
    const version = await versionOf(owner, graph);
    const cog_ids = await filesOf(owner, 'a');
    const other = await started(owner, await versionOf(owner, graph), { cog_ids });
    await worker.work();
    const under = await started(owner, version, { cog_ids });
    const before = (await owner.get('/workflows/workflow-runs')).body;
    const refused = async (reuse_from_run_id: unknown, client = owner) => {
      const { status, body } = await run(client, version, { cog_ids, reuse_from_run_id });
      return [status, body.code ?? body.detail?.[0]?.type];
    };

    assert.deepEqual(await refused(under), [409, 'run_not_finished']);
    assert.deepEqual(await refused(other), [422, 'other_workflow']);
    assert.equal((await refused(999_999_999))[0], 404);
    assert.equal((await refused('1 or so'))[0], 422);
    assert.equal((await refused(other, stranger))[0], 404);
    const theirs = await versionOf(stranger, mappedGraph(await registerNode(stranger)));
    const given = { cog_ids: await filesOf(stranger, 'a'), reuse_from_run_id: other };
    assert.equal((await run(stranger, theirs, given)).status, 404);
    await owner.post(`/workflows/workflow-runs/${under}/cancel`);
    await owner.delete(`/workflows/workflow-runs/${under}`);
    assert.equal((await refused(under))[0], 404);
    assert.equal((await owner.get('/workflows/workflow-runs')).body.length, before.length - 1);
  });

  it('needs what a restart of that run needs: who started it, and rights to all its files', async () => {
    const { owner, editor, worker } = await stage();
    const version = await versionOf(editor, mappedGraph(await registerNode(editor)));
    const [shared, other] = (await filesOf(owner, 'shared', 'other')) as [number, number];
    const share = (cog: number) =>
      owner.post(`/permissions/cogs/${cog}`, {
        ...{ target_type: 'cog', target_id: cog, user_id: editor.user.id, level: 'viewer' },
      });
    await share(shared);
    const grant = await share(other);
    const theirs = await started(editor, version, { cog_ids: [shared, other] });
    const mine = await started(owner, version, { cog_ids: [shared] });
    await worker.work();
    const reuse = (reuse_from_run_id: number) =>
      run(editor, version, { cog_ids: [shared], reuse_from_run_id });

    assert.equal((await reuse(theirs)).status, 202);
    assert.equal((await reuse(mine)).status, 403);
    await owner.delete(`/permissions/${grant.body.permission_id}`);
    assert.equal((await reuse(theirs)).status, 403);
    await share(other);
    assert.equal((await reuse(theirs)).status, 202);
    await owner.delete(`/cogs/${other}`);
    assert.equal((await reuse(theirs)).status, 404);
    assert.deepEqual(await worker.work(), []);
  });
});
