/** Hours, days, weeks and months of a time zone, as instants. */
import { offsetAt, offsetsAround, type WallTime, wallTimeAt } from './zones.ts';

export type PeriodUnit = 'hour' | 'day' | 'week' | 'month';

const quarter_ms = 15 * 60 * 1000;
const hour_ms = 4 * quarter_ms;
const day_ms = 24 * hour_ms;

/**
 * The beginnings of the periods that hold `from` up to `to`, and the end of the last one: one more
 * than there are periods. A day may have 22 to 26 hours; an hour that clocks repeat is two, and one
 * that they cut in half is joined with the next. Weeks begin on Monday (ISO 8601).
 *
 * @param most more than so many periods are not listed.
 * @returns milliseconds since 1970, all of them multiples of a quarter of an hour.
 */
export function periodLimits(
  zone: string,
  unit: PeriodUnit,
  from: number,
  to: number,
  most: number,
): number[] {
  const limits = [unit === 'hour' ? hourOf(zone, from) : startOf(zone, unit, from)];
  while (limits.length <= most) {
    const last = limits.at(-1) as number;
    if (last >= to && limits.length > 1) break;
    limits.push(unit === 'hour' ? nextHour(zone, last) : startAfter(zone, unit, last));
  }
  return limits;
}

const isFullHour = (zone: string, instant: number) => wallTimeAt(zone, instant) % hour_ms === 0;

/** The last full hour that clocks showed. */
function hourOf(zone: string, instant: number): number {
  let at = Math.floor(instant / quarter_ms) * quarter_ms;
  while (!isFullHour(zone, at)) at -= quarter_ms;
  return at;
}

function nextHour(zone: string, hour: number): number {
  const next = hour + hour_ms;
  if (offsetAt(zone, hour) === offsetAt(zone, next)) return next;
  let at = hour + quarter_ms;
  while (!isFullHour(zone, at)) at += quarter_ms;
  return at;
}

const startOf = (zone: string, unit: PeriodUnit, instant: number) =>
  firstInstantOf(zone, beginOf(unit, wallTimeAt(zone, instant)));

function startAfter(zone: string, unit: PeriodUnit, start: number): number {
  // Noon of its first day: the first instant may show a time of the day before, or after a gap.
  const wall = beginOf(unit, wallTimeAt(zone, start + day_ms / 2));
  return firstInstantOf(zone, beginAfter(unit, wall));
}

function beginOf(unit: PeriodUnit, wall: WallTime): WallTime {
  const date = new Date(wall);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (unit === 'month') return Date.UTC(year, month, 1);
  const sinceMonday = unit === 'week' ? (date.getUTCDay() + 6) % 7 : 0;
  return Date.UTC(year, month, day - sinceMonday);
}

function beginAfter(unit: PeriodUnit, begin: WallTime): WallTime {
  const date = new Date(begin);
  if (unit === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  return begin + (unit === 'week' ? 7 : 1) * day_ms;
}

/** When clocks first show this time, or a later one if they skip it. */
function firstInstantOf(zone: string, wall: WallTime): number {
  const offsets = offsetsAround(zone, wall);
  const last = wall - Math.min(...offsets);
  let at = wall - Math.max(...offsets);
  while (at < last && wallTimeAt(zone, at) < wall) at += quarter_ms;
  return at;
}
