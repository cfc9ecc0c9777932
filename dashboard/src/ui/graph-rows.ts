/**
 * The second half of graph-layout.ts: the order of the items of each layer, so that few lines
 * cross, and their heights, so that lines are straight where they can be. All lines are read many
 * times: with their numbers in arrays, not objects, the layout of 2,000 nodes takes half as long.
 */

/** A node, or the place that a line takes in a layer. */
export type Item = {
  width: number;
  height: number;
  layer: number;
  /** Among all items, from 0. */
  number: number;
  y: number;
};
/** A line between neighbouring layers; where it begins and ends, from the top of the items. */
export type Link = { from: Item; to: Item; leaves: number; arrives: number };

/** The order is stable after a few sweeps; more make no visible difference. */
const sweeps = 4;
const alignments = 4;
/** Between nodes, and between lines beside each other. */
const gaps = { node: 24, line: 12 };
/** How much of a row the port counts, so that lines to one node arrive in its order of ports. */
const portPart = 0.9;

/** Numbers all items, and sets where they stand. */
export function arrangeRows(layers: readonly (readonly Item[])[], links: readonly Link[]): void {
  const items = layers.flat();
  for (const [number, item] of items.entries()) item.number = number;
  const before = sideOf(items, links, true);
  const after = sideOf(items, links, false);
  const rows = layers.map((layer) => Int32Array.from(layer, ({ number }) => number));
  const heights = Float64Array.from(items, ({ height }) => height);
  orderRows(rows, before, after);
  const y = alignRows(rows, heights, before, after);
  for (const item of items) item.y = y[item.number] ?? 0;
}

/** The neighbours of all items in the layer before or after, one item after the other. */
type Side = {
  /** Where those of each item begin; they end where those of the next begin. */
  starts: Int32Array;
  near: Int32Array;
  /** In rows from the neighbour's middle, where the line meets it. */
  parts: Float64Array;
  /** How much lower the line meets the neighbour than the item. */
  shifts: Float64Array;
};

function sideOf({ length }: readonly Item[], links: readonly Link[], isBefore: boolean): Side {
  const starts = new Int32Array(length + 1);
  for (const { from, to } of links) {
    const after = (isBefore ? to : from).number + 1;
    starts[after] = (starts[after] ?? 0) + 1;
  }
  for (let item = 0; item < length; item++) {
    starts[item + 1] = (starts[item + 1] ?? 0) + (starts[item] ?? 0);
  }
  const next = starts.slice();
  const near = new Int32Array(links.length);
  const [parts, shifts] = [new Float64Array(links.length), new Float64Array(links.length)];
  for (const { from, to, leaves, arrives } of links) {
    const [item, other] = isBefore ? [to, from] : [from, to];
    const [own, at] = isBefore ? [arrives, leaves] : [leaves, arrives];
    const place = next[item.number] ?? 0;
    next[item.number] = place + 1;
    near[place] = other.number;
    parts[place] = other.height > 0 ? (at / other.height - 0.5) * portPart : 0;
    shifts[place] = at - own;
  }
  return { starts, near, parts, shifts };
}

/** For each item the mean of its neighbours' values, each with something added; else its own. */
function meanOf(
  item: number,
  { starts, near }: Side,
  values: Float64Array,
  added: Float64Array,
): number {
  const [first, end] = [starts[item] ?? 0, starts[item + 1] ?? 0];
  if (first === end) return values[item] ?? 0;
  let total = 0;
  for (let at = first; at < end; at++) total += (values[near[at] ?? 0] ?? 0) + (added[at] ?? 0);
  return total / (end - first);
}

/** Sweeps back and forth, each time ordering a layer by the mean of its neighbours' rows. */
function orderRows(layers: readonly Int32Array[], before: Side, after: Side): void {
  const count = before.starts.length - 1;
  const [rows, wishes] = [new Float64Array(count), new Float64Array(count)];
  const byWish = (a: number, b: number) => (wishes[a] ?? 0) - (wishes[b] ?? 0);
  for (const layer of layers) settle(layer, rows);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForth = sweep % 2 === 0;
    const side = isForth ? before : after;
    for (const layer of isForth ? layers : layers.toReversed()) {
      for (const item of layer) wishes[item] = meanOf(item, side, rows, side.parts);
      // Sorting is stable, so equal wishes keep their rows.
      layer.sort(byWish);
      settle(layer, rows);
    }
  }
}

/** Rows are counted from the middle, because layers of different length are centred. */
function settle(layer: Int32Array, rows: Float64Array): void {
  const middle = (layer.length - 1) / 2;
  for (let row = 0; row < layer.length; row++) rows[layer[row] ?? 0] = row - middle;
}

/** Moves the items of each layer towards their neighbours as far as their order and gaps allow. */
function alignRows(
  layers: readonly Int32Array[],
  heights: Float64Array,
  before: Side,
  after: Side,
): Float64Array {
  const [y, wishes] = [new Float64Array(heights.length), new Float64Array(heights.length)];
  const offsets = layers.map((layer) => offsetsOf(layer, heights));
  for (const [at, layer] of layers.entries()) stack(layer, offsets[at] ?? [], y);
  for (let turn = 0; turn < alignments; turn++) {
    const isForth = turn % 2 === 0;
    const side = isForth ? before : after;
    for (let step = 0; step < layers.length; step++) {
      const at = isForth ? step : layers.length - 1 - step;
      const layer = layers[at] ?? new Int32Array();
      for (const item of layer) wishes[item] = meanOf(item, side, y, side.shifts);
      placeNear(layer, offsets[at] ?? [], { heights, wishes, y });
    }
  }
  return y;
}

/** How far below the first item of its layer each is, if all are as near as they may be; and the end. */
function offsetsOf(layer: Int32Array, heights: Float64Array): number[] {
  const offsets = [0];
  let offset = 0;
  for (let row = 0; row < layer.length; row++) {
    const height = heights[layer[row] ?? 0] ?? 0;
    offset += height;
    const isLast = row === layer.length - 1;
    if (!isLast) {
      const isLines = height === 0 && heights[layer[row + 1] ?? 0] === 0;
      offset += isLines ? gaps.line : gaps.node;
    }
    offsets.push(offset);
  }
  return offsets;
}

/** One below the other, centred around 0. */
function stack(layer: Int32Array, offsets: readonly number[], y: Float64Array): void {
  const middle = (offsets[layer.length] ?? 0) / 2;
  for (let row = 0; row < layer.length; row++) y[layer[row] ?? 0] = (offsets[row] ?? 0) - middle;
}

type Group = { from: number; sum: number; weight: number };
type Heights = { heights: Float64Array; wishes: Float64Array; y: Float64Array };

/** Least squares in a fixed order: groups that would overlap move together, to their mean wish. */
function placeNear(
  layer: Int32Array,
  offsets: readonly number[],
  { heights, wishes, y }: Heights,
): void {
  const groups: Group[] = [];
  for (let row = 0; row < layer.length; row++) {
    const item = layer[row] ?? 0;
    // A line prefers to be straight; a box follows.
    const weight = heights[item] === 0 ? 4 : 1;
    const group = { from: row, sum: ((wishes[item] ?? 0) - (offsets[row] ?? 0)) * weight, weight };
    for (let last = groups.at(-1); last; last = groups.at(-1)) {
      if (last.sum / last.weight <= group.sum / group.weight) break;
      groups.pop();
      group.from = last.from;
      group.sum += last.sum;
      group.weight += last.weight;
    }
    groups.push(group);
  }
  for (const [index, { from, sum, weight }] of groups.entries()) {
    const end = groups[index + 1]?.from ?? layer.length;
    for (let row = from; row < end; row++) y[layer[row] ?? 0] = sum / weight + (offsets[row] ?? 0);
  }
}
