/** What a measurement says, and how it compares with what was measured beside it. Pure. */
import { type Moment, median } from './measure.ts';
import type { Use } from './proc.ts';

/** One line of the table: a number of ours, taken once per round, and others of the same minutes. */
export type Figure = {
  /** Words that stay the same, by which an earlier result is found. */
  what: string;
  unit: 'ms' | '/s' | 'MB/s' | 's' | 'MB' | 'lanes';
  rounds: number[];
  moments: Moment[];
  beside: Beside[];
  /** An absolute goal. */
  goal?: Goal;
};

export type Beside = {
  what: string;
  /** One for each round of the figure; none where it could not be measured. */
  rounds: number[];
  /** Of the ratio, ours to theirs. */
  goal?: Goal;
  /** Why there is nothing. */
  missing?: string;
};

export type Goal = { at_most: number } | { at_least: number };

/** Statements and round trips of one operation alone. */
export type Count = {
  operation: string;
  statements: number;
  trips: number;
  budget?: { statements?: number; trips?: number };
};

/** Processor time of one of very many operations, ms: it depends least on what else the machine does. */
export type Cost = { operation: string; rounds: Use[] };

/** What one part measured. */
export type PartResult = {
  figures?: Figure[];
  costs?: Cost[];
  counts?: Count[];
  /** What the numbers do not say: what was missing, what was refused. */
  notes?: string[];
};

export type Result = {
  commit: string;
  machine: string;
  versions: string;
  parts: Record<string, PartResult & { when: string }>;
};

/** Ours to theirs, each round by itself, because the machine changes between rounds. */
export function ratioOf(own: readonly number[], other: readonly number[]): number | undefined {
  const ratios = own.flatMap((value, round) => {
    const beside = other[round];
    return beside === undefined ? [] : [value / beside];
  });
  return ratios.length === 0 ? undefined : median(ratios);
}

export const meets = (goal: Goal, value: number): boolean =>
  'at_most' in goal ? value <= goal.at_most : value >= goal.at_least;

export const inWords = (goal: Goal): string =>
  'at_most' in goal
    ? `≤ ${goal.at_most.toLocaleString('en-GB')}`
    : `≥ ${goal.at_least.toLocaleString('en-GB')}`;
