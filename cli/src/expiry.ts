/** Durations such as 30m, 12h, 7d. Pure. */
import { UsageProblem } from './problem.ts';

const seconds = new Map([
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

/** @returns seconds. @throws UsageProblem */
export function readDuration(word: string): number {
  const [, amount = '', unit = ''] = word.match(/^(\d{1,5})([mhd])$/) ?? [];
  const value = Number(amount) * (seconds.get(unit) ?? 0);
  if (value === 0) {
    throw new UsageProblem(`--expires takes 30m, 12h or 7d, not ${JSON.stringify(word)}.`);
  }
  return value;
}
