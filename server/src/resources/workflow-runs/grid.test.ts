import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { grid, gridPages, lines, listedCells, shownCells } from '../../../test/grids.ts';
import { filesOf, gatherGraph, look, run, stage, versionOf } from '../../../test/runs.ts';
import type { Order } from '../../../test/worker.ts';
import { registerNode } from '../../../test/workflows.ts';

const link = (from: object, node: string, port = 'in') => ({ from, to: { node, port } });
const many = [{ name: 'out', glob: '*', cardinality: 'many' }];
const countsOf = ({ nodes }: Order) => nodes.map(({ counts }: Order) => counts);

/** `split` makes files of one; `each` and `last` run for each of these, then `gather` for all. */
async function splitting() {
  const people = await stage();
  const { owner } = people;
  const split = await registerNode(owner, { outputs: many });
  const each = await registerNode(owner);
  const gather = await registerNode(owner, { inputs: [{ name: 'all', cardinality: 'many' }] });
  const version = await versionOf(owner, {
    nodes: [
      { key: 'split', node_definition_id: split },
      { key: 'each', node_definition_id: each, map: true },
      { key: 'last', node_definition_id: each, map: true, when: "file.name != 'b'" },
      { key: 'gather', node_definition_id: gather },
    ],
    edges: [
      link({ input: 'files' }, 'split'),
      link({ node: 'split', port: 'out' }, 'each'),
      link({ node: 'each', port: 'out' }, 'last'),
      link({ node: 'last', port: 'out' }, 'gather', 'all'),
    ],
    inputs: [{ name: 'files' }],
    variables: [],
  });
  const cog_ids = await filesOf(owner, 'whole');
  const start = async (how: object = {}): Promise<number> =>
    (await run(owner, version, { cog_ids, ...how })).body.workflow_run_id;
  return { ...people, start };
}

const into = (...names: string[]) => names.map((name) => ({ port: 'out', name, text: name }));

describe('the grid of a run', () => {
  it('has a row for each file and a letter for each node, at every moment', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner, 0.5));
    const cog_ids = await filesOf(owner, 'c', 'a', 'b');
    const id = (await run(owner, version, { cog_ids })).body.workflow_run_id;

    const begun = (await grid(owner, id)).body;
    const [first, second] = await worker.acquire(2);
    const running = (await grid(owner, id)).body;
    await worker.succeed(first);
    await worker.fail(second);
    const [third] = await worker.acquire(1);
    await worker.succeed(third);
    const gathering = (await grid(owner, id)).body;
    const [gather] = await worker.acquire(1);
    await worker.succeed(gather);
    const ended = (await grid(owner, id)).body;

    assert.deepEqual(begun, {
      nodes: [
        { node_key: 'each', group: 0, counts: { q: 3 } },
        { node_key: 'gather', cell: 'p', counts: { p: 1 } },
      ],
      groups: [{ input: 'files', count: 3 }],
      rows: [
        { group: 0, shard_index: 0, cog_id: cog_ids[0], name: 'c', cells: 'q-' },
        { group: 0, shard_index: 1, cog_id: cog_ids[1], name: 'a', cells: 'q-' },
        { group: 0, shard_index: 2, cog_id: cog_ids[2], name: 'b', cells: 'q-' },
      ],
    });
    assert.deepEqual(lines(running), ['c r-', 'a r-', 'b q-']);
    assert.deepEqual(countsOf(running), [{ q: 1, r: 2 }, { p: 1 }]);
    assert.deepEqual(lines(gathering), ['c s-', 'a f-', 'b s-']);
    assert.deepEqual(gathering.nodes[1], { node_key: 'gather', cell: 'q', counts: { q: 1 } });
    assert.deepEqual(countsOf(ended), [{ s: 2, f: 1 }, { s: 1 }]);
  });

  it('says what its node runs say, whatever a run has been through', async () => {
    const { owner, worker, start } = await splitting();
    const check = async (id: number) =>
      assert.deepEqual(await shownCells(owner, id), await listedCells(owner, id));
    const playing = async (id: number, play: (order: Order) => Promise<unknown>) => {
      await check(id);
      for (;;) {
        const orders: Order[] = await worker.acquire(1);
        if (orders.length === 0) return check(id);
        for (const order of orders) await play(order);
        await check(id);
      }
    };
    const play = (order: Order) => {
      if (order.node_key === 'split') return worker.succeed(order, into('a', 'b', 'c'));
      const failing = order.node_key === 'last' && order.inputs[0].name === 'a';
      return failing ? worker.fail(order) : worker.succeed(order, into(order.inputs[0]?.name));
    };

    const first = await start();
    await playing(first, play);
    const again = (await owner.post(`/workflows/workflow-runs/${first}/restart`, {})).body;
    await playing(again.workflow_run_id, (order) => worker.succeed(order, into('x')));
    const only = [{ node_key: 'last', shard_index: 2 }];
    const some = await owner.post(`/workflows/workflow-runs/${first}/restart`, { only });
    await playing(some.body.workflow_run_id, (order) => worker.succeed(order, into('x')));
    const empty = await start();
    await playing(empty, (order) => worker.succeed(order, []));
    const failed = await start();
    await playing(failed, (order) => worker.fail(order));
    const stopped = await start();
    await playing(stopped, async (order) => {
      if (order.node_key === 'split') return play(order);
      await owner.post(`/workflows/workflow-runs/${stopped}/cancel`, {});
      await check(stopped);
      return worker.complete(order, { status: 'cancelled' });
    });
    const aborted = await start({ on_failure: 'abort' });
    await playing(aborted, (order) =>
      order.node_key === 'split' ? play(order) : worker.fail(order),
    );

    const letters = async (id: number) => (await grid(owner, id)).body.nodes.map(oneNode);
    const oneNode = ({ counts }: Order) => Object.keys(counts).join('');
    assert.deepEqual(await letters(first), ['s', 's', 'sfn', 'b']);
    assert.deepEqual(await letters(again.workflow_run_id), ['u', 'u', 'sun', 's']);
    assert.deepEqual(await letters(failed), ['f', 'b', 'b', 'b']);
    assert.deepEqual(await letters(stopped), ['s', 'c', 'c', 'c']);
    assert.deepEqual(await letters(aborted), ['s', 'fb', 'b', 'b']);
  });

  it('gets rows for the files of an output as soon as these are known', async () => {
    const { owner, worker, start } = await splitting();
    const id = await start();
    const before = (await grid(owner, id)).body;
    const [split] = await worker.acquire();
    await worker.succeed(split, into('a', 'b'));
    const [first] = await worker.acquire(1);
    await worker.succeed(first);

    const after = (await grid(owner, id)).body;
    const pages = await gridPages(owner, id, 'limit=1&offset=1');
    const pending = (await grid(owner, id, 'status=pending')).body;

    const files = { input: 'files', count: 1 };
    assert.deepEqual(before.groups, [files, { node_key: 'split', port: 'out' }]);
    assert.deepEqual(lines(before), ['whole ----']);
    assert.deepEqual(before.nodes[1], { node_key: 'each', group: 1, counts: {} });
    assert.deepEqual(after.groups, [files, { node_key: 'split', port: 'out', count: 2 }]);
    assert.deepEqual(lines(after), ['whole ----', 'a -sq-', 'b -qp-']);
    assert.deepEqual(pages.flatMap(lines), ['a -sq-', 'b -qp-']);
    assert.deepEqual(lines(pending), ['b -qp-']);
    assert.deepEqual(after.rows[2], { group: 1, shard_index: 1, name: 'b', cells: '-qp-' });
  });

  it('leads to the node run behind each cell', async () => {
    const { owner, worker, start } = await splitting();
    const id = await start();
    const [split] = await worker.acquire();
    await worker.succeed(split, into('a', 'b', 'c'));
    const path = `/workflows/workflow-runs/${id}/node-runs`;
    const behind = async (query: string) =>
      (await owner.get(`${path}?${query}`)).body.map(
        ({ node_key, shard_index = 'once' }: Order) => `${node_key} ${shard_index}`,
      );
    const counted = await owner.get(`${path}?shard_index=2&limit=1&with_total=true`);
    const [, cursor] = /cursor=([^&>]+)/.exec(counted.headers.get('link') ?? '') ?? [];

    assert.deepEqual(await behind('node_key=each&shard_index=1'), ['each 1']);
    assert.deepEqual(await behind('node_key=last'), ['last 0', 'last 1', 'last 2']);
    assert.deepEqual(await behind('node_key=split'), ['split once']);
    assert.deepEqual(await behind('shard_index=2'), ['each 2', 'last 2']);
    assert.deepEqual(await behind(`shard_index=2&limit=1&cursor=${cursor}`), ['last 2']);
    assert.deepEqual(await behind('node_key=split&shard_index=0'), []);
    assert.deepEqual(await behind('node_key=each&shard_index=3'), []);
    assert.deepEqual(await behind('node_key=none'), []);
    assert.equal(counted.headers.get('x-total-count'), '2');
    const of = await owner.get(`${path}?node_key=each&with_total=true`);
    assert.equal(of.headers.get('x-total-count'), '3');
    for (const bad of ['shard_index=-1', 'shard_index=x', 'shard_index=9999999999']) {
      assert.equal((await owner.get(`${path}?${bad}`)).status, 422, bad);
    }
  });

  it('is for every member of the tenant, with the names that the files of the run have', async () => {
    const { owner, viewer, stranger, start } = await splitting();
    const id = await start();
    const files = (await viewer.get(`/workflows/workflow-runs/${id}/files`)).body;

    const seen = await grid(viewer, id);
    const foreign = await grid(stranger, id);
    const unknown = await grid(stranger, 999_999_999);
    await owner.post(`/workflows/workflow-runs/${id}/cancel`, {});
    const { status } = await look(owner, id);
    await owner.delete(`/workflows/workflow-runs/${id}`);
    const deleted = await grid(owner, id);

    assert.deepEqual(
      seen.body.rows.map(({ name }: Order) => name),
      files.map(({ name }: Order) => name),
    );
    assert.deepEqual([foreign.status, foreign.body], [unknown.status, unknown.body]);
    assert.deepEqual([foreign.status, status, deleted.status], [404, 'cancelled', 404]);
  });
});
