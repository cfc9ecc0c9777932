import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { client } from '../../../test/cast.ts';
import { filesOf, folderOfFiles, run, type Stage, stage, versionOf } from '../../../test/runs.ts';
import type { Order } from '../../../test/worker.ts';
import { registerNode } from '../../../test/workflows.ts';

const free = { cpu: 8, memory_mb: 16_384, gpu: 0, disk_mb: 100_000 };
const little = { cpu: 0.01, memory_mb: 16, gpu: 0, disk_mb: 1 };
const many = { cardinality: 'many' };

/** A worker's calls about the inputs of its orders. */
function pagesOf({ server, worker }: Pick<Stage, 'server' | 'worker'>) {
  const api = client(server.url, worker.token);
  const path = `/workers/${worker.id}`;
  return {
    acquire: async (max: number): Promise<Order[]> =>
      (await api.post(`${path}/acquire?inputs=pages`, { free, max })).body,
    page: ({ attempt_id, lease_token }: Order, start: string) =>
      api.post(`${path}/attempts/${attempt_id}/inputs`, { lease_token, start }),
  };
}

type Pages = ReturnType<typeof pagesOf>;

/** All inputs of an order, one list for each answer. */
async function allInputs({ page }: Pages, order: Order): Promise<Order[][]> {
  const parts = [order.inputs];
  for (let start = order.more_inputs; start !== undefined; ) {
    const { status, body } = await page(order, start);
    assert.equal(status, 200);
    parts.push(body.inputs);
    start = body.more_inputs;
  }
  return parts;
}

const namesOf = (inputs: Order[]) => inputs.map(({ name }) => name);

/** A node that takes all files of the input at once. */
const wholeGraph = (definition: number) => ({
  nodes: [{ key: 'all', node_definition_id: definition }],
  edges: [{ from: { input: 'files' }, to: { node: 'all', port: 'in' } }],
  inputs: [{ name: 'files' }],
  variables: [],
});

async function orderOverMany(people: Stage, count: number) {
  const { owner, server } = people;
  const all = await registerNode(owner, { inputs: [{ name: 'in', ...many }] });
  const version = await versionOf(owner, wholeGraph(all));
  await run(owner, version, { cog_ids: [await folderOfFiles(server, owner, count)] });
  const pages = pagesOf(people);
  const [order] = await pages.acquire(1);
  return { pages, order };
}

describe('the inputs of an order', () => {
  it('come in pages where they are many, and no answer grows with their number', async () => {
    const people = await stage();
    const { pages, order } = await orderOverMany(people, 1201);

    const parts = await allInputs(pages, order);

    assert.deepEqual(
      parts.map(({ length }) => length),
      [500, 500, 201],
    );
    const expected = Array.from({ length: 1201 }, (_, at) => `${`${at + 1}`.padStart(6, '0')}.txt`);
    assert.deepEqual(namesOf(parts.flat()), expected);
    const last = parts.at(-1)?.at(-1);
    assert.equal(await (await fetch(last.url)).text(), 'the same bytes');
  });

  it('are all in the order of a worker that does not ask for pages', async () => {
    const people = await stage();
    const { order: paged } = await orderOverMany(people, 700);
    await people.worker.complete(paged, { status: 'cancelled' });

    const [order] = await people.worker.acquire();

    assert.equal(order.inputs.length, 700);
    assert.equal(order.more_inputs, undefined);
  });

  it('of orders that come together share one answer, and go on in the middle of a lane', async () => {
    const people = await stage();
    const { owner, worker } = people;
    const each = await registerNode(owner, { outputs: [{ name: 'out', glob: '*', ...many }] });
    const all = await registerNode(owner, {
      inputs: [{ name: 'in', ...many }],
      resources: little,
    });
    const gathers = Array.from({ length: 100 }, (_, at) => `gather-${at}`);
    const version = await versionOf(owner, {
      nodes: [
        { key: 'each', node_definition_id: each, map: true },
        ...gathers.map((key) => ({ key, node_definition_id: all })),
      ],
      edges: [
        { from: { input: 'files' }, to: { node: 'each', port: 'in' } },
        ...gathers.flatMap((node) => [
          { from: { node: 'each', port: 'out' }, to: { node, port: 'in' } },
          { from: { input: 'files' }, to: { node, port: 'in' } },
        ]),
      ],
      inputs: [{ name: 'files' }],
      variables: [],
    });
    const names = ['a', 'b', 'c'];
    await run(owner, version, { cog_ids: await filesOf(owner, ...names) });
    for (const order of await worker.acquire(3)) {
      const file = order.file.name;
      const files = [1, 2].map((n) => ({ port: 'out', name: `${file}${n}`, text: `${file}${n}` }));
      await worker.succeed(order, files);
    }

    const pages = pagesOf(people);
    const orders = await pages.acquire(100);

    assert.equal(orders.length, 100);
    for (const order of [orders[0], orders[99]]) {
      const parts = await allInputs(pages, order);
      assert.deepEqual(parts.map(namesOf), [
        ['a1', 'a2', 'b1', 'b2', 'c1'],
        ['c2', 'a', 'b', 'c'],
      ]);
    }
  });

  it('tell the file of the lane, wherever it stands among them', async () => {
    const people = await stage();
    const { owner, server } = people;
    const each = await registerNode(owner, {
      inputs: [
        { name: 'others', ...many },
        { name: 'in', cardinality: 'one' },
      ],
    });
    const version = await versionOf(owner, {
      nodes: [{ key: 'each', node_definition_id: each, map: true }],
      edges: [
        { from: { input: 'files' }, to: { node: 'each', port: 'others' } },
        { from: { input: 'files' }, to: { node: 'each', port: 'in' } },
      ],
      inputs: [{ name: 'files' }],
      variables: [],
    });
    await run(owner, version, { cog_ids: [await folderOfFiles(server, owner, 501)] });
    const pages = pagesOf(people);
    const [, order] = await pages.acquire(2);

    const parts = await allInputs(pages, order);

    assert.equal(order.file.name, '000002.txt');
    assert.deepEqual(namesOf(parts.flat().filter(({ port }) => port === 'in')), ['000002.txt']);
    assert.equal(parts.flat().length, 502);
  });

  it('are only for who holds the attempt, for as long as it does', async () => {
    const people = await stage();
    const { worker } = people;
    const { pages, order } = await orderOverMany(people, 600);
    const other = pagesOf({ ...people, worker: (await stage(people.server)).worker });
    const start = order.more_inputs;
    const stale = { ...order, lease_token: '00000000-0000-4000-8000-000000000000' };

    const asked = [await pages.page(stale, start), await other.page(order, start)];
    const before = await pages.page(order, start);
    await worker.complete(order, { status: 'cancelled' });
    const after = await pages.page(order, start);

    assert.deepEqual(
      asked.map(({ status }) => status),
      [409, 404],
    );
    assert.equal(before.body.inputs.length, 100);
    assert.deepEqual([after.status, after.body.code], [409, 'lease_lost']);
  });

  it('are no others than those of the attempt, whatever place is asked for', async () => {
    const people = await stage();
    const { pages, order } = await orderOverMany(people, 3);
    const page = async (start: string) => (await pages.page(order, start)).body.inputs;

    assert.equal((await page('0.0.0')).length, 3);
    assert.equal((await page('0.999999999999999.1')).length, 2);
    for (const beyond of ['0.0.3', '0.0.999999999', '1.0.0', '999999999.0.0'])
      assert.deepEqual(await page(beyond), []);
    for (const bad of ['', '0', '0.0', '-1.0.0', '0.0.0.0', '0.0.1e3', `0.${'9'.repeat(16)}.0`])
      assert.equal((await pages.page(order, bad)).status, 422, bad);
  });
});
