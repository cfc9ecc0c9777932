/** Node counters as stored in the run's row: nine numbers per node, in topological order. */
import type { Counters } from './state.ts';

const names = [
  'begun',
  'running',
  'success',
  'failure',
  'cancelled',
  'skipped_by_condition',
  'skipped_upstream',
  'reused',
] as const;
const width = names.length + 1;
/** Stored value of `expected` while the number of lanes is unknown. */
const unknown = -1;

export function readCounters(numbers: readonly number[]): Counters[] {
  return Array.from({ length: numbers.length / width }, (_, position) => {
    const at = position * width;
    const expected = numbers[at] as number;
    const counters = { expected: expected === unknown ? null : expected } as Counters;
    for (const [place, name] of names.entries()) counters[name] = numbers[at + place + 1] as number;
    return counters;
  });
}

export const writtenCounters = (counts: readonly Counters[]): number[] =>
  counts.flatMap((counters) => [
    counters.expected ?? unknown,
    ...names.map((name) => counters[name]),
  ]);
