/**
 * How often a property is tried, and from which seed. A run tells its seed; MODEL_SEED and MODEL_PATH
 * repeat it, and MODEL_SECONDS goes on for that long.
 */
import { randomInt } from 'node:crypto';
import type { TestContext } from 'node:test';

export function runsOf(usual: number, test: TestContext) {
  const { MODEL_SEED, MODEL_PATH, MODEL_SECONDS } = process.env;
  const seed = MODEL_SEED === undefined ? randomInt(2 ** 31) : Number(MODEL_SEED);
  test.diagnostic(`MODEL_SEED=${seed}`);
  return {
    seed,
    numRuns: MODEL_SECONDS === undefined ? usual : 1e9,
    interruptAfterTimeLimit: Number(MODEL_SECONDS ?? 120) * 1000,
    ...(MODEL_PATH === undefined ? {} : { path: MODEL_PATH }),
  };
}

/** Counts what happened, because a server that refuses everything would match every model too. */
export class Tally {
  readonly counts = new Map<string, number>();

  add(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  toString(): string {
    return [...this.counts]
      .sort()
      .map(([what, count]) => `${what} ${count}`)
      .join(', ');
  }
}
