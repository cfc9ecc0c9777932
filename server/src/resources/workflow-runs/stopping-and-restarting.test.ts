import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  filesOf,
  folderOfFiles,
  gatherGraph,
  look,
  run,
  stage,
  versionOf,
} from '../../../test/runs.ts';
import type { Order } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

describe('cancelling', () => {
  it('ends what waits at once, stops what runs, and the run never wakes', async () => {
    const { owner, viewer, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a', 'b') });
    const path = `/workflows/workflow-runs/${body.workflow_run_id}`;
    const [first] = await worker.acquire(1);

    assert.equal((await viewer.post(`${path}/cancel`)).status, 403);
    const cancelled = await owner.post(`${path}/cancel`, { reason: 'no more' });
    assert.equal(cancelled.status, 200);
    assert.equal(cancelled.body.status, 'running');
    assert.ok(cancelled.body.cancel_requested_at);
    assert.deepEqual((await worker.heartbeat([first])).body.cancel, [
      { attempt_id: first.attempt_id, grace_seconds: 10 },
    ]);
    assert.deepEqual(await worker.acquire(), []);

    await worker.complete(first, { status: 'cancelled' });
    const ended = await look(owner, body.workflow_run_id);
    assert.equal(ended.status, 'cancelled');
    assert.deepEqual(
      ended.node_runs.map((row: Order) => row.status),
      ['cancelled', 'cancelled', 'cancelled'],
    );
    assert.equal((await owner.post(`${path}/cancel`)).status, 200);
  });

  it('keeps a result that was accepted before it, and refuses a run that has ended', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
    const path = `/workflows/workflow-runs/${body.workflow_run_id}`;
    await worker.work();

    const { status, body: refused } = await owner.post(`${path}/cancel`);

    assert.equal(status, 409);
    assert.equal(refused.code, 'run_already_finished');
    assert.equal((await look(owner, body.workflow_run_id)).status, 'success');
  });

  it('of a run with a long queue holds up no other run', async () => {
    const { owner, worker, server } = await stage();
    const { db } = server.services;
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const cog_ids = [await folderOfFiles(server, owner, 2101)];
    const { workflow_run_id } = (await run(owner, version, { cog_ids })).body;
    const path = `/workflows/workflow-runs/${workflow_run_id}`;
    const [first] = await worker.acquire(1);

    let cancelling: Promise<{ body: Order }> | undefined;
    await db.transaction(async (tx) => {
      // Ending the queue waits for this row.
      await tx`select from begun_node_runs where run_id = ${workflow_run_id} and status = 'queued'
               order by id desc limit 1 for update`;
      cancelling = owner.post(`${path}/cancel`, {});
      for (let started = 0; started < 5; started += 1) {
        const other = await run(owner, version, { cog_ids: await filesOf(owner, `${started}`) });
        assert.equal(other.status, 202);
      }
    });
    const cancelled = await cancelling;
    await worker.complete(first, { status: 'cancelled' });

    assert.ok(cancelled?.body.cancel_requested_at);
    const ended = await look(owner, workflow_run_id);
    assert.equal(ended.status, 'cancelled');
    assert.ok(ended.node_runs.every((row: Order) => row.status === 'cancelled'));
    assert.equal((await worker.acquire(10)).length, 5);
  });

  it('is the end of work whose outputs turn out to be missing', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
    const [order] = await worker.acquire();
    await owner.post(`/workflows/workflow-runs/${body.workflow_run_id}/cancel`);
    const notStored = { port: 'out', name: 'a', object_id: 1, size_bytes: 1 };
    const outputs = [{ ...notStored, checksum_sha256: '0'.repeat(64) }];

    await worker.complete(order, { status: 'success', exit_code: 0, outputs });

    assert.equal((await look(owner, body.workflow_run_id)).status, 'cancelled');
    assert.deepEqual(await worker.acquire(), []);
  });

  it('cancels a queued run on the spot', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });

    const cancelled = await owner.post(`/workflows/workflow-runs/${body.workflow_run_id}/cancel`);

    assert.equal(cancelled.body.status, 'cancelled');
    assert.deepEqual(await worker.acquire(), []);
  });
});

describe('a run that is to stop with its first failure', () => {
  it('stops too when what fails is a condition', async () => {
    const { owner, worker } = await stage();
    const definition = await registerNode(owner);
    const from = { input: 'files' };
    const graph = {
      nodes: [
        { key: 'asks', node_definition_id: definition, map: true, when: 'vars.limit > 1' },
        { key: 'other', node_definition_id: definition, map: true },
      ],
      edges: ['asks', 'other'].map((node) => ({ from, to: { node, port: 'in' } })),
      inputs: [{ name: 'files' }],
      variables: [{ variable_name: 'limit', type: 'integer' }],
    };
    const version = await versionOf(owner, graph);

    const cog_ids = await filesOf(owner, 'a');
    const { body } = await run(owner, version, { cog_ids, on_failure: 'abort' });

    const ended = await look(owner, body.workflow_run_id);
    assert.equal(ended.status, 'failure');
    assert.deepEqual(
      ended.node_runs.map((row: Order) => [row.status, row.skip_reason]),
      [
        ['failure', undefined],
        ['skipped', 'run_aborted'],
      ],
    );
    assert.deepEqual(await worker.acquire(), []);
  });
});

describe('restarting', () => {
  it('needs the rights that starting needed, as they are now', async () => {
    const { owner, editor, worker } = await stage();
    const version = await versionOf(editor, mappedGraph(await registerNode(editor)));
    const [file] = await filesOf(owner, 'shared');
    const made = await owner.post('/cogs', { name: 'Results', cog_type: 'asset_folder' });
    const folder = made.body.id;
    const share = (cog: unknown, level: string) =>
      owner.post(`/permissions/cogs/${cog}`, {
        target_type: 'cog',
        target_id: cog,
        user_id: editor.user.id,
        level,
      });
    const onFile = await share(file, 'viewer');
    const onFolder = await share(folder, 'editor');
    const { body } = await run(editor, version, { cog_ids: [file], output_parent_id: folder });
    await worker.work();
    const restart = () =>
      editor.post(`/workflows/workflow-runs/${body.workflow_run_id}/restart`, { mode: 'all' });

    await owner.delete(`/permissions/${onFile.body.permission_id}`);
    assert.equal((await restart()).status, 403);
    await share(file, 'viewer');
    await owner.delete(`/permissions/${onFolder.body.permission_id}`);
    assert.equal((await restart()).status, 403);
    await share(folder, 'editor');
    assert.equal((await restart()).status, 202);
  });

  it('makes a new run that takes over what succeeded and runs the rest', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'good', 'bad') });
    const path = `/workflows/workflow-runs/${body.workflow_run_id}`;
    assert.equal((await owner.post(`${path}/restart`)).status, 409);
    await worker.work((order) =>
      order.inputs[0].name === 'bad' ? worker.fail(order) : worker.succeed(order),
    );

    const restarted = await owner.post(`${path}/restart`);
    const orders = await worker.work();

    assert.equal(restarted.status, 202);
    assert.equal(restarted.body.restarted_from_run_id, body.workflow_run_id);
    assert.deepEqual(
      orders.map((order) => [order.node_key, order.shard_index]),
      [
        ['each', 1],
        ['gather', undefined],
      ],
    );
    const ended = await look(owner, restarted.body.workflow_run_id);
    assert.equal(ended.status, 'success');
    assert.equal(ended.node_runs.filter((row: Order) => row.cached).length, 1);
    const old = await look(owner, body.workflow_run_id);
    assert.deepEqual(
      [old.status, old.superseded_by_run_id],
      ['failure', restarted.body.workflow_run_id],
    );
  });

  it('runs again what a changed variable touches, and what follows it', async () => {
    const { owner, worker } = await stage();
    const plain = await registerNode(owner);
    const second = await registerNode(owner, { command: ['x', '{{vars.level}}'] });
    const graph = {
      nodes: [
        { key: 'first', node_definition_id: plain, map: true },
        { key: 'second', node_definition_id: second, map: true },
      ],
      edges: [
        { from: { input: 'files' }, to: { node: 'first', port: 'in' } },
        { from: { node: 'first', port: 'out' }, to: { node: 'second', port: 'in' } },
      ],
      inputs: [{ name: 'files' }],
      variables: [{ variable_name: 'level', type: 'integer', default: 1 }],
    };
    const version = await versionOf(owner, graph);
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a', 'b') });
    await worker.work((order) =>
      order.node_key === 'second' && order.shard_index === 1
        ? worker.fail(order)
        : worker.succeed(order),
    );
    const path = `/workflows/workflow-runs/${body.workflow_run_id}/restart`;

    await owner.post(path, { extra_variables: { level: 2 } });
    const changed = await worker.work();
    await owner.post(path, { mode: 'all' });
    const all = await worker.work();

    assert.deepEqual(
      changed.map((order) => order.node_key),
      ['second', 'second'],
    );
    assert.equal(changed[0].variables.level, 2);
    assert.equal(all.length, 4);
  });

  it('gathers again when there is less to gather than before', async () => {
    const { owner, worker } = await stage();
    const split = await registerNode(owner, {
      command: ['split', '{{vars.parts}}'],
      outputs: [{ name: 'out', glob: '*', cardinality: 'many' }],
    });
    const each = await registerNode(owner);
    const many = [{ name: 'all', cardinality: 'many' }];
    const gather = await registerNode(owner, { inputs: many });
    const link = (from: object, node: string, port = 'in') => ({ from, to: { node, port } });
    const version = await versionOf(owner, {
      nodes: [
        { key: 'split', node_definition_id: split },
        { key: 'each', node_definition_id: each, map: true, when: 'vars.wanted' },
        { key: 'gather', node_definition_id: gather },
        { key: 'bad', node_definition_id: each, map: true },
      ],
      edges: [
        link({ input: 'files' }, 'split'),
        link({ node: 'split', port: 'out' }, 'each'),
        link({ node: 'each', port: 'out' }, 'gather', 'all'),
        link({ input: 'files' }, 'bad'),
      ],
      inputs: [{ name: 'files' }],
      variables: [
        { variable_name: 'parts', type: 'integer', default: 2 },
        { variable_name: 'wanted', type: 'boolean', default: true },
      ],
    });
    const cog_ids = await filesOf(owner, 'a');
    const play = (parts: number) => (order: Order) => {
      if (order.node_key === 'bad') return worker.fail(order);
      if (order.node_key !== 'split') return worker.succeed(order);
      const files = Array.from({ length: parts }, (_, at) => ({ port: 'out', name: `${at}` }));
      return worker.succeed(
        order,
        files.map((file) => ({ ...file, text: file.name })),
      );
    };
    const first = (await run(owner, version, { cog_ids })).body.workflow_run_id;
    await worker.work(play(2));
    const path = `/workflows/workflow-runs/${first}/restart`;

    await owner.post(path, { extra_variables: { wanted: false } });
    const unwanted = await worker.work(play(2));
    await owner.post(path, { extra_variables: { parts: 0 } });
    const without = await worker.work(play(0));
    await owner.post(path);
    const unchanged = await worker.work(play(2));

    const gathered = (orders: Order[]) =>
      orders.filter((order) => order.node_key === 'gather').map((order) => order.inputs.length);
    assert.deepEqual(gathered(unwanted), [0]);
    assert.deepEqual(gathered(without), [0]);
    assert.deepEqual(
      unchanged.map((order) => order.node_key),
      ['bad'],
    );
  });

  it('leaves every file in the input it had', async () => {
    const { owner, worker } = await stage();
    const definition = await registerNode(owner);
    const to = (node: string) => ({ node, port: 'in' });
    const version = await versionOf(owner, {
      nodes: [
        { key: 'single', node_definition_id: definition },
        { key: 'each', node_definition_id: definition, map: true },
      ],
      edges: [
        { from: { input: 'z_single' }, to: to('single') },
        { from: { input: 'a_others' }, to: to('each') },
      ],
      inputs: [{ name: 'z_single' }, { name: 'a_others' }],
      variables: [],
    });
    const cog_ids = await filesOf(owner, 'one', 'two', 'three');
    const first = (await run(owner, version, { cog_ids })).body.workflow_run_id;
    const places = (orders: Order[]) =>
      orders.map((order) => [order.node_key, order.inputs[0].name]);
    const before = places(await worker.work());

    await owner.post(`/workflows/workflow-runs/${first}/restart`, { mode: 'all' });

    assert.deepEqual(places(await worker.work()), before);
  });

  it('publishes the results it took over as files of its own', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'good', 'bad') });
    await worker.work((order) =>
      order.inputs[0].name === 'bad' ? worker.fail(order) : worker.succeed(order),
    );

    const restarted = await owner.post(`/workflows/workflow-runs/${body.workflow_run_id}/restart`);
    await worker.work();

    const ended = await look(owner, restarted.body.workflow_run_id);
    const outputs = ended.run_files.filter((file: Order) => file.direction === 'output');
    assert.equal(outputs.length, 2);
    for (const file of outputs)
      assert.equal((await owner.get(`/cogs/${file.cog_id}/download`)).status, 200);
  });
});
