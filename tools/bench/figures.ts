/** The figures of a measurement, and their comparison with others. Pure. */
import { type Moment, median } from './measure.ts';
import type { Use } from './proc.ts';

/**
 * One line of the table: a figure of ours, measured once per round, and others from the same
 * minutes.
 */
export type Figure = {
  /** A constant name, by which an earlier result is found. */
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
  /** One value per round; empty if it could not be measured. */
  rounds: number[];
  /** For the ratio, ours to theirs. */
  goal?: Goal;
  /** Why there is no value. */
  missing?: string;
};

export type Goal = { at_most: number } | { at_least: number };

/** Statements and round trips of a single operation. */
export type Count = {
  operation: string;
  statements: number;
  trips: number;
  budget?: { statements?: number; trips?: number };
};

/** Processor time per operation, averaged over very many, in ms: it depends least on other load. */
export type Cost = { operation: string; rounds: Use[] };

/** The result of one part. */
export type PartResult = {
  figures?: Figure[];
  costs?: Cost[];
  counts?: Count[];
  /** What the numbers do not show: what was missing or refused. */
  notes?: string[];
};

export type Result = {
  commit: string;
  machine: string;
  versions: string;
  parts: Record<string, PartResult & { when: string }>;
};

/** Ours to theirs, per round, because the machine's speed changes between rounds. */
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
