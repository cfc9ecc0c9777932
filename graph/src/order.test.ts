import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findCycles } from './cycles.ts';
import { edge, graph, node } from './examples.ts';
import { childrenOf, descendantsOf, leafKeys, parentsOf, topologicalOrder } from './order.ts';
import { seeded } from './random.ts';
import type { Graph } from './types.ts';

/** `drawn('c a b', 'a c', 'b c')`: nodes in this order, then edges. */
const drawn = (keys: string, ...edges: string[]) =>
  graph(
    keys.split(' ').map((key) => node(key, 7)),
    edges.map((pair) => edge(pair.replace(' ', '.out > ').concat('.in'))),
  );

describe('topological order', () => {
  const cases: [title: string, graph: Graph, order: string][] = [
    ['keeps the order of appearance where it may', drawn('c a b'), 'c a b'],
    ['puts parents first', drawn('c a b', 'a c', 'b c'), 'a b c'],
    ['takes the earliest node that is free', drawn('d c b a', 'a d', 'c b'), 'c b a d'],
    ['counts two edges between nodes as one', drawn('b a', 'a b', 'a b'), 'a b'],
    ['has nodes of and behind cycles at the end', drawn('c a b x', 'a b', 'b a', 'b c'), 'x c a b'],
    ['passes over edges to nowhere', drawn('a b', 'a z', 'z b'), 'a b'],
    ['has a doubled key once', drawn('a b a', 'b a'), 'b a'],
  ];
  for (const [title, it_, order] of cases) {
    it(title, () => assert.deepEqual(topologicalOrder(it_), order.split(' ')));
  }

  it('is what the simplest method says, for 200 random graphs', () => {
    const random = seeded(3);
    for (let round = 0; round < 200; round++) {
      const it_ = randomGraph(random, 1 + Math.floor(random() * 25));
      assert.deepEqual(topologicalOrder(it_), simplestOrder(it_));
    }
  });

  it('takes little time and stack for a chain of 50,000 nodes in reverse', () => {
    const keys = Array.from({ length: 50_000 }, (_, at) => `n${at}`);
    const edges = keys.slice(1).map((key, at) => edge(`${key}.out > n${at}.in`));
    const chain = graph(
      keys.map((key) => node(key, 7)),
      edges,
    );
    assert.deepEqual(topologicalOrder(chain), keys.toReversed());
    assert.deepEqual(findCycles(chain), []);
    assert.equal(descendantsOf(chain, ['n49999']).size, 49_999);
  });
});

function randomGraph(random: () => number, size: number): Graph {
  const keys = Array.from({ length: size }, (_, at) => `n${at}`);
  const ranks = keys.map(random);
  const edges = keys.flatMap((from, a) =>
    keys.flatMap((to, b) =>
      (ranks[a] ?? 0) < (ranks[b] ?? 0) && random() < 0.15 ? [edge(`${from}.out > ${to}.in`)] : [],
    ),
  );
  return graph(
    keys.map((key) => node(key, 7)),
    edges,
  );
}

/** A simple reference: repeatedly takes the first node whose parents have all been taken. */
function simplestOrder(it_: Graph): string[] {
  const parents = parentsOf(it_);
  const order: string[] = [];
  for (;;) {
    const next = it_.nodes.find(
      ({ key }) =>
        !order.includes(key) && parents.get(key)?.every((parent) => order.includes(parent)),
    );
    if (!next) return order;
    order.push(next.key);
  }
}

describe('the neighbours of nodes', () => {
  const diamond = drawn('a b c d e', 'a b', 'a c', 'b d', 'c d', 'b d');

  it('are parents and children, each once', () => {
    assert.deepEqual(parentsOf(diamond).get('d'), ['b', 'c']);
    assert.deepEqual(childrenOf(diamond).get('b'), ['d']);
    assert.deepEqual(parentsOf(diamond).get('e'), []);
  });

  it('make a leaf of a node without children', () => {
    assert.deepEqual(leafKeys(diamond), ['d', 'e']);
  });

  it('lead to all descendants, not to the nodes asked for', () => {
    assert.deepEqual([...descendantsOf(diamond, ['b', 'c'])], ['d']);
    assert.deepEqual([...descendantsOf(diamond, ['a', 'b'])].sort(), ['b', 'c', 'd']);
    assert.deepEqual([...descendantsOf(diamond, ['nobody'])], []);
    assert.deepEqual([...descendantsOf(drawn('a b', 'a b', 'b a'), ['a'])].sort(), ['a', 'b']);
  });

  it('are found by names that objects know', () => {
    const odd = drawn('__proto__ constructor', '__proto__ constructor');
    assert.deepEqual(topologicalOrder(odd), ['__proto__', 'constructor']);
    assert.deepEqual(leafKeys(odd), ['constructor']);
  });
});

describe('cycles', () => {
  const cases: [title: string, graph: Graph, cycles: string[]][] = [
    ['there are none in a diamond', drawn('a b c d', 'a b', 'a c', 'b d', 'c d'), []],
    ['one node can be one', drawn('a', 'a a'), ['a a']],
    ['each of two is found', drawn('a b c d', 'a b', 'b a', 'c d', 'd c'), ['a b a', 'c d c']],
    ['the way to one is no part of it', drawn('x a b', 'x a', 'a b', 'b a'), ['a b a']],
  ];
  for (const [title, it_, cycles] of cases) {
    it(title, () => {
      assert.deepEqual(
        findCycles(it_),
        cycles.map((path) => path.split(' ')),
      );
    });
  }

  it('are found exactly when no full order exists, for 300 random graphs', () => {
    const random = seeded(5);
    for (let round = 0; round < 300; round++) {
      const size = 2 + Math.floor(random() * 8);
      const keys = Array.from({ length: size }, (_, at) => `n${at}`);
      const edges = keys.flatMap((from) =>
        keys.flatMap((to) => (random() < 0.12 ? [edge(`${from}.out > ${to}.in`)] : [])),
      );
      const it_ = graph(
        keys.map((key) => node(key, 7)),
        edges,
      );
      const cycles = findCycles(it_);
      assert.equal(cycles.length === 0, simplestOrder(it_).length === size);
      const children = childrenOf(it_);
      for (const path of cycles) {
        assert.equal(path[0], path.at(-1));
        path.slice(1).forEach((key, at) => {
          assert.ok(children.get(path[at] ?? '')?.includes(key));
        });
      }
    }
  });
});
