/**
 * Positions the nodes of a directed graph in layers, left to right or top to bottom, each node
 * after all it depends on, with rows ordered to reduce crossings. Pure; graph-view.tsx draws it.
 */

export type LayoutNode = { key: string; width: number; height: number };
export type LayoutEdge = { from: string; to: string };

export type Placed = { x: number; y: number };
export type Layout = {
  width: number;
  height: number;
  nodes: ReadonlyMap<string, Placed>;
  edges: { from: string; to: string; path: string }[];
};

/** The direction of the layers; down is for narrow screens. */
export type Direction = 'right' | 'down';

const gap = { x: 64, y: 24 };
/** The order is stable after a few sweeps; more make no visible difference. */
const sweeps = 4;

export function layoutGraph(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  direction: Direction = 'right',
): Layout {
  if (direction === 'right') return layoutToRight(nodes, edges);
  // The same layout with swapped axes.
  const turned = layoutToRight(
    nodes.map(({ key, width, height }) => ({ key, width: height, height: width })),
    edges,
    ({ x, y }) => `${y} ${x}`,
  );
  return {
    width: turned.height,
    height: turned.width,
    nodes: new Map([...turned.nodes].map(([key, { x, y }]) => [key, { x: y, y: x }])),
    edges: turned.edges,
  };
}

function layoutToRight(
  nodes: readonly LayoutNode[],
  given: readonly LayoutEdge[],
  write = ({ x, y }: Placed) => `${x} ${y}`,
): Layout {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const edges = distinct(given).filter(
    ({ from, to }) => from !== to && byKey.has(from) && byKey.has(to),
  );
  const layers = orderLayers(layersOf(nodes, edges), edges);

  const heights = layers.map((layer) => sum(layer, byKey, 'height') + gap.y * (layer.length - 1));
  const height = Math.max(0, ...heights);
  const placed = new Map<string, Placed>();
  let x = 0;
  for (const [index, layer] of layers.entries()) {
    let y = (height - (heights[index] ?? 0)) / 2;
    for (const key of layer) {
      placed.set(key, { x, y });
      y += (byKey.get(key)?.height ?? 0) + gap.y;
    }
    x += Math.max(0, ...layer.map((key) => byKey.get(key)?.width ?? 0)) + gap.x;
  }
  return {
    width: Math.max(0, x - gap.x),
    height,
    nodes: placed,
    edges: edges.map((edge) => ({ ...edge, path: curve(edge, placed, byKey, write) })),
  };
}

function distinct(edges: readonly LayoutEdge[]) {
  return [...new Map(edges.map((edge) => [JSON.stringify([edge.from, edge.to]), edge])).values()];
}

/** By the longest path from a start node. A cycle, possible in a draft, is cut where it closes. */
function layersOf(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): string[][] {
  const parents = Map.groupBy(edges, (edge) => edge.to);
  const depths = new Map<string, number>();
  const depthOf = (key: string, above: ReadonlySet<string>): number => {
    const known = depths.get(key);
    if (known !== undefined) return known;
    const path = new Set(above).add(key);
    const depth = Math.max(
      -1,
      ...(parents.get(key) ?? [])
        .filter((edge) => !path.has(edge.from))
        .map((edge) => depthOf(edge.from, path)),
    );
    depths.set(key, depth + 1);
    return depth + 1;
  };
  const layers: string[][] = [];
  for (const { key } of nodes) {
    const depth = depthOf(key, new Set());
    while (layers.length <= depth) layers.push([]);
    layers[depth]?.push(key);
  }
  return layers.filter((layer) => layer.length > 0);
}

/** Sweeps back and forth, each time ordering a layer by the median of its neighbours. */
function orderLayers(given: string[][], edges: readonly LayoutEdge[]): string[][] {
  const layers = given.map((layer) => [...layer]);
  const before = Map.groupBy(edges, (edge) => edge.to);
  const after = Map.groupBy(edges, (edge) => edge.from);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForth = sweep % 2 === 0;
    const place = new Map(
      layers.flatMap((layer) => layer.map((key, row) => [key, middle(layer, row)])),
    );
    for (const layer of isForth ? layers : [...layers].reverse()) {
      const wish = new Map(
        layer.map((key) => {
          const neighbours = isForth
            ? (before.get(key) ?? []).map((edge) => edge.from)
            : (after.get(key) ?? []).map((edge) => edge.to);
          const rows = neighbours.map((one) => place.get(one) ?? 0);
          const own = place.get(key) ?? 0;
          return [key, rows.length === 0 ? own : rows.reduce((a, b) => a + b, 0) / rows.length];
        }),
      );
      layer.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
      for (const [row, key] of layer.entries()) place.set(key, middle(layer, row));
    }
  }
  return layers;
}

/** Rows are counted from the middle, because layers of different length are centred. */
const middle = (layer: readonly string[], row: number) => row - (layer.length - 1) / 2;

function sum(layer: string[], nodes: ReadonlyMap<string, LayoutNode>, field: 'height' | 'width') {
  return layer.reduce((total, key) => total + (nodes.get(key)?.[field] ?? 0), 0);
}

function curve(
  { from, to }: LayoutEdge,
  placed: ReadonlyMap<string, Placed>,
  nodes: ReadonlyMap<string, LayoutNode>,
  write: (point: Placed) => string,
) {
  const [a, b] = [placed.get(from), placed.get(to)];
  const [source, target] = [nodes.get(from), nodes.get(to)];
  if (!a || !b || !source || !target) return '';
  const start = { x: a.x + source.width, y: a.y + source.height / 2 };
  const end = { x: b.x, y: b.y + target.height / 2 };
  const bend = Math.max(24, Math.abs(end.x - start.x) / 2);
  const leave = { x: start.x + bend, y: start.y };
  const arrive = { x: end.x - bend, y: end.y };
  return `M${write(start)}C${write(leave)} ${write(arrive)} ${write(end)}`;
}
