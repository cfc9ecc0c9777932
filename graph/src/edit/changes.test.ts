import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { graphs } from '../../test/any-graph.ts';
import { edge, graph, node } from '../examples.ts';
import { canonicalJson } from '../hash.ts';
import { applyChanges, changesBetween, inverse } from './changes.ts';

const always = { seed: 20261123, numRuns: 1000 };

describe('the changes between two graphs', () => {
  it('make the one of the other, and back', () => {
    fc.assert(
      fc.property(graphs, graphs, (before, after) => {
        const changes = changesBetween(before, after);
        assert.equal(canonicalJson(applyChanges(before, changes)), canonicalJson(after));
        assert.equal(canonicalJson(applyChanges(after, inverse(changes))), canonicalJson(before));
      }),
      always,
    );
  });

  it('are none if the graphs are equal', () => {
    fc.assert(
      fc.property(graphs, (one) => {
        assert.deepEqual(changesBetween(one, structuredClone(one)), []);
      }),
      always,
    );
  });

  it('name a param by its pointer, so that two people may change two of them', () => {
    const before = graph([node('a', 1, { params: { width: 1, size: { x: 1, y: 1 } } })]);
    const after = graph([node('a', 1, { params: { width: 1, size: { x: 2, y: 1 } } })]);
    assert.deepEqual(changesBetween(before, after), [
      { type: 'set', list: 'nodes', id: 'a', pointer: '/params/size/x', before: 1, after: 2 },
    ]);
  });

  it('are about the right one of two nodes of one key, which drafts may hold', () => {
    const before = graph([node('a', 1), node('a', 2), node('b', 1)]);
    const after = graph([node('a', 1), node('a', 2, { title: 'Second' }), node('b', 1)]);
    const changes = changesBetween(before, after);
    assert.equal(changes.length, 1);
    assert.deepEqual(applyChanges(before, changes), after);
  });

  it('hold a secret as a whole', () => {
    const before = graph([node('a', 1, { params: { token: { $secret: 'OLD' } } })]);
    const after = graph([node('a', 1, { params: { token: { $secret: 'NEW' } } })]);
    const [change] = changesBetween(before, after);
    assert.ok(change?.type === 'set' && change.pointer === '/params/token');
  });

  it('leave what they do not touch the same object', () => {
    const before = graph([node('a', 1), node('b', 1)], ['a.out > b.in']);
    const after = graph([node('a', 1), node('b', 1, { title: 'Second' })], ['a.out > b.in']);
    const changed = applyChanges(before, changesBetween(before, after));
    assert.equal(changed.nodes[0], before.nodes[0]);
    assert.equal(changed.edges, before.edges);
    assert.equal(changed.nodes[1]?.title, 'Second');
  });

  it('are left out of another graph where it lacks what they are about', () => {
    const before = graph([node('a', 1), node('b', 1)], ['a.out > b.in']);
    const after = graph([node('a', 1, { title: 'First' })]);
    const other = graph([node('c', 1)], [edge('files > c.in')]);
    assert.deepEqual(applyChanges(other, changesBetween(before, after)), other);
  });

  it('of two people who each give a node its first params, are both kept', () => {
    const before = graph([node('a', 1)]);
    const mine = graph([node('a', 1, { params: { width: 1 } })]);
    const theirs = graph([node('a', 1, { params: { height: 2 } })]);
    const both = applyChanges(theirs, changesBetween(before, mine));
    assert.deepEqual(both.nodes[0]?.params, { width: 1, height: 2 });
  });
});
