import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '../../../test/cast.ts';
import { filesOf, gatherGraph, look, run, stage, versionOf } from '../../../test/runs.ts';
import type { Order, ScriptedWorker } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

const placesOf = (rows: Order[]) => rows.map((row) => [row.node_key, row.shard_index]);
const statesOf = ({ node_runs }: Order) =>
  node_runs.map((row: Order) => [row.node_key, row.status, row.cached]);
const failsAt =
  (worker: ScriptedWorker, ...names: string[]) =>
  (order: Order) =>
    names.includes(order.inputs[0].name)
      ? worker.fail(order, { exit_code: 3 })
      : worker.succeed(order);

/** `each` per file and `gather` over all that succeed, at least one. */
const tolerant = (client: Client) => gatherGraph(client, undefined, 'continue');

async function ended(client: Client, version: number, body: object, work: () => Promise<unknown>) {
  const { workflow_run_id } = (await run(client, version, body as Record<string, unknown>)).body;
  await work();
  const restart = (given: object) =>
    client.post(`/workflows/workflow-runs/${workflow_run_id}/restart`, given);
  return { id: workflow_run_id as number, restart };
}

describe('restarting only some node runs', () => {
  it('runs them and what depends on them, and takes the rest over as it ended', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await tolerant(owner));
    const cog_ids = await filesOf(owner, 'good', 'bad', 'worse');
    const work = () => worker.work(failsAt(worker, 'bad', 'worse'));
    const { id, restart } = await ended(owner, version, { cog_ids }, work);
    const before = await look(owner, id);

    const only = [{ node_key: 'each', shard_index: 1 }];
    const answer = await restart({ only });
    const orders = await worker.work();

    assert.equal(answer.status, 202);
    assert.deepEqual(answer.body.cog_ids, cog_ids);
    assert.deepEqual(placesOf(orders), [
      ['each', 1],
      ['gather', undefined],
    ]);
    assert.equal(orders[1].inputs.length, 2);
    const after = await look(owner, answer.body.workflow_run_id);
    assert.deepEqual(statesOf(after), [
      ['each', 'success', true],
      ['each', 'success', false],
      ['each', 'failure', true],
      ['gather', 'success', false],
    ]);
    assert.deepEqual([after.status, after.restarted_from_run_id], ['partial_success', id]);
    assert.deepEqual(after.restart_only, only);
    assert.equal(after.error_message, '1 of 3 files failed at each: exit code 3');
    for (const at of [0, 2]) {
      const [now, then] = [after.node_runs[at], before.node_runs[at]];
      assert.equal(now.reused_from_node_run_id, then.id);
      assert.deepEqual([now.outputs, now.error_class], [then.outputs, then.error_class]);
      assert.equal(now.attempt, 0);
    }
    assert.equal((await look(owner, id)).superseded_by_run_id, answer.body.workflow_run_id);
  });

  it('runs all files of a node that is named without an index, after a success too', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner));
    const cog_ids = await filesOf(owner, 'a', 'b');
    const { restart } = await ended(owner, version, { cog_ids }, () => worker.work());

    await restart({ only: [{ node_key: 'gather' }] });
    assert.deepEqual(placesOf(await worker.work()), [['gather', undefined]]);
    await restart({ only: [{ node_key: 'each' }, { node_key: 'each', shard_index: 0 }] });
    assert.equal((await worker.work()).length, 3);
  });

  it('charges for nothing that did not run, and publishes the results as files', async () => {
    const { owner, worker, server } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const cog_ids = await filesOf(owner, 'a', 'b', 'c');
    const { restart } = await ended(owner, version, { cog_ids }, () => worker.work());

    const { body } = await restart({ only: [{ node_key: 'each', shard_index: 2 }] });
    await worker.work();

    const { db } = server.services;
    const run_id = body.workflow_run_id;
    const charged = await db`
      select shard_index
      from usage_events
      join attempts on attempts.id = attempt_id
      join begun_node_runs as node on node.id = attempts.node_run_id
      where attempts.run_id = ${run_id}
    `;
    assert.deepEqual(
      charged.map((row) => row.shard_index),
      [2],
    );
    const { run_files } = await look(owner, run_id);
    const outputs = run_files.filter((file: Order) => file.direction === 'output');
    assert.equal(outputs.length, 3);
    for (const { cog_id } of outputs)
      assert.equal((await owner.get(`/cogs/${cog_id}/download`)).status, 200);
  });

  it('runs what a cancel had stopped', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner));
    const cog_ids = await filesOf(owner, 'a', 'b', 'c');
    const { body } = await run(owner, version, { cog_ids });
    const path = `/workflows/workflow-runs/${body.workflow_run_id}`;
    const [first] = await worker.acquire(1);
    await worker.succeed(first);
    await owner.post(`${path}/cancel`);

    const only = [{ node_key: 'each', shard_index: 2 }];
    const answer = await owner.post(`${path}/restart`, { only });

    assert.deepEqual(placesOf(await worker.work()), [
      ['each', 1],
      ['each', 2],
      ['gather', undefined],
    ]);
    assert.equal((await look(owner, answer.body.workflow_run_id)).status, 'success');
  });

  it('is not stopped by a failure taken over where the first failure stops the run', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const cog_ids = await filesOf(owner, 'bad', 'b', 'c');
    const given = { cog_ids, on_failure: 'abort' };
    const { restart } = await ended(owner, version, given, async () => {
      const [first, ...others] = await worker.acquire(3);
      await worker.fail(first);
      for (const order of others) await worker.complete(order, { status: 'cancelled' });
    });

    const kept = await restart({ only: [{ node_key: 'each', shard_index: 1 }] });
    const orders = await worker.work();
    const again = await owner.post(
      `/workflows/workflow-runs/${kept.body.workflow_run_id}/restart`,
      { only: [{ node_key: 'each', shard_index: 1 }] },
    );
    await worker.work((order) => worker.fail(order));

    assert.deepEqual(placesOf(orders), [
      ['each', 1],
      ['each', 2],
    ]);
    assert.equal((await look(owner, kept.body.workflow_run_id)).status, 'partial_success');
    assert.deepEqual(statesOf(await look(owner, again.body.workflow_run_id)), [
      ['each', 'failure', true],
      ['each', 'failure', false],
      ['each', 'success', true],
    ]);
  });

  it('restarts once more like any run: what failed runs, what was taken over stays', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await tolerant(owner));
    const cog_ids = await filesOf(owner, 'good', 'bad', 'worse');
    const work = () => worker.work(failsAt(worker, 'bad', 'worse'));
    const { restart } = await ended(owner, version, { cog_ids }, work);
    const some = await restart({ only: [{ node_key: 'each', shard_index: 1 }] });
    await worker.work();

    const path = `/workflows/workflow-runs/${some.body.workflow_run_id}/restart`;
    const rest = await owner.post(path);

    assert.deepEqual(placesOf(await worker.work()), [
      ['each', 2],
      ['gather', undefined],
    ]);
    const { status, restart_only } = await look(owner, rest.body.workflow_run_id);
    assert.deepEqual([status, restart_only], ['success', undefined]);
  });

  it('takes a changed variable if only what runs again uses it', async () => {
    const { owner, worker } = await stage();
    const plain = await registerNode(owner);
    const asking = await registerNode(owner, { command: ['x', '{{vars.level}}'] });
    const link = (from: object, node: string) => ({ from, to: { node, port: 'in' } });
    const version = await versionOf(owner, {
      nodes: [
        { key: 'first', node_definition_id: plain, map: true, when: 'vars.wanted' },
        { key: 'second', node_definition_id: asking, map: true },
      ],
      edges: [link({ input: 'files' }, 'first'), link({ node: 'first', port: 'out' }, 'second')],
      inputs: [{ name: 'files' }],
      variables: [
        { variable_name: 'level', type: 'integer', default: 1 },
        { variable_name: 'wanted', type: 'boolean', default: true },
      ],
    });
    const cog_ids = await filesOf(owner, 'a', 'b');
    const { restart } = await ended(owner, version, { cog_ids }, () => worker.work());
    const refused = async (given: object) => {
      const { status, body } = await restart(given);
      assert.equal(status, 422);
      return [body.detail[0].loc, body.detail[0].type];
    };

    const level = ['body', 'extra_variables', 'level'];
    const only = [{ node_key: 'second', shard_index: 0 }];
    assert.deepEqual(await refused({ only, extra_variables: { level: 2 } }), [
      ...[level, 'not_run_again'],
    ]);
    const all = [{ node_key: 'second' }];
    assert.deepEqual(await refused({ only: all, extra_variables: { wanted: false } }), [
      ...[['body', 'extra_variables', 'wanted'], 'not_run_again'],
    ]);
    assert.deepEqual(await worker.work(), []);

    const answer = await restart({ only: all, extra_variables: { level: 2, wanted: true } });
    assert.equal(answer.status, 202);
    const orders = await worker.work();
    assert.deepEqual(placesOf(orders), [
      ['second', 0],
      ['second', 1],
    ]);
    assert.equal(orders[0].variables.level, 2);
  });

  it('is refused for what the run does not have, with every fault', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner));
    const cog_ids = await filesOf(owner, 'a', 'b');
    const { id, restart } = await ended(owner, version, { cog_ids }, () => worker.work());
    const before = await look(owner, id);

    const only = [
      { node_key: 'third' },
      { node_key: 'each', shard_index: 1 },
      { node_key: 'each', shard_index: 2 },
      { node_key: 'gather', shard_index: 0 },
      { node_key: '__proto__', shard_index: 0 },
    ];
    const { status, body } = await restart({ only });
    assert.equal(status, 422);
    assert.deepEqual(
      body.detail.map((fault: Order) => [...fault.loc.slice(1), fault.type]),
      [
        ['only', 0, 'node_key', 'unknown_node'],
        ['only', 2, 'shard_index', 'out_of_range'],
        ['only', 3, 'shard_index', 'out_of_range'],
        ['only', 4, 'node_key', 'unknown_node'],
      ],
    );
    const each = { node_key: 'each' };
    for (const given of [
      { only: [] },
      { only: [{ ...each, shard_index: -1 }] },
      { only: [{ ...each, shard_index: 0.5 }] },
      { only: [{ shard_index: 1 }] },
      { only: [{ ...each, cog_id: 1 }] },
      { only: Array(1001).fill(each) },
      { only: [each], mode: 'failed' },
    ])
      assert.equal((await restart(given)).status, 422, JSON.stringify(given));
    assert.deepEqual(await look(owner, id), before);
    assert.equal((await owner.get('/workflows/workflow-runs')).body.length, 1);
  });

  it('is refused for what a failure skipped, unless that runs again too', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner));
    const cog_ids = await filesOf(owner, 'good', 'bad');
    const work = () => worker.work(failsAt(worker, 'bad'));
    const { restart } = await ended(owner, version, { cog_ids }, work);

    const gather = { node_key: 'gather' };
    const { status, body } = await restart({ only: [gather] });
    assert.equal(status, 422);
    const [{ loc, type }] = body.detail;
    assert.deepEqual([loc, type], [['body', 'only', 0], 'upstream_failed']);
    assert.deepEqual(await worker.work(), []);

    const answer = await restart({ only: [gather, { node_key: 'each', shard_index: 1 }] });
    assert.equal(answer.status, 202);
    assert.equal((await worker.work()).length, 2);
  });

  it('is refused for a file that failed before, but not for a node that has other files', async () => {
    const { owner, worker } = await stage();
    const definition = await registerNode(owner);
    const link = (from: object, node: string) => ({ from, to: { node, port: 'in' } });
    const version = await versionOf(owner, {
      ...{ inputs: [{ name: 'files' }], variables: [] },
      nodes: ['first', 'second'].map((key) => ({ key, node_definition_id: definition, map: true })),
      edges: [link({ input: 'files' }, 'first'), link({ node: 'first', port: 'out' }, 'second')],
    });
    const cog_ids = await filesOf(owner, 'good', 'bad');
    const work = () => worker.work(failsAt(worker, 'bad'));
    const { restart } = await ended(owner, version, { cog_ids }, work);
    const second = { node_key: 'second' };

    assert.equal((await restart({ only: [second] })).status, 202);
    assert.deepEqual(placesOf(await worker.work()), [['second', 0]]);
    const refused = await restart({
      only: [
        { ...second, shard_index: 0 },
        { ...second, shard_index: 1 },
      ],
    });
    assert.deepEqual([refused.status, refused.body.detail[0].loc], [422, ['body', 'only', 1]]);
    const besides = await restart({ only: [second, { ...second, shard_index: 1 }] });
    assert.deepEqual([besides.status, besides.body.detail?.[0].loc], [422, ['body', 'only', 1]]);
    assert.deepEqual(await worker.work(), []);
  });

  it('needs a run that has ended, of the same tenant, and the right to restart it', async () => {
    const { owner, viewer, stranger, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
    const path = `/workflows/workflow-runs/${body.workflow_run_id}/restart`;
    const only = [{ node_key: 'each' }];

    assert.equal((await owner.post(path, { only })).body.code, 'run_not_finished');
    await worker.work();
    assert.equal((await viewer.post(path, { only })).status, 403);
    assert.equal((await stranger.post(path, { only })).status, 404);
    assert.equal((await owner.post(path, { only })).status, 202);
  });

  it('needs the right to every file of the run, also for what does not run again', async () => {
    const { owner, editor, worker } = await stage();
    const version = await versionOf(editor, mappedGraph(await registerNode(editor)));
    const cog_ids = await filesOf(owner, 'shared', 'other');
    const grants = await Promise.all(
      cog_ids.map((cog) =>
        owner.post(`/permissions/cogs/${cog}`, {
          ...{ target_type: 'cog', target_id: cog, user_id: editor.user.id, level: 'viewer' },
        }),
      ),
    );
    const { restart } = await ended(editor, version, { cog_ids }, () => worker.work());
    await owner.delete(`/permissions/${grants[1]?.body.permission_id}`);

    const only = [{ node_key: 'each', shard_index: 0 }];
    assert.equal((await restart({ only })).status, 403);
    assert.deepEqual(await worker.work(), []);
  });
});
