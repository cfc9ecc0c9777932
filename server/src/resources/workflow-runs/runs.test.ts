import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../test/cast.ts';
import { filesOf, look, progress, run, stage, versionOf } from '../../../test/runs.ts';
import type { Order } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

describe('a run', () => {
  it('goes from queued over running to success, and its results are files', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const cog_ids = await filesOf(owner, 'a.txt', 'b.txt');

    const started = await run(owner, version, { cog_ids });
    const id = started.body.workflow_run_id;
    assert.equal(started.status, 202);
    assert.deepEqual(started.body.cog_ids, cog_ids);
    assert.equal((await look(owner, id)).status, 'queued');

    const orders = await worker.acquire();
    const running = await look(owner, id);
    assert.equal(running.status, 'running');
    assert.equal('progress_percentage' in running, false);
    for (const order of orders)
      await worker.succeed(order, [
        { port: 'out', name: 'out.txt', text: `of ${order.inputs[0].name}` },
      ]);

    const ended = await look(owner, id);
    assert.equal(ended.status, 'success');
    const outputs = ended.run_files.filter((file: Order) => file.direction === 'output');
    assert.deepEqual(outputs.map((file: Order) => file.name).sort(), ['out (2).txt', 'out.txt']);
    const bytes = await owner.get(`/cogs/${outputs[0].cog_id}/download`);
    assert.match(String(bytes.body), /^of [ab]\.txt$/);
    const path = (await owner.get(`/cogs/${outputs[0].cog_id}/path`)).body.map(
      (cog: Order) => cog.name,
    );
    assert.deepEqual(path.slice(1, 4), ['Workflow outputs', 'Test', String(id)]);
    assert.deepEqual(await progress(owner, id), {
      progress_percentage: 100,
      completed_nodes: 1,
      total_nodes: 1,
      current_node: null,
    });
  });

  it('is a partial success when a file fails and others deliver, and says so in plain words', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, {
      cog_ids: await filesOf(owner, 'good', 'bad', 'fine'),
    });

    await worker.work((order) =>
      order.inputs[0].name === 'bad' ? worker.fail(order) : worker.succeed(order),
    );

    const ended = await look(owner, body.workflow_run_id);
    assert.equal(ended.status, 'partial_success');
    assert.equal(ended.error_message, '1 of 3 files failed at each: exit code 1');
    const inputs = ended.run_files.filter((file: Order) => file.direction === 'input');
    assert.deepEqual(
      inputs.map((file: Order) => [file.name, file.status]),
      [
        ['good', 'success'],
        ['bad', 'failure'],
        ['fine', 'success'],
      ],
    );
    assert.equal((await progress(owner, body.workflow_run_id)).progress_percentage, 100);
  });

  it('runs a branch only where its condition holds, and a skip is no failure', async () => {
    const { owner, worker } = await stage();
    const definition = await registerNode(owner);
    const graph = {
      ...mappedGraph(definition, { when: 'file.media_type == "text/plain" && vars.wanted' }),
      variables: [{ variable_name: 'wanted', type: 'boolean', default: true }],
    };
    const version = await versionOf(owner, graph);
    const cog_ids = await filesOf(owner, 'a.txt', 'b.png');

    const { body } = await run(owner, version, { cog_ids });
    const orders = await worker.work();
    const none = await run(owner, version, { cog_ids, extra_variables: { wanted: false } });

    assert.deepEqual(
      orders.map((order) => order.inputs[0].name),
      ['a.txt'],
    );
    const ended = await look(owner, body.workflow_run_id);
    assert.equal(ended.status, 'success');
    assert.deepEqual(
      ended.run_files
        .filter((file: Order) => file.direction === 'input')
        .map((file: Order) => file.status),
      ['success', 'skipped'],
    );
    assert.equal((await look(owner, none.body.workflow_run_id)).status, 'success');
  });

  it('fans out over the files a node makes, and reports what a failed source left out', async () => {
    const { owner, worker } = await stage();
    const split = await registerNode(owner, {
      outputs: [{ name: 'parts', glob: '*', cardinality: 'many' }],
    });
    const each = await registerNode(owner);
    const gather = await registerNode(owner, { inputs: [{ name: 'all', cardinality: 'many' }] });
    const version = await versionOf(owner, {
      nodes: [
        { key: 'split', node_definition_id: split },
        { key: 'each', node_definition_id: each, map: true },
        { key: 'gather', node_definition_id: gather },
      ],
      edges: [
        { from: { input: 'files' }, to: { node: 'split', port: 'in' } },
        { from: { node: 'split', port: 'parts' }, to: { node: 'each', port: 'in' } },
        { from: { node: 'each', port: 'out' }, to: { node: 'gather', port: 'all' } },
      ],
      inputs: [{ name: 'files' }],
      variables: [],
    });
    const cog_ids = await filesOf(owner, 'whole');
    const parts = ['x', 'y', 'z'].map((name) => ({ port: 'parts', name, text: name }));

    const good = (await run(owner, version, { cog_ids })).body.workflow_run_id;
    await worker.work((order) =>
      worker.succeed(order, order.node_key === 'split' ? parts : undefined),
    );
    const bad = (await run(owner, version, { cog_ids })).body.workflow_run_id;
    await worker.work((order) => worker.fail(order));

    const ended = await look(owner, good);
    assert.equal(ended.status, 'success');
    assert.equal(ended.node_runs.filter((row: Order) => row.node_key === 'each').length, 3);
    const failed = await look(owner, bad);
    assert.equal(failed.status, 'failure');
    assert.deepEqual(
      failed.node_runs.map((row: Order) => [row.node_key, row.status, row.skip_reason]),
      [
        ['split', 'failure', undefined],
        ['each', 'skipped', 'upstream_failed'],
        ['gather', 'skipped', 'upstream_failed'],
      ],
    );
  });

  it('pins the bytes its inputs had, whatever becomes of the cogs', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const [id] = await filesOf(owner, 'kept');
    const { body } = await run(owner, version, { cog_ids: [id] });
    await owner.delete(`/cogs/${id}`);

    const [order] = await worker.acquire();

    assert.equal(await (await fetch(order.inputs[0].url)).text(), 'bytes of kept');
    await worker.succeed(order);
    assert.equal((await look(owner, body.workflow_run_id)).status, 'success');
  });

  it('never changes its state again once it has ended', async () => {
    const { owner, worker, server } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
    await worker.work();

    await assert.rejects(
      server.services
        .db`update workflow_runs set status = 'running' where id = ${body.workflow_run_id}`,
      /stays so/,
    );
  });
});

describe('POST …/run refuses', () => {
  it('to start without registry credentials, and nothing is left of the attempt', async () => {
    const { owner } = await cast();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));

    const { status, body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });

    assert.equal(status, 409);
    assert.equal(body.code, 'registry_credentials_missing');
    assert.match(body.detail, /127\.0\.0\.1:5999/);
    assert.deepEqual((await owner.get('/workflows/workflow-runs')).body, []);
  });

  it('files that are unknown, foreign, unreadable, named twice or none at all', async () => {
    const { owner, viewer, stranger } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const [mine] = await filesOf(owner, 'mine');
    const [foreign] = await filesOf(stranger, 'foreign');
    const answer = async (client: Client, cog_ids: unknown) =>
      (await run(client, version, { cog_ids })).status;

    assert.equal(await answer(owner, [mine, 999_999_999]), 404);
    assert.equal(await answer(owner, [foreign]), 404);
    assert.equal(await answer(viewer, [mine]), 403);
    assert.equal(await answer(owner, [mine, mine]), 422);
    assert.equal(await answer(owner, []), 422);
    assert.equal(await answer(owner, ['1']), 422);
    assert.equal((await run(stranger, version, { cog_ids: [foreign] })).status, 404);
  });

  it('files of a media type that no input takes, each by name', async () => {
    const { owner } = await stage();
    const graph = mappedGraph(
      await registerNode(owner, {
        inputs: [{ name: 'in', cardinality: 'one', media_types: ['image/*'] }],
      }),
    );
    const version = await versionOf(owner, {
      ...graph,
      inputs: [{ name: 'files', media_types: ['image/*'] }],
    });

    const { status, body } = await run(owner, version, {
      cog_ids: await filesOf(owner, 'a.png', 'b.txt'),
    });

    assert.equal(status, 422);
    assert.deepEqual(body.detail[0].loc, ['body', 'cog_ids', 1]);
    assert.match(body.detail[0].msg, /b\.txt/);
  });

  it('variables that are unknown, missing or of a wrong type, all at once', async () => {
    const { owner } = await stage();
    const version = await versionOf(owner, {
      ...mappedGraph(await registerNode(owner)),
      variables: [
        { variable_name: 'width', type: 'integer', minimum: 1 },
        { variable_name: 'name', type: 'string', required: true },
      ],
    });

    const { status, body } = await run(owner, version, {
      cog_ids: await filesOf(owner, 'a'),
      extra_variables: { width: 0, nmae: 'x' },
    });

    assert.equal(status, 422);
    assert.deepEqual(body.detail.map((fault: Order) => fault.type).sort(), [
      'missing_variable',
      'too_small',
      'unknown_variable',
    ]);
  });
});

describe('a run that would be too large', () => {
  it('is refused at the start, before anything of it is written', async () => {
    const { owner } = await stage();
    const node_definition_id = await registerNode(owner);
    const nodes = Array.from({ length: 2000 }, (_, index) => ({
      key: `node${index}`,
      node_definition_id,
      map: true,
    }));
    const edges = nodes.map(({ key }) => ({
      from: { input: 'files' },
      to: { node: key, port: 'in' },
    }));
    const graph = { nodes, edges, inputs: [{ name: 'files' }], variables: [] };
    const version = await versionOf(owner, graph);
    const names = Array.from({ length: 126 }, (_, index) => `file ${index}`);

    const { status, body } = await run(owner, version, { cog_ids: await filesOf(owner, ...names) });

    assert.equal(status, 422);
    assert.equal(body.detail[0].type, 'too_many_node_runs');
    assert.deepEqual((await owner.get('/workflows/workflow-runs')).body, []);
  });
});
