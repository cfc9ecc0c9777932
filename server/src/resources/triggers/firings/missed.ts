/** Which of the ticks that are due still fire. Pure. */
import { type Schedule, ticksBetween } from '../../../schedules/ticks.ts';
import type { ScheduleColumns } from '../queries.ts';

export type Due = {
  /** In order. */
  fire: Date[];
  /** Due before the first of them, and not fired. */
  dropped?: { from: Date; until: Date; count: number };
};

const minute_ms = 60_000;
/** A tick that is so late was missed. */
const missed_ms = minute_ms;
const day_ms = 24 * 60 * 60 * 1000;
/** `all` goes back so far, and to so many. */
const mostDays = 7;
const mostTicks = 100;

/** Ticks before this are not even counted. */
const countedFrom = (now: Date) => now.getTime() - 31 * day_ms;

/** Ticks dropped together are counted up to this: listing all of a month would take seconds. */
export const mostCounted = 500;

/** Those that are due, in order; where there are very many, the first and the last of them. */
export function dueTicks(schedule: Schedule, last: Date, now: Date): Date[] {
  const after = new Date(Math.max(last.getTime(), countedFrom(now)));
  const ticks = ticksBetween(schedule, after, now, mostCounted);
  const end = ticks.at(-1);
  return end && ticks.length === mostCounted ? [...ticks, ...lastTicks(schedule, end, now)] : ticks;
}

/** Looks back further and further, until there are as many as can still fire. */
function lastTicks(schedule: Schedule, after: Date, now: Date): Date[] {
  for (let back_ms = mostTicks * minute_ms; ; back_ms *= 2) {
    const from = new Date(Math.max(after.getTime(), now.getTime() - back_ms));
    const ticks = ticksBetween(schedule, from, now);
    if (ticks.length >= mostTicks || from <= after) return ticks;
  }
}

/** @param ticks due by now, in order. */
export function stillDue(
  ticks: readonly Date[],
  now: Date,
  catchUp: ScheduleColumns['catch_up'],
): Due {
  const age = (tick: Date) => now.getTime() - tick.getTime();
  const keeps = {
    none: (tick: Date) => age(tick) <= missed_ms,
    latest: (_: Date, at: number) => at === ticks.length - 1,
    all: (tick: Date, at: number) =>
      age(tick) <= mostDays * day_ms && at >= ticks.length - mostTicks,
  }[catchUp];
  const first = ticks.findIndex(keeps);
  const fire = first < 0 ? [] : ticks.slice(first);
  const dropped = first < 0 ? ticks : ticks.slice(0, first);
  const [from, until] = [dropped[0], dropped.at(-1)];
  return { fire, ...(from && until && { dropped: { from, until, count: dropped.length } }) };
}
