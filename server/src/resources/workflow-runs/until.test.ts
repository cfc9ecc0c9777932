import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '../../../test/cast.ts';
import { filesOf, look, progress, run, stage, versionOf } from '../../../test/runs.ts';
import type { Order } from '../../../test/worker.ts';
import { registerNode } from '../../../test/workflows.ts';

const link = (from: object, node: string, port = 'in') => ({ from, to: { node, port } });
const out = (node: string) => ({ node, port: 'out' });

/** `first` and `second` per file, `gather` over all of them, and `aside`, which nothing needs. */
async function chain(client: Client, over: Record<string, unknown> = {}) {
  const one = await registerNode(client);
  const many = await registerNode(client, { inputs: [{ name: 'in', cardinality: 'many' }] });
  return {
    nodes: [
      { key: 'first', node_definition_id: one, map: true },
      { key: 'aside', node_definition_id: one, map: true },
      { key: 'second', node_definition_id: one, map: true },
      { key: 'gather', node_definition_id: many },
    ],
    edges: [
      link({ input: 'files' }, 'first'),
      link({ input: 'files' }, 'aside'),
      link(out('first'), 'second'),
      link(out('second'), 'gather'),
    ],
    inputs: [{ name: 'files' }],
    variables: [],
    ...over,
  };
}

const keysOf = (orders: Order[]) =>
  orders.map(({ node_key, shard_index }) => [node_key, shard_index]);
const namesOf = (files: Order[], direction: string) =>
  files.filter((file) => file.direction === direction).map(({ name }) => name);

describe('a run until a node', () => {
  it('runs what leads to it, and it, and its outputs are the results', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await chain(owner));
    const cog_ids = await filesOf(owner, 'a', 'b');

    const started = await run(owner, version, { cog_ids, until: 'second', keep_results: true });
    const id = started.body.workflow_run_id;
    assert.equal(started.status, 202);
    assert.deepEqual(started.body.cog_ids, cog_ids);
    assert.equal((await progress(owner, id)).total_nodes, 2);
    const orders = await worker.work((order) =>
      worker.succeed(order, [{ port: 'out', name: `${order.node_key}.txt`, text: 'x' }]),
    );

    assert.deepEqual(keysOf(orders), [
      ['first', 0],
      ['first', 1],
      ['second', 0],
      ['second', 1],
    ]);
    const ended = await look(owner, id);
    assert.deepEqual([ended.status, ended.until], ['success', 'second']);
    assert.deepEqual(
      ended.node_runs.map((row: Order) => row.node_key),
      ['first', 'first', 'second', 'second'],
    );
    assert.deepEqual(namesOf(ended.run_files, 'output').sort(), ['second (2).txt', 'second.txt']);
    assert.deepEqual(await progress(owner, id), {
      ...{ progress_percentage: 100, completed_nodes: 2, total_nodes: 2, current_node: null },
    });
  });

  it('of a version that ran before runs that part too, and later runs are of all again', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await chain(owner));
    const cog_ids = await filesOf(owner, 'a');
    const play = async (until?: string) => {
      const { body } = await run(owner, version, { cog_ids, ...(until && { until }) });
      const orders = await worker.work();
      return [(await look(owner, body.workflow_run_id)).status, orders.length];
    };
    assert.deepEqual(await play(), ['success', 4]);
    assert.deepEqual(await play('first'), ['success', 1]);
    assert.deepEqual(await play('first'), ['success', 1]);
    assert.deepEqual(await play('gather'), ['success', 3]);
    assert.deepEqual(await play(), ['success', 4]);
  });

  it('of a node that another continues from fails as that node fails', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await chain(owner));
    const cog_ids = await filesOf(owner, 'good', 'bad');

    const { body } = await run(owner, version, { cog_ids, until: 'first' });
    await worker.work((order) =>
      order.inputs[0].name === 'bad' ? worker.fail(order) : worker.succeed(order),
    );

    const ended = await look(owner, body.workflow_run_id);
    assert.equal(ended.status, 'partial_success');
    assert.equal(ended.error_message, '1 of 2 files failed at first: exit code 1');
  });

  it('restarts as that part', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await chain(owner));
    const cog_ids = await filesOf(owner, 'good', 'bad');
    const { body } = await run(owner, version, { cog_ids, until: 'second' });
    await worker.work((order) =>
      order.inputs[0].name === 'bad' ? worker.fail(order) : worker.succeed(order),
    );

    const path = `/workflows/workflow-runs/${body.workflow_run_id}/restart`;
    const restarted = await owner.post(path);

    assert.deepEqual(keysOf(await worker.work()), [
      ['first', 1],
      ['second', 1],
    ]);
    const ended = await look(owner, restarted.body.workflow_run_id);
    assert.deepEqual([ended.status, ended.until], ['success', 'second']);
  });

  it('needs no sound nodes and no variables beyond those that run', async () => {
    const { owner, worker } = await stage();
    const whole = await chain(owner, {
      variables: [
        { variable_name: 'here', type: 'integer', required: true },
        { variable_name: 'there', type: 'integer', required: true },
      ],
    });
    const [first, aside, second, gather] = whole.nodes;
    const graph = {
      ...whole,
      nodes: [
        { ...first, when: 'vars.here > 1' },
        { ...second, when: 'vars.there > 1' },
        { ...aside, when: 'no condition at all' },
        gather,
      ],
    };
    const version = await versionOf(owner, graph);
    const cog_ids = await filesOf(owner, 'a');
    const start = (until: string | undefined, extra_variables: object) =>
      run(owner, version, { cog_ids, extra_variables, ...(until && { until }) });

    assert.equal((await start(undefined, { here: 2, there: 2 })).status, 422);
    assert.equal((await start('aside', { here: 2, there: 2 })).status, 422);
    const missing = await start('first', {});
    assert.equal(missing.status, 422);
    assert.deepEqual(
      missing.body.detail.map((fault: Order) => fault.loc),
      [['body', 'extra_variables', 'here']],
    );
    assert.equal((await start('second', { here: 2 })).status, 422);
    assert.equal((await start('first', { here: 2, there: 'x' })).status, 422);
    assert.equal((await start('first', { here: 2 })).status, 202);
    assert.equal((await start('first', { here: 2, there: 3 })).status, 202);
    assert.equal((await worker.work()).length, 2);
  });

  it('takes the files that these nodes take in a run of all', async () => {
    const { owner, worker } = await stage();
    const one = await registerNode(owner);
    const none = await registerNode(owner, { inputs: [] });
    const version = await versionOf(owner, {
      nodes: [
        { key: 'template', node_definition_id: one },
        { key: 'photos', node_definition_id: one, map: true },
        { key: 'alone', node_definition_id: none },
      ],
      edges: [link({ input: 'one' }, 'template'), link({ input: 'all' }, 'photos')],
      inputs: [{ name: 'one' }, { name: 'all' }],
      variables: [],
    });
    const cog_ids = await filesOf(owner, 'a', 'b', 'c');
    const play = async (until: string, ids = cog_ids) => {
      const { body, status } = await run(owner, version, { cog_ids: ids, until });
      if (status !== 202) return body.detail[0].type;
      await worker.work();
      return namesOf((await look(owner, body.workflow_run_id)).run_files, 'input');
    };

    assert.deepEqual(await play('template'), ['a']);
    assert.deepEqual(await play('photos'), ['b', 'c']);
    assert.deepEqual(await play('alone'), []);
    assert.deepEqual(await play('alone', []), []);
    assert.equal(await play('photos', []), 'empty');
    assert.equal(await play('photos', cog_ids.slice(0, 1)), 'empty');
  });

  it('needs the right to every file that is given', async () => {
    const { owner, viewer } = await stage();
    const version = await versionOf(owner, await chain(owner));
    const cog_ids = await filesOf(owner, 'private');

    assert.equal((await run(viewer, version, { cog_ids, until: 'first' })).status, 403);
    assert.deepEqual((await viewer.get('/workflows/workflow-runs')).body, []);
  });

  it('is refused for a node that the version does not have, and to other tenants', async () => {
    const { owner, stranger } = await stage();
    const version = await versionOf(owner, await chain(owner));
    const cog_ids = await filesOf(owner, 'a');

    for (const until of ['third', '', 'FIRST', '__proto__']) {
      const { status, body } = await run(owner, version, { cog_ids, until });
      assert.equal(status, 422);
      assert.deepEqual(
        [body.detail[0].loc, body.detail[0].type],
        [['body', 'until'], 'unknown_node'],
      );
    }
    assert.equal((await run(owner, version, { cog_ids, until: 1 })).status, 422);
    assert.equal((await run(owner, version, { cog_ids, until: 'x'.repeat(101) })).status, 422);
    assert.equal((await run(stranger, version, { cog_ids, until: 'first' })).status, 404);
    assert.deepEqual((await owner.get('/workflows/workflow-runs')).body, []);
  });
});
