/**
 * The second half of graph-layout.ts: the order of the items of each layer, so that few lines
 * cross, and their heights, so that lines are straight where they can be. Both change the items.
 */
/** A node, or the place that a line takes in a layer. */
export type Item = {
  width: number;
  height: number;
  layer: number;
  /** Counted from the middle of its layer. */
  row: number;
  y: number;
  /** Where its neighbours draw it to. */
  wish: number;
  before: Neighbour[];
  after: Neighbour[];
};
/** What a line leads to, where it meets that, and where this, from the top. */
export type Neighbour = { item: Item; at: number; own: number };
/** The order is stable after a few sweeps; more make no visible difference. */
const sweeps = 4;
const alignments = 4;
/** Between nodes, and between lines beside each other. */
const gaps = { node: 24, line: 12 };

/** Sweeps back and forth, each time ordering a layer by the mean of its neighbours' rows. */
export function orderRows(layers: Item[][]): void {
  for (const layer of layers) settle(layer);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForth = sweep % 2 === 0;
    for (const layer of isForth ? layers : layers.toReversed()) {
      for (const item of layer) item.wish = wishOf(item, isForth ? item.before : item.after);
      // Sorting is stable, so equal wishes keep their rows.
      layer.sort((a, b) => a.wish - b.wish);
      settle(layer);
    }
  }
}

/** Rows are counted from the middle, because layers of different length are centred. */
function settle(layer: readonly Item[]) {
  const middle = (layer.length - 1) / 2;
  for (let row = 0; row < layer.length; row++) {
    const item = layer[row];
    if (item) item.row = row - middle;
  }
}

/** The port counts as a fraction of a row, so that lines to one node arrive in its order of ports. */
function wishOf(item: Item, near: readonly Neighbour[]): number {
  if (near.length === 0) return item.row;
  let total = 0;
  for (const { item: other, at } of near) {
    const part = other.height > 0 ? at / other.height - 0.5 : 0;
    total += other.row + part * 0.9;
  }
  return total / near.length;
}

/** Moves the items of each layer towards their neighbours as far as their order and gaps allow. */
export function alignRows(layers: Item[][]): void {
  for (const layer of layers) stack(layer);
  for (let turn = 0; turn < alignments; turn++) {
    const isForth = turn % 2 === 0;
    for (const layer of isForth ? layers : layers.toReversed()) {
      for (const item of layer) {
        const near = isForth ? item.before : item.after;
        item.wish = item.y;
        if (near.length === 0) continue;
        let total = 0;
        for (const { item: other, at, own } of near) total += other.y + at - own;
        item.wish = total / near.length;
      }
      placeNear(layer);
    }
  }
}

/** One below the other, centred around 0. */
function stack(layer: readonly Item[]) {
  let y = 0;
  for (const [row, item] of layer.entries()) {
    item.y = y;
    y += item.height + gapAfter(item, layer[row + 1]);
  }
  for (const item of layer) item.y -= y / 2;
}

const gapAfter = (item: Item, next: Item | undefined) => {
  if (!next) return 0;
  return item.height === 0 && next.height === 0 ? gaps.line : gaps.node;
};

type Group = { from: number; sum: number; weight: number };

/** Least squares in a fixed order: groups that would overlap move together, to their mean wish. */
function placeNear(layer: readonly Item[]) {
  const groups: Group[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const [row, item] of layer.entries()) {
    offsets.push(offset);
    // A line prefers to be straight; a box follows.
    const weight = item.height === 0 ? 4 : 1;
    let group: Group = { from: row, sum: (item.wish - offset) * weight, weight };
    for (let last = groups.at(-1); last; last = groups.at(-1)) {
      if (last.sum / last.weight <= group.sum / group.weight) break;
      groups.pop();
      group = { from: last.from, sum: last.sum + group.sum, weight: last.weight + group.weight };
    }
    groups.push(group);
    offset += item.height + gapAfter(item, layer[row + 1]);
  }
  for (const [index, { from, sum, weight }] of groups.entries()) {
    const end = groups[index + 1]?.from ?? layer.length;
    for (let row = from; row < end; row++) {
      const item = layer[row];
      if (item) item.y = sum / weight + (offsets[row] ?? 0);
    }
  }
}
