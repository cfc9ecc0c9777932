import { moveNodes } from '@cogworks/graph/edit/edits';
import { definitions, edge, graph, node } from '@cogworks/graph/examples';
import type { Graph } from '@cogworks/graph/types';
import { describe, expect, it } from 'vitest';
import { placesOf, tidied } from '../../layout/places.ts';
import { curve } from '../curve.ts';
import { FarLines } from '../far-lines.ts';
import { Flow, type FlowEdge, type FlowNode } from '../flow.ts';
import { drawnLanes } from '../lanes-drawn.ts';
import { type Box, Field } from './field.ts';
import { endsOf, KeptWays, lineOf } from './kept-ways.ts';
import { type Wired, waysIn, waysOf } from './ways.ts';

const size = { width: 240, height: 110 };
const card = (id: string, x: number, y: number): Box => ({ id, x, y, ...size });

/** From the right of one card to the left of another, at a height of both. */
const wire = (from: Box, to: Box, at = 60, id = `${from.id}>${to.id}`): Wired => ({
  ...{ id, source: from.id, target: to.id, port: `${from.id} ${at}` },
  start: { x: from.x + from.width + 6, y: from.y + at },
  end: { x: to.x - 6, y: to.y + at },
});

const [left, right] = [card('left', 0, 0), card('right', 1200, 0)];
const across = wire(left, right);

describe('the way of a wire', () => {
  it('is a direct curve where that meets no card', () => {
    const boxes = [left, right, card('above', 600, -200), card('below', 600, 200)];
    expect(waysOf(boxes, [across]).size).toBe(0);
    const { start, end } = across;
    expect(lineOf(undefined, start, end)).toBe(curve(start, end));
  });

  it('leads above or below a card between, whichever is nearer, and back', () => {
    for (const [y, side] of [
      [20, -1],
      [-20, 1],
    ] as const) {
      const between = card('between', 500, y);
      const points = pathOf([left, right, between], across);
      expect(behind(points, [between])).toEqual([]);
      const middle = points.filter((point) => point.x > 500 && point.x < 740);
      expect(middle.every((point) => Math.sign(point.y - across.start.y) === side)).toBe(true);
      expect(turnsOf(points)).toBe(2);
    }
  });

  it('passes cards of nearly one height without a step between them', () => {
    const cards = [card('a', 400, -30), card('b', 700, -38)];
    const points = pathOf([left, right, ...cards], across);
    expect(behind(points, cards)).toEqual([]);
    expect(turnsOf(points)).toBe(2);
  });

  it('leads around cards that leave no room between them', () => {
    const wall = [0, 1, 2, 3].map((at) => card(`wall ${at}`, 560, -150 + at * 118));
    const points = pathOf([left, right, ...wall], across);
    expect(behind(points, wall)).toEqual([]);
  });

  it('is direct where cards are packed wall to wall', () => {
    const wall = Array.from({ length: 40 }, (_, at) => card(`wall ${at}`, 560, -2300 + at * 114));
    expect(waysOf([left, right, ...wall], [across]).size).toBe(0);
    const beside = [card('beside', 256, 0), card('above', 256, -114), card('below', 256, 114)];
    expect(waysOf([left, right, ...beside], [across]).size).toBe(0);
  });

  it('is direct where the wire leads back', () => {
    const between = card('between', 600, -20);
    expect(waysOf([left, right, between], [wire(right, left)]).size).toBe(0);
  });

  it('lies beside the ways of others, but on those from the same port', () => {
    const between = card('between', 560, 10);
    const one = wire(left, right, 60, 'one');
    const forked = { ...one, id: 'three', end: { ...one.end, y: 40 } };
    const all = waysOf([left, right, between], [one, wire(left, right, 64, 'two'), forked]);
    const [first = 0, second = 0, third] = ['one', 'two', 'three'].map((id) =>
      heightAt(pointsOf(across.start, all.get(id)?.path ?? ''), 680),
    );
    expect(Math.abs(first - second)).toBeGreaterThanOrEqual(10);
    expect(third).toBe(first);
  });

  it('joins another wire to the same port only shortly before it', () => {
    const [far, near] = [card('far', -600, 0), card('near', -200, -300)];
    const target = card('target', 1200, 0);
    const cards = [card('a', 200, -230), card('b', 500, -290)];
    const joined = { ...wire(near, target), end: wire(far, target).end };
    const path = waysOf([far, near, target, ...cards], [wire(far, target, 60), joined]);
    const points = pointsOf(joined.start, path.get(joined.id)?.path ?? '');
    expect(heightAt(points, 800)).toBeLessThanOrEqual(60 - 10);
    expect(heightAt(points, 1100)).toBeLessThanOrEqual(60 - 10);
    expect(points.at(-1)).toEqual(joined.end);
  });
});

describe('the ways of a whole graph', () => {
  it('run behind no card after Tidy', () => {
    for (let seed = 1; seed <= 12; seed++) {
      const made = generated(seed, 60);
      const { nodes } = tidied(made, definitions);
      expect(wiresBehind(moveNodes(made, nodes)), `seed ${seed}`).toEqual([]);
    }
  });

  it('run behind no card either where cards were placed by hand', () => {
    for (let seed = 1; seed <= 6; seed++) {
      const below = random(seed);
      const made = generated(seed, 60, 6);
      const places = made.nodes.map(({ key }, index) => {
        const [column, row] = [Math.floor(index / 6), index % 6];
        return [key, { x: column * 352 + below(60), y: row * 170 + below(60) }] as const;
      });
      expect(wiresBehind(moveNodes(made, new Map(places))), `seed ${seed}`).toEqual([]);
    }
  });

  it('are found by a look at few of a thousand cards', () => {
    const rows = 25;
    const below = random(3);
    const boxes = Array.from({ length: 1000 }, (_, index) =>
      card(`n${index}`, Math.floor(index / rows) * 352, (index % rows) * 160),
    );
    const wires = boxes.flatMap((box, index) => {
      const later = Math.min(boxes.length - 1, index + rows * (1 + below(4)) + below(9) - 4);
      const [next, to] = [boxes[index + rows], boxes[later]];
      return next && to ? [wire(box, next, 60), wire(box, to, 86)] : [];
    });
    const field = new Field(boxes);
    const ways = waysIn(field, wires);
    expect(ways.size).toBeGreaterThan(400);
    expect(field.looks / wires.length).toBeLessThan(40);
  });
});

const three = graph(
  [
    node('a', 1, { position: { x: 0, y: 0 } }),
    node('b', 1, { position: { x: 500, y: 300 } }),
    node('c', 1, { position: { x: 1000, y: 0 } }),
    node('d', 1, { position: { x: 0, y: 600 } }),
    node('e', 1, { position: { x: 500, y: 590 } }),
    node('f', 1, { position: { x: 1000, y: 600 } }),
  ],
  ['a.out > c.in', 'd.out > f.in', 'b.out > f.in'],
);
const between = moveNodes(three, new Map([['b', { x: 500, y: 0 }]]));

describe('the wires of the canvas', () => {
  it('get ways when a card has been dropped, and those that stay keep their objects', () => {
    const draw = drawer();
    const before = draw(three);
    expect(before.map(({ data }) => data?.way !== undefined)).toEqual([false, true, false]);
    expect(draw(three)).toBe(before);
    const moving = new Map([['node:b', { x: 500, y: 40 }]]);
    expect(draw(three, moving)).toBe(before);
    const after = draw(between);
    expect(after.map(({ data }) => data?.way !== undefined)).toEqual([true, true, false]);
    expect(after.map((one, at) => one === before[at])).toEqual([false, true, true]);
  });

  it('are the same list after a card has been moved that none of them has to do with', () => {
    const draw = drawer();
    const before = draw(three);
    const aside = moveNodes(three, new Map([['b', { x: 500, y: 280 }]]));
    expect(draw(aside)).toBe(before);
  });

  it('are direct curves while a card at one of their ends is dragged', () => {
    const [, led] = drawer()(three);
    const way = led?.data?.way;
    if (!way) throw new Error('There is no way.');
    const dragged = { x: way.start.x, y: way.start.y + 8 };
    expect(lineOf(way, way.start, way.end)).toBe(way.path);
    expect(lineOf(way, dragged, way.end)).toBe(curve(dragged, way.end));
  });

  it('have the same ways from afar', () => {
    const { nodes, edges } = drawn(between);
    const [first] = new FarLines().of(nodes, edges.slice(0, 1), new Set());
    expect(first?.path).toContain(edges[0]?.data?.way?.path ?? 'none');
  });
});

/** Draws a graph, and the same again after changes. */
function drawer() {
  const flow = new Flow();
  const ways = new KeptWays();
  const lanes = drawnLanes(three, definitions);
  const [selection, lit, faults] = [new Set<string>(), new Set<string>(), new Map()];
  return (now: Graph, moved = new Map<string, { x: number; y: number }>()) => {
    const places = placesOf(now, definitions);
    const given = { graph: now, definitions, places, lanes, selection, current: undefined };
    const all = { ...given, faults, moved };
    return ways.edges(flow.nodes(all), flow.edges(all, lit), moved.size === 0);
  };
}

function drawn(now: Graph): { nodes: FlowNode[]; edges: FlowEdge[] } {
  const flow = new Flow();
  const given = {
    ...{ graph: now, definitions, places: placesOf(now, definitions) },
    ...{ lanes: drawnLanes(now, definitions), selection: new Set<string>() },
    ...{ current: undefined, faults: new Map(), moved: new Map() },
  };
  const nodes = flow.nodes(given);
  const edges = new KeptWays().edges(nodes, flow.edges(given, new Set()), true);
  return { nodes, edges };
}

/** Which wires run behind which cards that are not at their ends. */
function wiresBehind(now: Graph): string[] {
  const { nodes, edges } = drawn(now);
  const known = new Map(nodes.map((one) => [one.id, one]));
  const boxes = nodes.map(({ id, position, width = 0, height = 0 }) => ({
    ...{ id, ...position, width, height },
  }));
  return edges.flatMap((one) => {
    const [from, to] = [known.get(one.source), known.get(one.target)];
    const ends = from && to && endsOf(one, from, to);
    if (!ends) throw new Error('A wire has no ends.');
    const points = pointsOf(ends.start, lineOf(one.data?.way, ends.start, ends.end));
    const others = boxes.filter(({ id }) => id !== one.source && id !== one.target);
    return behind(points, others).map((id) => `${one.id} behind ${id}`);
  });
}

function random(seed: number) {
  let state = seed * 7919 + 17;
  return (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}

/** Every node follows one of the few before those of its column; many wires are long. */
function generated(seed: number, count: number, rows = 1): Graph {
  const below = random(seed);
  const keys = Array.from({ length: count }, (_, index) => `n${index}`);
  const before = (index: number) => index - (index % rows) - 1;
  const near = keys.slice(rows).map((key, index) => {
    const last = before(index + rows);
    return `n${last - below(Math.min(last + 1, 6))}.out > ${key}.left`;
  });
  const far = keys.slice(rows).flatMap((key, index) => {
    const from = below(before(index + rows) + 1);
    return below(5) < 3 ? [`n${from}.out > ${key}.${below(2) ? 'left' : 'right'}`] : [];
  });
  const all = new Set([...near, ...far, 'files > n0.left', `files > n${count >> 1}.right`]);
  return graph(
    keys.map((key) => node(key, 6)),
    [...all].map((words) => edge(words)),
  );
}

type Point = { x: number; y: number };

function pathOf(boxes: readonly Box[], line: Wired): Point[] {
  const way = waysOf(boxes, [line]).get(line.id);
  expect(way).toMatchObject({ start: line.start, end: line.end });
  const points = pointsOf(line.start, way?.path ?? '');
  expect(points.at(-1)).toEqual(line.end);
  return points;
}

const behind = (points: readonly Point[], boxes: readonly Box[]) =>
  boxes.flatMap(({ id, x, y, width, height }) =>
    points.some((at) => at.x > x && at.x < x + width && at.y > y && at.y < y + height) ? [id] : [],
  );

/** How often a line leaves a height for another. */
function turnsOf(points: readonly Point[]): number {
  const isLevel = points.slice(1).map(({ y }, at) => Math.abs(y - (points[at]?.y ?? 0)) < 0.001);
  return isLevel.filter((level, at) => !level && isLevel[at - 1] !== false).length;
}

const heightAt = (points: readonly Point[], x: number) =>
  points.find((point, at) => point.x >= x && (points[at - 1]?.x ?? x) <= x)?.y;

/** Points on a path of horizontal lines and cubic curves. */
function pointsOf(start: Point, path: string): Point[] {
  const points = [start];
  for (const [, kind, text = ''] of path.matchAll(/([HC])([^HC]*)/g)) {
    const from = points.at(-1) ?? start;
    const numbers = text.trim().split(/[ ,]+/).map(Number);
    const [a = 0, b = 0, c = 0, d = 0, x = a, y = b] =
      kind === 'C' ? numbers : [from.x, from.y, numbers[0], from.y, numbers[0], from.y];
    for (let step = 1; step <= 40; step++) {
      const [t, u] = [step / 40, 1 - step / 40];
      const mix = (p: number, q: number, r: number, s: number) =>
        u ** 3 * p + 3 * u * u * t * q + 3 * u * t * t * r + t ** 3 * s;
      points.push({ x: mix(from.x, a, c, x), y: mix(from.y, b, d, y) });
    }
  }
  return points;
}
