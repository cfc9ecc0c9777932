/**
 * The curve between two horizontal lines: it leaves and arrives horizontally, its handles meet in the
 * middle. It rises or falls all the way, so what it crosses follows from a table.
 */
const steps = 128;

/** How far it has come up at each part of its width: both from 0 to 1. */
const heights = new Float64Array(steps + 1);
/** The other way round: how far it is at each part of its height. */
const widths = new Float64Array(steps + 1);

for (let step = 1; step <= steps; step++) {
  heights[step] = heightAt(timeWhen((t) => 1.5 * t - 1.5 * t * t + t ** 3, step / steps));
  const time = timeWhen(heightAt, step / steps);
  widths[step] = 1.5 * time - 1.5 * time * time + time ** 3;
}

function heightAt(time: number): number {
  return 3 * time ** 2 - 2 * time ** 3;
}

function timeWhen(of: (time: number) => number, value: number): number {
  let [low, high] = [0, 1];
  for (let halving = 0; halving < 30; halving++) {
    const middle = (low + high) / 2;
    if (of(middle) < value) low = middle;
    else high = middle;
  }
  return high;
}

function within(table: Float64Array, part: number): number {
  const at = Math.min(1, Math.max(0, part)) * steps;
  const below = Math.floor(at);
  const from = table[below] ?? 0;
  return from + ((table[below + 1] ?? from) - from) * (at - below);
}

/** From one height to another, between two places from left to right. */
export type Bend = { left: number; right: number; from: number; to: number };

/** The height of a bend at a place. */
export const yOf = ({ left, right, from, to }: Bend, x: number): number =>
  from + (to - from) * within(heights, (x - left) / (right - left));

/** Where a bend has a height. */
export const xOf = ({ left, right, from, to }: Bend, y: number): number =>
  left + (right - left) * within(widths, (y - from) / (to - from));
