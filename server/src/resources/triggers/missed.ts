/** Which of the ticks that are due still fire. Pure. */
import type { Trigger } from './schema.ts';

export type Due = {
  /** In order. */
  fire: Date[];
  /** Due before the first of them, and not fired. */
  dropped?: { from: Date; until: Date; count: number };
};

/** A tick that is so late was missed. */
const missed_ms = 60_000;
const day_ms = 24 * 60 * 60 * 1000;
/** `all` goes back so far, and to so many. */
const mostDays = 7;
const mostTicks = 100;

/** Ticks before this are not even counted. */
export const countedFrom = (now: Date) => new Date(now.getTime() - 31 * day_ms);

/** @param ticks due by now, in order. */
export function stillDue(ticks: readonly Date[], now: Date, catchUp: Trigger['catch_up']): Due {
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
