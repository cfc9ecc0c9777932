/** The letters of a run's grid: their words, their urgency, and those of events. Pure. */
import { type CellCode, cellCodes, noCell } from '@cogworks/graph/statuses';
import type { ToldNodeRun } from '@cogworks/sdk/run-events';
import { t } from '@lingui/core/macro';

export type Letter = CellCode | typeof noCell;

const words: Record<Letter, string> = {
  p: t`Waiting`,
  q: t`Queued`,
  r: t`Running`,
  s: t`Done`,
  u: t`Reused from an earlier run`,
  f: t`Failed`,
  c: t`Cancelled`,
  n: t`Not needed`,
  b: t`Blocked by an earlier step`,
  '-': t`Not for this file`,
};

/** What a letter means; one of a later release is told as it is. */
export const wordsOfLetter = (letter: string): string => words[letter as Letter] ?? letter;

/** Worst first: where many cells share a pixel, this one is painted. */
const urgency = 'frcbqpnus-';

/** By character code: all cells of a run are looked at when its strip is painted. */
const urgencies = new Uint8Array(128).fill(urgency.length);
for (let at = 0; at < urgency.length; at++) urgencies[urgency.charCodeAt(at)] = at;

/** Lower is worse. */
export const urgencyOf = (letter: string): number =>
  urgencies[letter.charCodeAt(0)] ?? urgency.length;

/** The worst letter of a row. */
export function worstOf(cells: string): string {
  let least = urgencyOf(noCell);
  let worst: string = noCell;
  for (let at = 0; at < cells.length; at++) {
    const found = urgencies[cells.charCodeAt(at)] ?? urgency.length;
    if (found >= least) continue;
    least = found;
    worst = cells.charAt(at);
  }
  return worst;
}

/** Whether it may still change by itself. */
export const isOpen = (cells: string): boolean => /[pqr]/.test(cells);

/** The letter of a node run as an event tells it. */
export function letterOf({ status, skip_reason, cached }: Told): CellCode {
  if (status === 'success') return cached ? cellCodes.reused : cellCodes.success;
  if (status !== 'skipped') return cellCodes[status];
  const isNotNeeded = skip_reason === 'condition_false' || skip_reason === 'upstream_skipped';
  return isNotNeeded ? cellCodes.skipped_by_condition : cellCodes.skipped_upstream;
}

type Told = Pick<ToldNodeRun, 'status' | 'skip_reason' | 'cached'>;

/** What one can look for, with the letters that match. */
export const stateFilters = {
  failed: { label: t`Failed`, letters: 'f' },
  running: { label: t`Running`, letters: 'r' },
  waiting: { label: t`Waiting`, letters: 'pq' },
  stopped: { label: t`Left out`, letters: 'cb' },
  done: { label: t`Done`, letters: 'su' },
} as const;
export type StateFilter = keyof typeof stateFilters;

/** Whether a row is to be seen: for "done" all of its cells, otherwise one. */
export function matches(cells: string, filter: StateFilter): boolean {
  if (filter === 'done') return !/[fcbrpq]/.test(cells) && /[su]/.test(cells);
  const { letters } = stateFilters[filter];
  return [...letters].some((letter) => cells.includes(letter));
}
