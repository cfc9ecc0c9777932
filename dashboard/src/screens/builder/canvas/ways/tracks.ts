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

/** Between wires in one gap. */
const apart = 7;
/** From the card below, and from the card above, below which a test shows what a step has made. */
const wishes = { above: 14 - clear, below: 38 - clear };
const farthest = 80;

type Part = { routed: Routed; at: number; left: number; right: number };
type Taken = { y: number; left: number; right: number; port: string };

/**
 * Moves the parts of the wires between their bends; those that cannot be moved stay.
 *
 * @param direct wires that do not lead around cards; of these the level ones are in the way of others.
 */
export function spread(field: Field, wires: readonly Routed[], direct: readonly Ported[]): void {
  const taken = [...wires.flatMap(firstAndLast), ...direct.flatMap(level)];
  const parts = wires.flatMap(partsOf);
  // The shorter lies nearer to the card, so that the longer one leads around both.
  parts.sort((a, b) => a.right - a.left - (b.right - b.left));
  const rows = new Map<number, Taken[]>();
  for (const one of taken) put(rows, one);
  for (const part of parts) {
    const { routed, at, left, right } = part;
    const [before, after] = [routed.bends[at], routed.bends[at + 1]];
    if (!before || !after) continue;
    const y = heightFor(field, rows, part, before);
    const moved = [
      { ...before, to: y },
      { ...after, from: y },
    ] as const;
    const isFree =
      y === before.to ||
      !(
        field.onBend(moved[0], routed) ||
        field.onBend(moved[1], routed) ||
        field.first(y, left, right, routed)
      );
    if (isFree) routed.bends.splice(at, 2, ...moved);
    put(rows, { y: isFree ? y : before.to, left, right, port: routed.port });
  }
}

const partsOf = (routed: Routed): Part[] =>
  routed.bends.slice(1).map((bend, index) => ({
    ...{ routed, at: index },
    left: routed.bends[index]?.right ?? bend.left,
    right: bend.left,
  }));

/** These stay at the heights of their ports. */
function firstAndLast({ start, end, port, bends }: Routed): Taken[] {
  const [first, last] = [bends[0]?.left ?? start.x, bends.at(-1)?.right ?? end.x];
  return [
    { y: start.y, left: start.x, right: first, port },
    { y: end.y, left: last, right: end.x, port },
  ].filter(({ left, right }) => right - left > 1);
}

const level = ({ start, end, port }: Ported): Taken[] =>
  Math.abs(end.y - start.y) < apart && end.x > start.x
    ? [{ y: start.y, left: start.x, right: end.x, port }]
    : [];

function heightFor(
  field: Field,
  rows: ReadonlyMap<number, Taken[]>,
  { routed, left, right }: Part,
  bend: Bend,
): number {
  const { top, bottom } = field.room(bend.to, left, right, farthest, routed);
  const room = bottom - top;
  const isAtTop = bend.to - top < bottom - bend.to;
  const wish = isAtTop ? top + Math.min(wishes.below, room) : bottom - Math.min(wishes.above, room);
  const best = room < 2 * (wishes.above + clear) ? (top + bottom) / 2 : wish;
  const part = { left, right, port: routed.port };
  for (let step = 0; step <= room / apart + 1; step++) {
    for (const side of isAtTop ? [1, -1] : [-1, 1]) {
      const y = Math.round(best + side * step * apart);
      if (y >= top && y <= bottom && isFreeAt(rows, y, part)) return y;
    }
  }
  return best;
}

const rowOf = (y: number) => Math.floor(y / apart);

function put(rows: Map<number, Taken[]>, one: Taken) {
  const row = rows.get(rowOf(one.y));
  if (row) row.push(one);
  else rows.set(rowOf(one.y), [one]);
}

function isFreeAt(
  rows: ReadonlyMap<number, Taken[]>,
  y: number,
  { left, right, port }: Omit<Taken, 'y'>,
): boolean {
  for (let row = rowOf(y) - 1; row <= rowOf(y) + 1; row++) {
    for (const one of rows.get(row) ?? []) {
      const isNear = Math.abs(one.y - y) < apart && one.left < right && one.right > left;
      if (isNear && (one.port !== port || one.y !== y)) return false;
    }
  }
  return true;
}
