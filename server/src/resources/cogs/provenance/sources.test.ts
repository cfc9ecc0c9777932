import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definitions, graph, mapped, node } from '@cogworks/graph/examples';
import type { Graph } from '@cogworks/graph/types';
import { planGraph } from '../../../engine/kernel/plan.ts';
import type { NodeDefinition } from '../../node_definitions/schema.ts';
import { inputsOf, madeFrom, neededOf, sourcesOf, type Ways } from './sources.ts';

const withImages = new Map(
  [...definitions].map(([id, one]) => [id, { ...one, image: 'tools:1' } as NodeDefinition]),
);
const planned = (of: Graph) => planGraph(of, withImages);

/** By node, what each input of the graph brings to it. */
const told = (of: Graph) => {
  const plan = planned(of);
  const sources = sourcesOf(plan);
  const inWords = ({ lane, all, gathered }: Ways) => [
    ...(lane ? ['lane'] : []),
    ...(all ? ['all'] : []),
    ...[...gathered].map((source) => `lanes of ${plan.nodes[source]?.key}`),
  ];
  return Object.fromEntries(
    plan.nodes.map(({ key, position }) => [
      key,
      Object.fromEntries(
        [...(sources[position] ?? [])].map(([input, ways]) => [input, inWords(ways).join(', ')]),
      ),
    ]),
  );
};

describe('the outputs of a node are made from', () => {
  it('the file of its lane, as far as lanes go, and of all lanes once they are gathered', () => {
    const nodes = [mapped('a', 1), mapped('b', 1), node('zip', 2), node('last', 1)];
    const edges = ['files > a.in', 'a.out > b.in', 'b.out > zip.in', 'zip.out > last.in'];
    assert.deepEqual(told(graph(nodes, edges)), {
      a: { files: 'lane' },
      b: { files: 'lane' },
      zip: { files: 'lanes of b' },
      last: { files: 'lanes of b' },
    });
  });

  it('all files of an input at a port for many', () => {
    assert.deepEqual(told(graph([node('zip', 2)], ['files > zip.in'])), { zip: { files: 'all' } });
  });

  it('the file of its lane and all files, where both ways lead to it', () => {
    const nodes = [mapped('a', 1), node('zip', 2), mapped('b', 6)];
    const edges = ['files > a.in', 'files > zip.in', 'a.out > b.left', 'zip.out > b.right'];
    assert.deepEqual(told(graph(nodes, edges)).b, { files: 'lane, all' });
  });

  it('the file of its lane and all files of another input', () => {
    const nodes = [node('zip', 2), mapped('b', 6)];
    const edges = ['others > zip.in', 'files > b.left', 'zip.out > b.right'];
    const inputs = [{ name: 'files' }, { name: 'others' }];
    assert.deepEqual(told(graph(nodes, edges, { inputs })).b, { files: 'lane', others: 'all' });
  });

  it('what a node was made from that it runs over', () => {
    const nodes = [node('split', 3), mapped('a', 1), node('alone', 5)];
    assert.deepEqual(told(graph(nodes, ['files > split.in', 'split.out > a.in'])), {
      alone: {},
      split: { files: 'all' },
      a: { files: 'all' },
    });
  });
});

describe('what nodes are made from', () => {
  const inputs = [{ name: 'files' }, { name: 'others' }];
  const nodes = [node('zip', 2), mapped('b', 6), mapped('last', 1)];
  const edges = ['others > zip.in', 'files > b.left', 'zip.out > b.right', 'b.out > last.in'];
  const plan = planned(graph(nodes, edges, { inputs }));
  const at = (key: string) => plan.byKey.get(key)?.position ?? -1;

  it('is one object where it is the same, so that large graphs take little time', () => {
    const sources = sourcesOf(plan);
    for (const input of ['files', 'others']) {
      assert.equal(sources[at('last')]?.get(input), sources[at('b')]?.get(input));
    }
    assert.equal(sources[at('b')]?.get('others'), sources[at('zip')]?.get('others'));
  });

  it('is looked for only of the inputs that are asked about', () => {
    const [all, some] = [sourcesOf(plan), sourcesOf(plan, new Set(['others']))];
    assert.deepEqual([...(some[at('last')]?.keys() ?? [])], ['others']);
    assert.deepEqual(some[at('last')]?.get('others'), all[at('last')]?.get('others'));
  });
});

describe('the node runs', () => {
  const plan = planned(
    graph(
      [mapped('a', 1), mapped('leaf', 1), node('zip', 2)],
      ['files > a.in', 'a.out > leaf.in', 'a.out > zip.in'],
    ),
  );
  const run = {
    first_ids: plan.nodes.map(({ position }) => (position + 1) * 100),
    counts: plan.nodes.map(({ key }) => ({
      expected: key === 'zip' ? 1 : 10,
      success: 1,
    })) as never,
  };
  const firstOf = (key: string) => ((plan.byKey.get(key)?.position ?? 0) + 1) * 100;

  it('that made results from a file are those of its lane, and those that gather', () => {
    const made = madeFrom(plan, sourcesOf(plan), run, { input_name: 'files', position: 3 });

    assert.deepEqual(
      made.toSorted((a, b) => a.first - b.first),
      [
        { first: firstOf('leaf') + 3, last: firstOf('leaf') + 3 },
        { first: firstOf('zip'), last: firstOf('zip'), needed: [firstOf('a') + 3] },
      ].toSorted((a, b) => a.first - b.first),
    );
  });

  it('are none where the lanes are not known yet', () => {
    const early = { ...run, counts: plan.nodes.map(() => ({ expected: null })) as never };
    const file = { input_name: 'files', position: 3 };
    assert.deepEqual(madeFrom(plan, sourcesOf(plan), early, file), []);
  });

  it('took the file of their lane, or all', () => {
    const of = (key: string, lane: number) => {
      const found = plan.byKey.get(key);
      assert.ok(found);
      return inputsOf(sourcesOf(plan), found, lane);
    };
    assert.deepEqual(of('leaf', 7), [{ input_name: 'files', first: 7, last: 7 }]);
    assert.deepEqual(of('zip', 0), [{ input_name: 'files', first: 0, last: 2 ** 31 - 1 }]);
  });

  it('that must have succeeded are those of the lanes that another gathers', () => {
    const ways = (over: Partial<Ways>): Ways => ({
      ...{ lane: false, all: false, gathered: new Set([0, 1]), ...over },
    });
    assert.deepEqual(neededOf(ways({}), [100, 200], 7), [107, 207]);
    assert.deepEqual(neededOf(ways({}), [100, 0], 7), [107]);
    assert.equal(neededOf(ways({ all: true, gathered: new Set() }), [100, 200], 7), undefined);
    assert.deepEqual(neededOf(ways({ lane: true }), [100, 200], 7, 6), [107, 207]);
    assert.equal(neededOf(ways({ lane: true }), [100, 200], 7, 7), undefined);
  });
});
