/** The line of a wire, from the right of one card to the left of another, without its first point. */
import type { Placed } from '../../../ui/graph-layout.ts';

export function curve(start: Placed, end: Placed): string {
  const distance = end.x - start.x;
  const bend = distance >= 0 ? Math.max(28, distance / 2) : Math.min(220, 60 - distance / 3);
  return `C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`;
}
