/**
 * The ways of the wires: a direct curve where that meets no card, else around the cards between. They
 * are found when cards have come to rest; while one is dragged its wires are direct curves, since
 * their ends are no longer those of their ways. Pure.
 */
import { type Box, Field } from './field.ts';
import { findBends, type Line } from './find-bends.ts';
import { type Routed, spread } from './tracks.ts';

/** A line that does not lead directly from its start to its end; the path goes on from the start. */
export type Way = Pick<Line, 'start' | 'end'> & { path: string };

/** @param port where the wire leaves; wires of one port may share their way. */
export type Wired = Line & { id: string; port: string };

/** Ends so near leave no room to lead around anything. */
const nearest = 56;

/** The ways of all wires that are no direct curves, by their ids. */
export function waysOf(boxes: readonly Box[], wires: readonly Wired[]): Map<string, Way> {
  return waysIn(new Field(boxes), wires);
}

/** @param field the cards; for tests that count how many are looked at. */
export function waysIn(field: Field, wires: readonly Wired[]): Map<string, Way> {
  const routed: (Routed & { id: string })[] = [];
  const direct: Wired[] = [];
  for (const wire of wires) {
    const bends = isFree(field, wire) ? undefined : findBends(field, wire);
    if (bends) routed.push({ ...wire, bends });
    else direct.push(wire);
  }
  spread(field, routed, direct);
  return new Map(
    routed.map(({ id, start, end, bends }) => [
      id,
      { start, end, path: draw({ start, end, bends }) },
    ]),
  );
}

/** Whether the direct curve meets no card. Wires that lead back are not led around cards. */
function isFree(field: Field, line: Wired): boolean {
  const { start, end } = line;
  if (end.x - start.x < nearest) return true;
  return !field.onBend({ left: start.x, right: end.x, from: start.y, to: end.y }, line);
}

function draw({ start, end, bends }: Pick<Routed, 'start' | 'end' | 'bends'>): string {
  let path = '';
  let x = start.x;
  for (const { left, right, from, to } of bends) {
    if (left > x) path += `H${left}`;
    const middle = (left + right) / 2;
    path += `C${middle} ${from} ${middle} ${to} ${right} ${to}`;
    x = right;
  }
  return end.x > x ? `${path}H${end.x}` : path;
}
