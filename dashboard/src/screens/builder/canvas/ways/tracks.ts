/**
 * The heights of the horizontal parts of wires that lead around cards: with some distance from the
 * cards, and a few pixels apart where several pass through one gap. Pure.
 */
import type { Bend } from './bend.ts';
import { clear, type Field } from './field.ts';
import type { Line } from './find-bends.ts';

/** From a port. Wires of one port may share their way, which shows where they part. */
type Ported = Line & { port: string };

/** A wire that leads around cards. */
export type Routed = Ported & { bends: Bend[] };

/** Between wires in one gap, and where there is less room. Nearer, two would look like one double line. */
const apart = 10;
const nearest = 5;
/** From the card below, and from the card above, below which a test shows what a step has made. */
const wishes = { above: 14 - clear, below: 38 - clear };
const farthest = 80;

/** A wire to a port where others arrive joins them so far before it. */
const joining = 64;

type Part = { routed: Routed; at: number; left: number; right: number };
type Taken = { y: number; left: number; right: number; port: string };
type Rows = Map<number, Taken[]>;

/**
 * Moves the parts of the wires between their bends; those that cannot be moved stay.
 *
 * @param direct wires that do not lead around cards; of these the level ones are in the way of others.
 */
export function spread(field: Field, wires: readonly Routed[], direct: readonly Ported[]): void {
  const rows: Rows = new Map();
  for (const one of [...wires.flatMap(first), ...direct.flatMap(level)]) put(rows, one);
  const parts = wires.flatMap(partsOf);
  // The longer stays, since the shorter comes to it from the side.
  for (const routed of wires.toSorted((a, b) => lengthOfLast(b) - lengthOfLast(a))) {
    moveLast(field, rows, routed);
  }
  // The shorter lies nearer to the card, so that the longer one leads around both.
  parts.sort((a, b) => a.right - a.left - (b.right - b.left));
  for (const part of parts) move(field, rows, part);
}

function move(field: Field, rows: Rows, part: Part) {
  const { routed, at, left, right } = part;
  const [before, after] = [routed.bends[at], routed.bends[at + 1]];
  if (!before || !after) return;
  const y = heightFor(field, rows, part, before);
  const moved = [
    { ...before, to: y },
    { ...after, from: y },
  ];
  const isMoved = isFreeOfCards(field, routed, moved, { y, left, right });
  if (isMoved) routed.bends.splice(at, 2, ...moved);
  put(rows, { y: isMoved ? y : before.to, left, right, port: routed.port });
}

const isFreeOfCards = (
  field: Field,
  ends: Line,
  bends: readonly Bend[],
  { y, left, right }: { y: number; left: number; right: number },
) => !field.first(y, left, right, ends) && bends.every((bend) => !field.onBend(bend, ends));

/** The part to the target; if others lie there, beside them, on the side that it comes from. */
function moveLast(field: Field, rows: Rows, routed: Routed) {
  const { end, port, bends } = routed;
  const last = bends.at(-1);
  if (!last || end.x - last.right < 1) return;
  const taken = { y: end.y, left: last.right, right: end.x, port };
  const side = last.from < end.y ? -1 : 1;
  for (const lines of lengthOfLast(routed) > 2 * joining ? [0, 1, 2, 3] : [0]) {
    const y = end.y + side * lines * apart;
    if (!isFreeAt(rows, y, taken)) continue;
    if (lines === 0) break;
    const left = end.x - joining;
    const moved = [
      { ...last, to: y },
      { left, right: end.x, from: y, to: end.y },
    ];
    if (!isFreeOfCards(field, routed, moved, { y, left: last.right, right: left })) continue;
    bends.splice(-1, 1, ...moved);
    return put(rows, { ...taken, y, right: left });
  }
  put(rows, taken);
}

const lengthOfLast = ({ end, bends }: Routed) => end.x - (bends.at(-1)?.right ?? end.x);

const partsOf = (routed: Routed): Part[] =>
  routed.bends.slice(1).map((bend, index) => ({
    ...{ routed, at: index },
    left: routed.bends[index]?.right ?? bend.left,
    right: bend.left,
  }));

/** The part from the source stays at the height of its port. */
const first = ({ start, port, bends }: Routed): Taken[] => {
  const right = bends[0]?.left ?? start.x;
  return right - start.x > 1 ? [{ y: start.y, left: start.x, right, port }] : [];
};

const level = ({ start, end, port }: Ported): Taken[] =>
  Math.abs(end.y - start.y) < apart && end.x > start.x
    ? [{ y: start.y, left: start.x, right: end.x, port }]
    : [];

function heightFor(field: Field, rows: Rows, { routed, left, right }: Part, bend: Bend): number {
  const { top, bottom } = field.room(bend.to, left, right, farthest, routed);
  const room = bottom - top;
  const isAtTop = bend.to - top < bottom - bend.to;
  const wish = isAtTop ? top + Math.min(wishes.below, room) : bottom - Math.min(wishes.above, room);
  const best = room < 2 * (wishes.above + clear) ? (top + bottom) / 2 : wish;
  const part = { left, right, port: routed.port };
  const shared = sharedNear(rows, best, part);
  if (shared !== undefined && shared >= top && shared <= bottom && isFreeAt(rows, shared, part)) {
    return shared;
  }
  for (const distance of [apart, nearest]) {
    for (let step = 0; step <= room / nearest; step++) {
      for (const side of isAtTop ? [1, -1] : [-1, 1]) {
        const y = Math.round(best + side * step * nearest);
        if (y >= top && y <= bottom && isFreeAt(rows, y, part, distance)) return y;
      }
    }
  }
  return best;
}

const rowOf = (y: number) => Math.floor(y / apart);

function put(rows: Rows, one: Taken) {
  const row = rows.get(rowOf(one.y));
  if (row) row.push(one);
  else rows.set(rowOf(one.y), [one]);
}

/** The height of a wire of the same port that lies nearby. */
function sharedNear(rows: Rows, y: number, { left, right, port }: Omit<Taken, 'y'>) {
  const near = [-1, 0, 1].flatMap((by) => rows.get(rowOf(y) + by) ?? []);
  return near.find((one) => one.port === port && one.left < right && one.right > left)?.y;
}

function isFreeAt(
  rows: Rows,
  y: number,
  { left, right, port }: Omit<Taken, 'y'>,
  distance = apart,
): boolean {
  for (let row = rowOf(y) - 1; row <= rowOf(y) + 1; row++) {
    for (const one of rows.get(row) ?? []) {
      const isNear = Math.abs(one.y - y) < distance && one.left < right && one.right > left;
      if (isNear && (one.port !== port || one.y !== y)) return false;
    }
  }
  return true;
}
