import { describe, expect, it } from 'vitest';
import { layoutGraph, placeNodes } from './graph-layout.ts';

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

  it('lets no line run behind a node', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { boxes, links } = generated(seed, 4 + seed * 2);
      const layout = layoutGraph(boxes, links);
      const behind = layout.edges.flatMap(({ from, to, path }) => {
        const points = pointsOf(path);
        return boxes
          .filter((box) => isWithin(points, box, layout.nodes.get(box.key)))
          .map((box) => `${from}>${to} behind ${box.key}, seed ${seed}`);
      });
      expect(behind).toEqual([]);
    }
  });

  it('lets lines arrive in the order of the ports that they lead to', () => {
    const { nodes: at } = layoutGraph(nodes('a', 'b', 'z'), [
      { from: 'a', to: 'z', arrives: 30 },
      { from: 'b', to: 'z', arrives: 10 },
    ]);
    expect(at.get('b')?.y).toBeLessThan(at.get('a')?.y ?? 0);
  });

  it('draws a line from port to port', () => {
    const { edges: lines } = layoutGraph(nodes('a', 'b'), [
      { from: 'a', to: 'b', leaves: 5, arrives: 35 },
    ]);
    expect(lines[0]?.path).toMatch(/^M100 35C/);
  });

  it('takes a chain that is longer than a call stack', () => {
    const keys = Array.from({ length: 12_000 }, (_, index) => `n${index}`);
    const links = keys.slice(1).map((to, index) => ({ from: `n${index}`, to }));
    expect(layoutGraph(nodes(...keys.toReversed()), links).height).toBe(40);
  });

  it('places nodes alike for those who draw the lines themselves', () => {
    const { boxes, links } = generated(7, 60);
    const { nodes: at } = layoutGraph(boxes, links);
    expect(placeNodes(boxes, links, 64)).toEqual(at);
  });

  it('is nothing for no nodes', () => {
    expect(layoutGraph([], [])).toMatchObject({ width: 0, height: 0 });
  });
});

/** A graph without cycles, of boxes of several sizes and lines over several layers. */
function generated(seed: number, count: number) {
  let state = seed;
  const below = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  const boxes = Array.from({ length: count }, (_, index) => ({
    key: `n${index}`,
    width: 80 + below(4) * 40,
    height: 30 + below(5) * 25,
  }));
  const links = Array.from({ length: Math.floor(count * 1.6) }, () => {
    const to = 1 + below(count - 1);
    const height = boxes[to]?.height ?? 0;
    return { from: `n${below(to)}`, to: `n${to}`, arrives: height / (1 + below(3)) };
  });
  return { boxes, links };
}

type Box = { width: number; height: number };
type Point = { x: number; y: number };

function isWithin(points: readonly Point[], box: Box, at: Point | undefined) {
  if (!at) return false;
  const [right, bottom] = [at.x + box.width - 1, at.y + box.height - 1];
  return points.some(({ x, y }) => x > at.x + 1 && x < right && y > at.y + 1 && y < bottom);
}

/** Points on a path of lines and cubic curves. */
function pointsOf(path: string) {
  const points: Point[] = [];
  for (const [, kind = '', text = ''] of path.matchAll(/([MLC])([^MLC]*)/g)) {
    const numbers = text.trim().split(/\s+/).map(Number);
    const [start = { x: 0, y: 0 }] = points.slice(-1);
    const [a = 0, b = 0, c = 0, d = 0, x = a, y = b] = numbers;
    const end = kind === 'C' ? { x, y } : { x: a, y: b };
    const [one, two] =
      kind === 'C'
        ? [
            { x: a, y: b },
            { x: c, y: d },
          ]
        : [start, end];
    for (let step = 0; kind !== 'M' && step < 24; step++) {
      const [t, u] = [step / 24, 1 - step / 24];
      const mix = (p: number, q: number, r: number, s: number) =>
        u ** 3 * p + 3 * u * u * t * q + 3 * u * t * t * r + t ** 3 * s;
      points.push({ x: mix(start.x, one.x, two.x, end.x), y: mix(start.y, one.y, two.y, end.y) });
    }
    points.push(end);
  }
  return points;
}
