/**
 * Positions the nodes of a directed graph in layers, left to right or top to bottom, each node
 * after all it depends on. A line over several layers has a place of its own in each of them, so
 * none runs behind a node. Pure; graph-view.tsx draws it. The builder's canvas takes the places of the
 * nodes, which people move; it finds the ways of its lines itself.
 */
import { arrangeRows, type Item, type Link } from './graph-rows.ts';

export type LayoutNode = { key: string; width: number; height: number };
/** @param leaves, arrives: where the line begins and ends, from the top of the node; else the middle. */
export type LayoutEdge = {
  from: string;
  to: string;
  leaves?: number | undefined;
  arrives?: number | undefined;
};

export type Placed = { x: number; y: number };
export type Layout = {
  width: number;
  height: number;
  nodes: ReadonlyMap<string, Placed>;
  edges: { from: string; to: string; path: string }[];
};

/** The direction of the layers; down is for narrow screens. */
export type Direction = 'right' | 'down';

/** Between layers. */
const usualGap = 64;
/** Beyond these, lines over several layers are drawn without places, as none could be followed. */
const mostPlaces = 20_000;

export function layoutGraph(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  direction: Direction = 'right',
  gap = usualGap,
): Layout {
  if (direction === 'right') {
    const { width, height, at, draw } = layoutToRight(nodes, edges, gap);
    return { width, height, nodes: at, edges: draw(({ x, y }) => `${round(x)} ${round(y)}`) };
  }
  // The same layout with swapped axes.
  const turned = layoutToRight(
    nodes.map(({ key, width, height }) => ({ key, width: height, height: width })),
    edges,
    gap,
  );
  return {
    width: turned.height,
    height: turned.width,
    nodes: new Map([...turned.at].map(([key, { x, y }]) => [key, { x: y, y: x }])),
    edges: turned.draw(({ x, y }) => `${round(y)} ${round(x)}`),
  };
}

/** The nodes alone, for those who draw the lines themselves: to draw them takes a fifth of a layout. */
export const placeNodes = (
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  gap: number,
): ReadonlyMap<string, Placed> => layoutToRight(nodes, edges, gap).at;

function layoutToRight(nodes: readonly LayoutNode[], given: readonly LayoutEdge[], gap: number) {
  const items = new Map(
    nodes.map(({ key, width, height }) => [key, itemOf(width, height, 0)] as const),
  );
  const edges = distinct(given).filter(
    ({ from, to }) => from !== to && items.has(from) && items.has(to),
  );
  setLayers(items, edges);
  const { places, routes, links } = routesOf(edges, items);
  const layers = layersOf([...items.values(), ...places]);
  arrangeRows(layers, links);

  const columns: Column[] = [];
  let x = 0;
  for (const layer of layers) {
    columns.push({ start: x, end: x + widest(layer) });
    x += widest(layer) + gap;
  }
  const all = layers.flat();
  const top = least(all.map((item) => item.y));
  for (const item of all) item.y -= top;
  return {
    width: Math.max(0, x - gap),
    height: all.reduce((most, item) => Math.max(most, item.y + item.height), 0),
    at: new Map(
      [...items].map(([key, item]) => [key, { x: columns[item.layer]?.start ?? 0, y: item.y }]),
    ),
    draw: (write: (point: Placed) => string) =>
      routes.map(({ edge: { from, to }, trunk, shared, end }) => ({
        from,
        to,
        path: drawWay([...trunk.slice(0, shared), end], columns, write),
      })),
  };
}

const itemOf = (width: number, height: number, layer: number): Item => ({
  width,
  height,
  layer,
  number: 0,
  y: 0,
});
const round = (value: number) => Math.round(value * 10) / 10;
const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b), values[0] ?? 0);
const widest = (layer: readonly Item[]) =>
  layer.reduce((most, one) => Math.max(most, one.width), 0);

function distinct(edges: readonly LayoutEdge[]) {
  const nameOf = ({ from, to, leaves, arrives }: LayoutEdge) =>
    `${from.length} ${leaves} ${arrives} ${from} ${to}`;
  return [...new Map(edges.map((edge) => [nameOf(edge), edge])).values()];
}

/** By the longest path from a start node. A cycle, possible in a draft, is cut where it closes. */
function setLayers(items: ReadonlyMap<string, Item>, edges: readonly LayoutEdge[]) {
  const parents = Map.groupBy(edges, (edge) => edge.to);
  const states = new Map<string, 'open' | 'done'>();
  for (const first of items.keys()) {
    const open = [first];
    // Without recursion: a chain of thousands of nodes is deeper than the stack.
    for (let key = open.at(-1); key !== undefined; key = open.at(-1)) {
      const before = (parents.get(key) ?? []).map((edge) => edge.from);
      const item = items.get(key);
      if (item && states.get(key) === undefined) {
        states.set(key, 'open');
        open.push(...before.filter((parent) => !states.has(parent)));
        continue;
      }
      open.pop();
      if (!item || states.get(key) === 'done') continue;
      states.set(key, 'done');
      for (const parent of before) {
        const depth = states.get(parent) === 'done' ? (items.get(parent)?.layer ?? 0) : -1;
        item.layer = Math.max(item.layer, depth + 1);
      }
    }
  }
}

function layersOf(items: readonly Item[]): Item[][] {
  const layers: Item[][] = [];
  for (const item of items) {
    while (layers.length <= item.layer) layers.push([]);
    layers[item.layer]?.push(item);
  }
  return layers;
}

/** The first links of a trunk, and the last, which leads to the node. */
type Route = { edge: LayoutEdge; trunk: readonly Link[]; shared: number; end: Link };

/** The ways of all lines. Those that leave at one point share their places as far as they go together. */
function routesOf(edges: readonly LayoutEdge[], items: ReadonlyMap<string, Item>) {
  const places: Item[] = [];
  const links: Link[] = [];
  /** The links from place to place of the lines that leave at one point. */
  const trunks = new Map<string, Link[]>();
  const routes: Route[] = [];
  const lines = edges.flatMap((edge) => {
    const [from, to] = [items.get(edge.from), items.get(edge.to)];
    return from && to ? [{ edge, from, to, span: to.layer - from.layer }] : [];
  });
  // The nearest first, so that what is beyond the limit are the longest lines.
  for (const { edge, from, to, span } of lines.sort((a, b) => a.span - b.span)) {
    const leaves = edge.leaves ?? from.height / 2;
    const arrives = edge.arrives ?? to.height / 2;
    const name = `${leaves} ${edge.from}`;
    const trunk = trunks.get(name) ?? [];
    trunks.set(name, trunk);
    const needed = span - 1;
    const isDirect = needed < 1 || places.length + needed - trunk.length > mostPlaces;
    while (!isDirect && trunk.length < needed) {
      const before = trunk.at(-1)?.to ?? from;
      const place = itemOf(0, 0, from.layer + trunk.length + 1);
      const link = { from: before, to: place, leaves: before === from ? leaves : 0, arrives: 0 };
      trunk.push(link);
      places.push(place);
      links.push(link);
    }
    const shared = isDirect ? 0 : needed;
    const last = trunk[shared - 1]?.to;
    const end = { from: last ?? from, to, leaves: last ? 0 : leaves, arrives };
    if (needed === 0 || last) links.push(end);
    routes.push({ edge, trunk, shared, end });
  }
  return { places, routes, links };
}

type Column = { start: number; end: number };

/** Curves only between the layers; within a layer the line runs straight, in its own place. */
function drawWay(
  way: readonly Link[],
  columns: readonly Column[],
  write: (point: Placed) => string,
) {
  let text = '';
  /** Where a straight line has come that is not written yet: it may go on. */
  let line: Placed | undefined;
  const endLine = () => {
    if (line) text += `L${write(line)}`;
    line = undefined;
  };
  const lineTo = (point: Placed) => {
    if (line?.y !== point.y) endLine();
    line = point;
  };
  for (const { from, to, leaves, arrives } of way) {
    const a = columns[from.layer];
    const b = columns[to.layer];
    if (!a || !b) continue;
    const start = { x: a.start + from.width, y: from.y + leaves };
    const end = { x: b.start, y: to.y + arrives };
    if (text === '') text = `M${write(start)}`;
    const isForth = to.layer > from.layer;
    const bends = isForth ? { x: a.end, y: start.y } : start;
    if (bends.x !== start.x) lineTo(bends);
    if (isForth && from.width === 0 && Math.abs(end.y - start.y) < 0.05) {
      lineTo(end);
      continue;
    }
    endLine();
    const bend = Math.max(24, Math.abs(end.x - bends.x) / 2);
    const leave = { x: bends.x + bend, y: bends.y };
    const arrive = { x: end.x - bend, y: end.y };
    text += `C${write(leave)} ${write(arrive)} ${write(end)}`;
  }
  endLine();
  return text;
}
