/**
 * Leads one wire around the cards between its ends: horizontally past each card that is in the way, to
 * the next height by a bend before it. Searches the way that rises and falls least. Pure.
 */
import type { Placed } from '../../../../ui/graph-layout.ts';
import type { Bend } from './bend.ts';
import type { Block, Ends, Field } from './field.ts';

export type Line = Ends & { start: Placed; end: Placed };

/** Narrower, a bend would look like a step. */
const narrowest = 24;
/** As much worse is a way with one bend more. */
const bendCost = 80;
/** A wire with none better keeps its direct curve, instead of leading around half of the graph. */
const mostDetour = 800;
/** Of the ways that are looked at for one wire, and one more for each of these pixels. */
const mostTried = 32;
const width = 80;
/** What the rest of a way costs about, for a pixel: ways that have come far are looked at first. */
const restCost = 0.2;
const mostClimbs = 40;

/**
 * A horizontal line that begins at x, and the bend that leads to it: what it cost until there, and
 * what a whole way would cost that begins like this.
 */
type Reached = Placed & { cost: number; whole: number; bend?: Bend; before?: Reached };

/** The bends of a wire from left to right; undefined if there is no free way. */
export function findBends(field: Field, line: Line): Bend[] | undefined {
  const { start, end } = line;
  // From here on nothing is in the way at the height of the target.
  const free = field.last(end.y, start.x, end.x, line)?.right ?? start.x;
  const first: Reached = { ...start, cost: 0, whole: rest(start, end) };
  const early = bendFrom(field, line, first);
  const open = early ? [first, early] : [first];
  const limit = first.whole + 2 * mostDetour;
  const seen = new Set<string>();
  const most = mostTried + (end.x - start.x) / width;
  for (let tried = 0; tried < most; tried++) {
    const best = takeBest(open);
    if (!best) return undefined;
    const block = field.first(best.y, best.x, end.x, line);
    const last = lastBend(field, line, best, { left: free, right: block?.left ?? end.x });
    if (last) return simpler(field, line, [...bendsTo(best), ...last]);
    if (!block) continue;
    const name = `${block.id} ${Math.round(best.y)}`;
    if (seen.has(name)) continue;
    seen.add(name);
    for (const side of [-1, 1] as const) {
      const next = past(field, line, best, block, side);
      if (next && next.whole < limit) open.push(next);
    }
  }
  return undefined;
}

function takeBest(open: Reached[]): Reached | undefined {
  let [at, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, { whole }] of open.entries()) {
    if (whole < least) [at, least] = [index, whole];
  }
  return open.splice(at, 1)[0];
}

/** About what it costs from a place to the end. */
function rest({ x, y }: Placed, end: Placed): number {
  const rise = Math.abs(end.y - y);
  return rise + (rise < 0.5 ? 0 : bendCost) + restCost * (end.x - x);
}

function bendsTo(reached: Reached): Bend[] {
  const bends: Bend[] = [];
  for (let one: Reached | undefined = reached; one; one = one.before) {
    if (one.bend) bends.unshift(one.bend);
  }
  return bends;
}

function after(before: Reached, bend: Bend, end: Placed): Reached {
  const [x, y] = [bend.right, bend.to];
  const cost = before.cost + Math.abs(bend.to - bend.from) + bendCost;
  return { x, y, cost, whole: cost + rest({ x, y }, end), bend, before };
}

/** At once to the height of the target. */
function bendFrom(field: Field, line: Line, start: Reached): Reached | undefined {
  const { end } = line;
  const right = field.first(start.y, start.x, end.x, line)?.left ?? end.x;
  const bend = fitting(field, line, { left: start.x, right, from: start.y, to: end.y }, 'left');
  return bend && after(start, bend, end);
}

/** To the end of the wire by one bend, or by none; undefined if cards are in the way. */
function lastBend(
  field: Field,
  line: Line,
  { x, y }: Reached,
  free: { left: number; right: number },
): Bend[] | undefined {
  const { end } = line;
  if (Math.abs(end.y - y) < 0.5) return free.right === end.x ? [] : undefined;
  const room = { left: Math.max(x, free.left), right: free.right, from: y, to: end.y };
  const bend = fitting(field, line, room, 'right') ?? fitting(field, line, room, 'left');
  return bend && [bend];
}

/** Above (-1) or below (1) a card, and all that stand so near that nothing passes between. */
function past(
  field: Field,
  line: Line,
  from: Reached,
  block: Block,
  side: -1 | 1,
): Reached | undefined {
  const edge = ({ top, bottom }: Block) => (side < 0 ? top : bottom);
  let x = block.left;
  let y = edge(block);
  for (let climb = 0; climb < mostClimbs && x - from.x >= narrowest; climb++) {
    const beyond = field.first(y, x, block.right, line);
    if (beyond) {
      y = edge(beyond);
      x = Math.min(x, beyond.left);
      continue;
    }
    const room = { left: from.x, right: x, from: from.y, to: y };
    const bend = fitting(field, line, room, 'right');
    if (bend) return after(from, bend, line.end);
    // What stands before the card has to be passed, too.
    const near = field.onBend({ ...room, left: x - narrowest }, line);
    if (!near) return undefined;
    x = Math.min(x, near.left);
  }
  return undefined;
}

/** The widest bend that meets no card, at the left or the right of a room. */
export function fitting(
  field: Field,
  ends: Ends,
  { left, right, from, to }: Bend,
  side: 'left' | 'right',
): Bend | undefined {
  const wish = Math.min(320, Math.max(96, 64 + Math.abs(to - from)));
  const widest = Math.min(wish, right - left);
  for (const width of [widest, 96, 64, 40, narrowest]) {
    if (width > widest || width < narrowest) continue;
    const bend =
      side === 'left'
        ? { left, right: left + width, from, to }
        : { left: right - width, right, from, to };
    if (!field.onBend(bend, ends)) return bend;
  }
  return undefined;
}

/** Leaves out a height between two others where the next one is free, too. */
function simpler(field: Field, line: Line, bends: Bend[]): Bend[] {
  for (let at = 0; at + 1 < bends.length; at++) {
    const [one, next] = [bends[at], bends[at + 1]];
    if (!one || !next) break;
    const left = bends[at - 1]?.right ?? line.start.x;
    const room = { left, right: one.right, from: one.from, to: next.to };
    if (field.first(next.to, one.right, next.right, line)) continue;
    const bend = fitting(field, line, room, 'right');
    if (!bend) continue;
    bends.splice(at, 2, bend);
    at = Math.max(-1, at - 2);
  }
  return bends;
}
