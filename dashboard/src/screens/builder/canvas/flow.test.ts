import { moveNodes } from '@cogworks/graph/edit/edits';
import type { Definition, Graph } from '@cogworks/graph/types';
import { describe, expect, it } from 'vitest';
import { placesOf, tidied } from '../layout/places.ts';
import { type Drawn, Flow } from './flow.ts';
import { drawnLanes } from './lanes-drawn.ts';
import { nextCard } from './neighbours.ts';

const definition: Definition = {
  id: 1,
  name: 'work',
  version: '1',
  command: ['true'],
  inputs: [{ name: 'in', cardinality: 'many' }],
  outputs: [{ name: 'out', glob: '*', cardinality: 'one' }],
};
const definitions = new Map([[1, definition]]);
const keys = ['a', 'b', 'c'];
const graph: Graph = {
  nodes: keys.map((key, index) => ({
    key,
    node_definition_id: 1,
    position: { x: index * 400, y: 0 },
  })),
  edges: [
    { from: { input: 'files' }, to: { node: 'a', port: 'in' } },
    { from: { node: 'a', port: 'out' }, to: { node: 'b', port: 'in' } },
    { from: { node: 'b', port: 'out' }, to: { node: 'c', port: 'in' } },
  ],
  inputs: [{ name: 'files' }],
  variables: [],
  notes: [
    {
      id: 'n',
      text: 'Both',
      position: { x: 0, y: 0 },
      size: { width: 10, height: 10 },
      node_keys: ['b', 'c'],
    },
  ],
};
const drawn = (now: Graph): Drawn => ({
  graph: now,
  definitions,
  places: placesOf(now, definitions),
  lanes: drawnLanes(graph, definitions),
  selection: new Set(),
  current: undefined,
  faults: new Map(),
  moved: new Map(),
});

describe('what the canvas draws', () => {
  it('keeps the objects of all that has not changed', () => {
    const flow = new Flow();
    const before = flow.nodes(drawn(graph));
    const moved = moveNodes(graph, new Map([['a', { x: 8, y: 40 }]]));
    const after = flow.nodes(drawn(moved));
    const changed = after.filter((node, index) => node !== before[index]).map(({ id }) => id);
    expect(changed).toEqual(['input:files', 'node:a']);
    expect(flow.nodes(drawn(moved))).toBe(after);
  });

  it('frames the nodes that a note is about, wherever they are', () => {
    const [frame] = new Flow().nodes(drawn(graph));
    expect(frame?.position.x).toBeLessThan(400);
    expect((frame?.position.x ?? 0) + (frame?.width ?? 0)).toBeGreaterThan(800 + 240);
  });

  it('gives every wire ports that are there, without looking at the page', () => {
    const flow = new Flow();
    const ports = new Set(
      flow.nodes(drawn(graph)).flatMap(({ id, handles }) => handles?.map((one) => id + one.id)),
    );
    for (const edge of flow.edges(drawn(graph), new Set())) {
      expect(ports).toContain(edge.source + edge.sourceHandle);
      expect(ports).toContain(edge.target + edge.targetHandle);
    }
  });

  it('is led through by arrow keys along the wires', () => {
    const places = placesOf(graph, definitions);
    expect(nextCard(graph, places, 'node:a', 'right')).toBe('node:b');
    expect(nextCard(graph, places, 'node:a', 'left')).toBe('input:files');
    expect(nextCard(graph, places, undefined, 'right')).toBe('input:files');
  });

  it('is tidied so that every node is right of what it depends on', () => {
    const { nodes, inputs } = tidied(graph, definitions);
    const xs = [inputs.get('files')?.x, ...keys.map((key) => nodes.get(key)?.x)];
    expect(xs.toSorted((a = 0, b = 0) => a - b)).toEqual(xs);
  });
});
