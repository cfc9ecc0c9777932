import { moveNodes, setNodeField } from '@cogworks/graph/edit/edits';
import { graph, node } from '@cogworks/graph/examples';
import { describe, expect, it } from 'vitest';
import { unmoved } from './unmoved.ts';

const start = graph([node('a', 1), node('b', 1, { position: { x: 1, y: 2 } })], ['a.out > b.in']);
const at = (x: number) => new Map([['b', { x, y: 0 }]]);

describe('the graph that settings are drawn from', () => {
  it('stays the same object while steps are moved', () => {
    const pick = unmoved();
    expect(pick(start)).toBe(start);
    const moved = moveNodes(start, at(5));
    expect(pick(moved)).toBe(start);
    expect(pick(moveNodes(moved, at(9)))).toBe(start);
    expect(pick(moveNodes(start, new Map([['a', { x: 3, y: 3 }]])))).toBe(start);
  });

  it('is a new one after any other edit', () => {
    const pick = unmoved();
    pick(start);
    const titled = setNodeField(start, 'a', 'title', 'First');
    expect(pick(titled)).toBe(titled);
    const fewer = { ...titled, edges: [] };
    expect(pick(fewer)).toBe(fewer);
    const noted = { ...fewer, notes: [] };
    expect(pick(noted)).toBe(noted);
    expect(pick(start)).toBe(start);
  });
});
