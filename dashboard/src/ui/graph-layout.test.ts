import { describe, expect, it } from 'vitest';
import { layoutGraph } from './graph-layout.ts';

const nodes = (...keys: string[]) => keys.map((key) => ({ key, width: 100, height: 40 }));
const edges = (...pairs: string[]) =>
  pairs.map((pair) => {
    const [from = '', to = ''] = pair.split('>');
    return { from, to };
  });

describe('layoutGraph', () => {
  it('places every node right of all it depends on', () => {
    const links = edges('a>b', 'b>d', 'a>c', 'c>d', 'a>d');
    const { nodes: at } = layoutGraph(nodes('d', 'c', 'b', 'a'), links);
    for (const { from, to } of links) {
      expect(at.get(to)?.x).toBeGreaterThanOrEqual((at.get(from)?.x ?? 0) + 100);
    }
  });

  it('lets no two nodes lie on each other', () => {
    const keys = Array.from({ length: 30 }, (_, index) => `n${index}`);
    const links = edges(...keys.slice(1).map((key, index) => `n${Math.floor(index / 3)}>${key}`));
    const { nodes: at } = layoutGraph(nodes(...keys), links);
    const places = [...at.values()];
    for (const [index, one] of places.entries()) {
      for (const other of places.slice(index + 1)) {
        expect(one.x === other.x && Math.abs(one.y - other.y) < 40).toBe(false);
      }
    }
  });

  it('orders rows so that lines do not cross where they need not', () => {
    const { nodes: at } = layoutGraph(nodes('a', 'b', 'y', 'x'), edges('a>x', 'b>y'));
    const isAbove = (one: string, other: string) => (at.get(one)?.y ?? 0) < (at.get(other)?.y ?? 0);
    expect(isAbove('a', 'b')).toBe(isAbove('x', 'y'));
  });

  it('centres a short layer beside a tall one', () => {
    const { nodes: at, height } = layoutGraph(nodes('a', 'b', 'c'), edges('a>b', 'a>c'));
    expect((at.get('a')?.y ?? 0) + 20).toBe(height / 2);
  });

  it('draws a graph with a cycle, which a draft may have', () => {
    const layout = layoutGraph(nodes('a', 'b'), edges('a>b', 'b>a'));
    expect(layout.nodes.size).toBe(2);
    expect(layout.edges).toHaveLength(2);
  });

  it('draws one line however many ports two nodes share, and none to what is not there', () => {
    const layout = layoutGraph(nodes('a', 'b'), edges('a>b', 'a>b', 'a>ghost', 'b>b'));
    expect(layout.edges).toHaveLength(1);
  });

  it('runs from top to bottom on a narrow screen', () => {
    const layout = layoutGraph(nodes('a', 'b'), edges('a>b'), 'down');
    expect(layout.nodes.get('b')).toEqual({ x: 0, y: 40 + 64 });
    expect(layout).toMatchObject({ width: 100, height: 144 });
    expect(layout.edges[0]?.path).toBe('M50 40C50 72 50 72 50 104');
  });

  it('is nothing for no nodes', () => {
    expect(layoutGraph([], [])).toMatchObject({ width: 0, height: 0 });
  });
});
