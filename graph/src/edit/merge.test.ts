import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { graphs } from '../../test/any-graph.ts';
import { graph, node } from '../examples.ts';
import { canonicalJson } from '../hash.ts';
import type { Graph } from '../types.ts';
import { moveNodes, removeNodes, setNodeField, setParam } from './edits.ts';
import { merge, withMine, withTheirs } from './merge.ts';

const always = { seed: 20261123, numRuns: 500 };

const base = graph(
  [node('a', 1, { params: { width: 800 }, position: { x: 0, y: 0 } }), node('b', 1)],
  ['files > a.in', 'a.out > b.in'],
);

const equal = (a: Graph, b: Graph) => assert.equal(canonicalJson(a), canonicalJson(b));

describe('a merge', () => {
  it('keeps what both changed in different places', () => {
    const mine = moveNodes(base, new Map([['a', { x: 9, y: 9 }]]));
    const theirs = setParam(setParam(base, 'a', 'height', 2), 'b', 'width', 640);
    const { graph: merged, conflicts } = merge(base, mine, theirs);
    assert.deepEqual(conflicts, []);
    equal(merged, setParam(setParam(mine, 'a', 'height', 2), 'b', 'width', 640));
  });

  it('keeps both params that two people gave a node that had none', () => {
    const { graph: merged, conflicts } = merge(
      base,
      setParam(base, 'b', 'width', 1),
      setParam(base, 'b', 'height', 2),
    );
    assert.deepEqual(conflicts, []);
    assert.deepEqual(merged.nodes[1]?.params, { width: 1, height: 2 });
  });

  it('has both values where both set the same param, and either can be taken', () => {
    const mine = setParam(base, 'a', 'width', 640);
    const theirs = setParam(base, 'a', 'width', 1024);
    const { graph: merged, conflicts } = merge(base, mine, theirs);
    const [conflict] = conflicts;
    assert.equal(conflicts.length, 1);
    equal(merged, mine);
    assert.ok(conflict);
    equal(withTheirs(merged, conflict), theirs);
    equal(withMine(withTheirs(merged, conflict), conflict), mine);
  });

  it('keeps what was changed while a choice was open', () => {
    const { graph: merged, conflicts } = merge(
      base,
      setParam(base, 'a', 'width', 640),
      setParam(base, 'a', 'width', 1024),
    );
    const later = setNodeField(merged, 'a', 'title', 'Small');
    const [conflict] = conflicts;
    const chosen = conflict && withTheirs(later, conflict).nodes[0];
    assert.deepEqual([chosen?.title, chosen?.params], ['Small', { width: 1024 }]);
  });

  it('asks whether a node that one removed and the other changed is to stay', () => {
    const mine = removeNodes(base, ['a']);
    const theirs = setParam(base, 'a', 'width', 640);
    const { graph: merged, conflicts } = merge(base, mine, theirs);
    equal(merged, mine);
    const [conflict] = conflicts;
    assert.ok(conflict);
    equal(withTheirs(merged, conflict), theirs);
  });

  it('has no conflict where both did the same', () => {
    const same = removeNodes(setParam(base, 'b', 'width', 1), ['a']);
    const { graph: merged, conflicts } = merge(base, same, structuredClone(same));
    assert.deepEqual(conflicts, []);
    equal(merged, same);
  });

  it('of one who did nothing is what the other has', () => {
    fc.assert(
      fc.property(graphs, graphs, (one, other) => {
        equal(merge(one, one, other).graph, other);
        equal(merge(one, other, one).graph, other);
        assert.deepEqual(merge(one, other, one).conflicts, []);
      }),
      always,
    );
  });

  it('of changes to different nodes keeps both, whoever is first', () => {
    fc.assert(
      fc.property(graphs, graphs, (one, other) => {
        const split = (keys: string[]): Graph => ({
          ...base,
          nodes: keys.map(
            (key, at) => ({ ...(key === 'a' ? one : other).nodes[at], key }) as never,
          ),
        });
        const start = split(['a', 'b']);
        const mine = {
          ...start,
          nodes: start.nodes.map((it) => (it.key === 'a' ? node('a', 7, { title: 'Mine' }) : it)),
        };
        const theirs = {
          ...start,
          nodes: start.nodes.map((it) => (it.key === 'b' ? node('b', 8, { when: 'true' }) : it)),
        };
        const both = { ...start, nodes: [mine.nodes[0], theirs.nodes[1]] as Graph['nodes'] };
        equal(merge(start, mine, theirs).graph, both);
        equal(merge(start, theirs, mine).graph, both);
        assert.deepEqual(merge(start, mine, theirs).conflicts, []);
      }),
      always,
    );
  });
});
