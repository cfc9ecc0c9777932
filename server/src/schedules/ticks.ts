/** When a schedule fires: the times of its expression, as instants of its time zone. */
import { type CronTimes, readCron } from './cron.ts';
import { offsetAt, offsetsAround, type WallTime } from './zones.ts';

/** What happens to times that a change of the clocks leaves out, or that come twice. */
export type ClockChanges = {
  /** `shift` moves a missing time by the length of the gap: 02:30 becomes 03:30. */
  gap: 'shift' | 'skip';
  overlap: 'first' | 'second' | 'both';
};

export type Schedule = {
  /** Five fields. */
  cron: string;
  /** A canonical name of the IANA database. */
  timezone: string;
  dst: ClockChanges;
};

/** Schedules of intervals follow elapsed time, whatever clocks show. */
const elapsed: ClockChanges = { gap: 'skip', overlap: 'both' };

/** A schedule that does not fire in such a time never fires: the 29th of February comes after eight. */
const longestWait_ms = 12 * 366 * 24 * 60 * 60 * 1000;

/** The instants after this one at which a schedule fires, in order. @throws Error see `readCron` */
export function* ticksAfter({ cron, timezone, dst }: Schedule, after: Date): Generator<Date> {
  const times = readCron(cron);
  const policy = times.meansIntervals ? elapsed : dst;
  let last = after.getTime();
  /** Found, but a later time may come before them. */
  let waiting: number[] = [];
  for (const wall of wallTimes(times, timezone, last)) {
    const offsets = offsetsAround(timezone, wall);
    const earliest = wall - Math.max(...offsets);
    for (const instant of inOrder(waiting)) {
      if (instant >= earliest) break;
      if (instant > last) yield new Date(instant);
      last = Math.max(last, instant);
    }
    if (earliest > last + longestWait_ms) return;
    waiting = waiting.filter((instant) => instant >= earliest);
    waiting.push(...instantsOf(timezone, wall, offsets, policy));
  }
}

/** The first `most` instants after `after` and not after `until`. */
export function ticksBetween(
  schedule: Schedule,
  after: Date,
  until: Date,
  most = Number.POSITIVE_INFINITY,
): Date[] {
  const ticks: Date[] = [];
  for (const tick of ticksAfter(schedule, after)) {
    if (tick > until || ticks.length === most) break;
    ticks.push(tick);
  }
  return ticks;
}

/** @returns undefined if it never fires again. */
export function nextTick(schedule: Schedule, after: Date): Date | undefined {
  return ticksAfter(schedule, after).next().value ?? undefined;
}

/** The times of the expression from the first one whose instant can be after `after`. */
function* wallTimes(times: CronTimes, zone: string, after: number): Generator<WallTime> {
  let wall = times.next(after + Math.min(...offsetsAround(zone, after)) - 1);
  while (wall !== undefined) {
    yield wall;
    wall = times.next(wall);
  }
}

/** When clocks show this time: once, twice where they are set back, never where they skip it. */
function instantsOf(
  zone: string,
  wall: WallTime,
  [before, after]: [number, number],
  { gap, overlap }: ClockChanges,
): number[] {
  const found = [...new Set([before, after])]
    .filter((offset) => offsetAt(zone, wall - offset) === offset)
    .map((offset) => wall - offset);
  if (found.length === 0) return gap === 'shift' ? [wall - before] : [];
  if (overlap === 'both') return found;
  return [overlap === 'first' ? Math.min(...found) : Math.max(...found)];
}

const inOrder = (instants: number[]) => instants.toSorted((one, other) => one - other);
