import { moveNodes, setNodeField, setParam, setVariable } from '@cogworks/graph/edit/edits';
import type { Graph } from '@cogworks/graph/types';
import { describe, expect, it } from 'vitest';
import { changedSince } from './changed.ts';

const graph: Graph = {
  nodes: [
    { key: 'a', node_definition_id: 1 },
    { key: 'b', node_definition_id: 1, params: { width: '{{vars.width}}' } },
    { key: 'c', node_definition_id: 1 },
    { key: 'aside', node_definition_id: 1 },
  ],
  edges: [
    { from: { node: 'a', port: 'out' }, to: { node: 'b', port: 'in' } },
    { from: { node: 'b', port: 'out' }, to: { node: 'c', port: 'in' } },
  ],
  inputs: [],
  variables: [{ variable_name: 'width', type: 'integer', default: 1 }],
};
const changed = (now: Graph) => [...changedSince(graph, now, new Map())].toSorted();

describe('what has changed since a test', () => {
  it('is a step with another param, and all behind it', () => {
    expect(changed(setParam(graph, 'b', 'width', 3))).toEqual(['b', 'c']);
  });

  it('is not a step that was moved or has another title', () => {
    const moved = moveNodes(graph, new Map([['a', { x: 5, y: 5 }]]));
    expect(changed(setNodeField(moved, 'a', 'title', 'First'))).toEqual([]);
  });

  it('is a step that a wire was taken from', () => {
    expect(changed({ ...graph, edges: graph.edges.slice(1) })).toEqual(['b', 'c']);
  });

  it('is a step that uses a variable with another default', () => {
    const now = setVariable(graph, 'width', { type: 'integer', default: 2 });
    expect(changed(now)).toEqual(['b', 'c']);
  });
});
