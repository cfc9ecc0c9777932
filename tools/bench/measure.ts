/** Closed loops, statistics of their times, and the machine's load meanwhile. */
import { cpus, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Runs `once` repeatedly, with a short pause, for `seconds`. @returns how long each took, ms. */
export async function alone(once: () => Promise<unknown>, seconds: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  // At least five: of a slow operation there would be only one, which means little.
  while (performance.now() < end || times.length < 5) {
    const began = performance.now();
    await once();
    times.push(performance.now() - began);
    // So that work after an answer does not affect the next request.
    await delay(2);
  }
  return times;
}

export type Rates = {
  /** Completions of `once` per second. */
  per_s: number;
  /** The increase of `counted` per second. */
  counted_per_s: number;
  /** Totals from the first beginning to the last end, which is longer than the measured time. */
  all: { ends: number; counted: number };
};

/** Runs `loops` in parallel, each repeating `once`: `warm` seconds uncounted, then `seconds`. */
export async function atOnce(
  once: () => Promise<unknown>,
  { loops, seconds, warm = 1 }: { loops: number; seconds: number; warm?: number },
  counted: () => number = () => 0,
): Promise<Rates> {
  let done = 0;
  let isOver = false;
  const end = new AbortController();
  const { signal } = end;
  const countedBefore = counted();
  const running = Promise.all(
    Array.from({ length: loops }, async () => {
      while (!isOver) {
        await once();
        done += 1;
      }
    }),
  );
  const window = async () => {
    await delay(warm * 1000, undefined, { signal });
    const from = { done, counted: counted(), at: performance.now() };
    await delay(seconds * 1000, undefined, { signal });
    const took = (performance.now() - from.at) / 1000;
    isOver = true;
    return { per_s: (done - from.done) / took, counted_per_s: (counted() - from.counted) / took };
  };
  // A failing loop ends the measurement at once.
  const failed = running.then(() => new Promise<never>(() => {}));
  try {
    const rates = await Promise.race([window(), failed]);
    await running;
    return { ...rates, all: { ends: done, counted: counted() - countedBefore } };
  } finally {
    isOver = true;
    end.abort();
    await running.catch(() => undefined);
  }
}

/** The smallest value that is not exceeded by this share of the values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

/** The middle value; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  const high = sorted[Math.floor(half)] ?? Number.NaN;
  return Number.isInteger(half) ? ((sorted[half - 1] ?? Number.NaN) + high) / 2 : high;
}

/** The machine's load when a round began. */
export type Moment = {
  /** Load average of the last minute, which includes earlier rounds. */
  load: number;
  /** Share of all cores in use while nothing was measured. */
  busy: number;
};

export async function lookAround(): Promise<Moment> {
  const before = cpuTimes();
  await delay(500);
  const after = cpuTimes();
  const busy = 1 - (after.idle - before.idle) / (after.all - before.all);
  return { load: loadavg()[0] ?? 0, busy };
}

function cpuTimes() {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (of: (time: (typeof times)[number]) => number) =>
    times.reduce((total, time) => total + of(time), 0);
  return {
    idle: sum((time) => time.idle),
    all: sum(({ user, nice, sys, irq, idle }) => user + nice + sys + irq + idle),
  };
}
