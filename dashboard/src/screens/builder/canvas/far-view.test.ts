import { moveNodes } from '@cogworks/graph/edit/edits';
import { definitions, graph, node } from '@cogworks/graph/examples';
import type { Graph } from '@cogworks/graph/types';
import { describe, expect, it } from 'vitest';
import { placesOf } from '../layout/places.ts';
import { cardAt, farCards, withoutElements } from './far-cards.ts';
import { FarLines } from './far-lines.ts';
import { Flow } from './flow.ts';
import { drawnLanes } from './lanes-drawn.ts';

const count = 1000;
const keys = Array.from({ length: count }, (_, index) => `n${index}`);
const large: Graph = graph(
  keys.map((key, index) =>
    node(key, 1, { position: { x: (index % 40) * 352, y: Math.floor(index / 40) * 150 } }),
  ),
  keys.slice(1).map((key, index) => `n${index}.out > ${key}.in`),
);

function drawer() {
  const flow = new Flow();
  const lines = new FarLines();
  return (now: Graph, moving = new Set<string>()) => {
    const drawn = {
      ...{ graph: now, definitions, places: placesOf(now, definitions) },
      ...{ lanes: drawnLanes(large, definitions), selection: new Set<string>() },
      ...{ current: undefined, faults: new Map([['node:n7', 2]]), moved: new Map() },
    };
    const nodes = flow.nodes(drawn);
    const edges = flow.edges(drawn, new Set());
    return { nodes, lines: lines.of(nodes, edges, moving), cards: farCards(nodes, moving) };
  };
}

describe('the canvas from afar', () => {
  it('draws a thousand cards and their wires as a few shapes', () => {
    const { lines, cards, nodes } = drawer()(large);
    expect(lines.length + cards.length).toBeLessThan(8);
    const pieces = (path: string) => path.split('M').length - 1;
    expect(lines.reduce((sum, { path }) => sum + pieces(path), 0)).toBe(count - 1);
    expect(cards.reduce((sum, { path }) => sum + pieces(path), 0)).toBe(nodes.length);
    expect(cards.filter(({ isFaulty }) => isFaulty).map(({ path }) => pieces(path))).toEqual([1]);
  });

  it('changes no shape of what stays while a card is dragged', () => {
    const draw = drawer();
    const moving = new Set(['node:n500']);
    const before = draw(large, moving);
    const after = draw(moveNodes(large, new Map([['n500', { x: 1, y: 2 }]])), moving);
    const changed = (some: { key: string; path: string }[], others: { path: string }[]) =>
      some.filter(({ path }, at) => path !== others[at]?.path).length;
    expect(changed(before.lines, after.lines)).toBe(1);
    expect(changed(before.cards, after.cards)).toBe(1);
  });

  it('has elements only for the card under the pointer, and keeps all other nodes as they were', () => {
    const { nodes } = drawer()(large);
    const first = withoutElements(nodes, cardAt(nodes, 352 + 20, 10));
    expect(first.filter(({ hidden }) => !hidden).map(({ id }) => id)).toEqual(['node:n1']);
    const second = withoutElements(nodes, undefined);
    expect(second.filter((one, at) => one !== first[at]).map(({ id }) => id)).toEqual(['node:n1']);
    expect(cardAt(nodes, 352 - 20, 10)).toBe(undefined);
  });
});
