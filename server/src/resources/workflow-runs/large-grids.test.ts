import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { grid, gridPages, lines } from '../../../test/grids.ts';
import { readsOf } from '../../../test/plans.ts';
import { filesOf, folderOfFiles, run, type Stage, stage, versionOf } from '../../../test/runs.ts';
import { statementsOf } from '../../../test/statements.ts';
import type { Order } from '../../../test/worker.ts';
import { registerNode } from '../../../test/workflows.ts';

/** That many nodes one after the other, each for every file. */
async function chain({ owner }: Stage, length: number) {
  const each = await registerNode(owner);
  const keys = Array.from({ length }, (_, at) => `n${at}`);
  return versionOf(owner, {
    nodes: keys.map((key) => ({ key, node_definition_id: each, map: true })),
    edges: keys.map((key, at) => ({
      from: at === 0 ? { input: 'files' } : { node: `n${at - 1}`, port: 'out' },
      to: { node: key, port: 'in' },
    })),
    inputs: [{ name: 'files' }],
    variables: [],
  });
}

async function runOver(people: Stage, nodes: number, files: number): Promise<number> {
  const { owner, server } = people;
  const version = await chain(people, nodes);
  const cog_ids = [await folderOfFiles(server, owner, files)];
  return (await run(owner, version, { cog_ids })).body.workflow_run_id;
}

/** Files `a` to `f` at two nodes: `b` and `e` have failed, `a` has passed, `c` runs. */
async function sixFiles() {
  const people = await stage();
  const { owner, worker } = people;
  const version = await chain(people, 2);
  const cog_ids = await filesOf(owner, 'a', 'b_1', 'c', 'd', 'e', 'B%1');
  const id = (await run(owner, version, { cog_ids })).body.workflow_run_id;
  const orders: Order[] = await worker.acquire(6);
  const named = (name: string) => orders.find(({ inputs }) => inputs[0].name === name);
  await worker.succeed(named('a'));
  await worker.fail(named('b_1'));
  await worker.fail(named('e'));
  return { ...people, id, named };
}

const names = async (client: Stage['owner'], id: number, query: string) =>
  (await gridPages(client, id, query)).map(({ rows }) =>
    rows.map(({ name }: Order) => name).join(' '),
  );

describe('the grid of a run, filtered', () => {
  it('by a status has the rows with at least one node run of that status', async () => {
    const { owner, id } = await sixFiles();
    const found: Record<string, string[]> = {};
    for (const status of ['pending', 'queued', 'running', 'success', 'failure', 'skipped']) {
      found[status] = await names(owner, id, `status=${status}`);
    }
    const before = lines((await grid(owner, id, 'status=failure')).body);
    await owner.post(`/workflows/workflow-runs/${id}/cancel`, {});

    assert.deepEqual(found, {
      pending: ['c d B%1'],
      queued: ['a'],
      running: ['c d B%1'],
      success: ['a'],
      failure: ['b_1 e'],
      skipped: ['b_1 e'],
    });
    assert.deepEqual(before, ['b_1 fb', 'e fb']);
    assert.deepEqual(await names(owner, id, 'status=cancelled'), ['a c d B%1']);
    assert.deepEqual(await names(owner, id, 'status=pending'), ['']);
    const bad = await grid(owner, id, 'status=partial_success');
    assert.equal(bad.status, 422);
  });

  it('by a text has the rows with it in the name, in any case, where wildcards are none', async () => {
    const { owner, id } = await sixFiles();

    assert.deepEqual(await names(owner, id, 'q=B'), ['b_1 B%1']);
    assert.deepEqual(await names(owner, id, 'q=b_'), ['b_1']);
    assert.deepEqual(await names(owner, id, 'q=%25'), ['B%1']);
    assert.deepEqual(await names(owner, id, 'q=B&status=failure'), ['b_1']);
    assert.deepEqual(await names(owner, id, 'q=B&status=running'), ['B%1']);
    for (const bad of ['q=', 'q=%00', `q=${'x'.repeat(256)}`]) {
      assert.equal((await grid(owner, id, bad)).status, 422, bad);
    }
  });

  it('pages on while rows change, and neither repeats nor loses what stays', async () => {
    const { owner, worker, id, named } = await sixFiles();
    const first = await grid(owner, id, 'status=running&limit=1');
    const [, cursor] = /cursor=([^&>]+)/.exec(first.headers.get('link') ?? '') ?? [];

    await worker.succeed(named('c'));
    await worker.succeed(named('d'));
    const second = await grid(owner, id, `status=running&limit=1&cursor=${cursor}`);

    assert.deepEqual(lines(first.body), ['c rp']);
    assert.deepEqual(lines(second.body), ['B%1 rp']);
    assert.equal(second.headers.get('link'), null);
    assert.deepEqual(await names(owner, id, 'limit=4'), ['a b_1 c d', 'e B%1']);
    assert.deepEqual(await names(owner, id, 'limit=2&offset=3'), ['d e', 'B%1']);
    assert.deepEqual(await names(owner, id, 'limit=1&offset=1&status=failure'), ['e']);
    assert.deepEqual(await names(owner, id, 'offset=2&status=failure'), ['']);
    assert.deepEqual(await names(owner, id, 'offset=1000000'), ['']);
  });

  it('takes the limits of a list', async () => {
    const { owner, id } = await sixFiles();
    for (const bad of ['limit=0', 'limit=1001', 'limit=x', 'offset=-1', 'offset=1000001'])
      assert.equal((await grid(owner, id, bad)).status, 422, bad);
    for (const bad of ['cursor=x', 'cursor=abc&offset=1'])
      assert.equal((await grid(owner, id, bad)).status, 422, bad);
  });
});

describe('the grid of a large run', () => {
  it('of 10,000 files and 20 nodes takes 10 requests of less than 256 KB', async () => {
    const people = await stage();
    const id = await runOver(people, 20, 10_000);

    const pages = await gridPages(people.owner, id, 'limit=1000');

    assert.equal(pages.length, 10);
    for (const page of pages) assert.ok(JSON.stringify(page).length < 256 * 1024);
    const rows = pages.flatMap((page) => page.rows);
    assert.equal(new Set(rows.map(({ shard_index }) => shard_index)).size, 10_000);
    assert.deepEqual(new Set(rows.map(({ cells }) => cells)), new Set([`q${'p'.repeat(19)}`]));
  });

  it('has pages of less than 256 KB, also with the longest names', async () => {
    const people = await stage();
    const { owner, server } = people;
    const id = await runOver(people, 20, 1100);
    await server.services.db`
      update run_files set name = repeat('"', 255) where run_id = ${id}
    `;

    const pages = await gridPages(owner, id, 'limit=1000');

    assert.ok(pages.length > 2);
    for (const page of pages) assert.ok(JSON.stringify(page).length <= 256 * 1024);
    assert.deepEqual(
      pages.flatMap(({ rows }) => rows.map(({ shard_index }: Order) => shard_index)),
      [...Array(1100).keys()],
    );
  });

  it('costs the same for fifty thousand files, of which a filter examines some at a time', async () => {
    const people = await stage();
    const { owner, server, worker } = people;
    const small = await runOver(people, 2, 3);
    const large = await runOver(people, 2, 50_100);
    const orders: Order[] = await worker.acquire(8);
    const order = orders.find(({ run_id }) => run_id === large);
    await worker.fail(order);
    const textsOf = async (id: number, query: string) =>
      (await statementsOf(server, () => grid(owner, id, query))).texts;

    const last = await grid(owner, large, 'limit=1000&offset=49600');
    const pages = await gridPages(owner, large, 'q=050099');
    const failed = await grid(owner, large, 'status=failure');
    const queued = await gridPages(owner, large, 'status=queued&offset=49500&limit=1000');

    assert.equal(last.body.rows.length, 500);
    assert.equal(last.body.rows[499].name, '050100.txt');
    assert.equal(last.headers.get('link'), null);
    assert.deepEqual(await textsOf(large, 'offset=49600'), await textsOf(small, ''));
    assert.deepEqual(
      pages.map(({ rows }) => rows.length),
      [0, 1],
    );
    assert.deepEqual(lines(failed.body), [`${order.inputs[0].name} fb`]);
    assert.equal(queued.flatMap(({ rows }) => rows).length, failed.body.nodes[0].counts.q - 49_500);
  });

  it('reads no table from end to end', async () => {
    const people = await stage();
    const { owner, server } = people;
    const id = await runOver(people, 2, 10_000);
    await server.services.db`analyze begun_node_runs, run_files, workflow_runs`;
    const reads: Record<string, (string | undefined)[]> = {};
    for (const table of ['begun_node_runs', 'run_files']) reads[table] = [];
    for (const query of ['', 'status=queued', 'status=pending', 'q=7', 'q=7&status=queued']) {
      const { texts } = await statementsOf(server, () => grid(owner, id, query));
      for (const [table, found] of Object.entries(reads)) {
        const plans = await readsOf(table, server.to, texts);
        found.push(...plans.map((plan) => plan['Index Cond']));
      }
    }

    const { begun_node_runs: nodeRuns = [], run_files: files = [] } = reads;
    assert.deepEqual([nodeRuns.length, files.length], [11, 7]);
    for (const one of nodeRuns) assert.match(one ?? 'none', /^\(+id (=|>=) /);
    for (const one of files)
      assert.match(one ?? 'none', /input_name = .* AND \("position" (=|>=) /);
  });
});
