/** From when until when a view is, in which periods. Pure; the current time is an argument. */
import { addDays, dateIn, dayBegins, daysBetween } from '../../ui/zones.ts';
import type { Bucket, Preset, View } from './view.ts';

/** The first and the last date, both shown; for the last hours instead, how many. */
export type Days = { first: string; last: string; hours?: number };

const lengths: Record<Exclude<Preset, '24h' | '12mo'>, number> = { '7d': 7, '30d': 30, '90d': 90 };

export function daysOf({ range = '30d', from, to }: View, timezone: string, now: Date): Days {
  const today = dateIn(now, timezone);
  if (from !== undefined || to !== undefined) {
    const last = to ?? (from !== undefined && from > today ? from : today);
    return { first: from ?? addDays(last, -29), last };
  }
  if (range === '24h') return { first: addDays(today, -1), last: today, hours: 24 };
  if (range === '12mo') return { first: monthsBack(today, 11), last: today };
  return { first: addDays(today, 1 - lengths[range]), last: today };
}

/** The first day of a month before that of a date. */
function monthsBack(date: string, months: number): string {
  const [year = 0, month = 0] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 - months, 1)).toISOString().slice(0, 10);
}

/** A report has at most a thousand periods, and few are legible with more than some hundred. */
const longest: Record<Bucket, number> = { hour: 31, day: 731, week: 3650, month: 36_500 };

const lengthOf = ({ first, last }: Days) => daysBetween(first, last);

export const isPossible = (bucket: Bucket, days: Days): boolean =>
  lengthOf(days) <= longest[bucket];

export function usualBucket(days: Days): Bucket {
  const length = lengthOf(days);
  if (length <= 2) return 'hour';
  if (length <= 100) return 'day';
  return length <= 200 ? 'week' : 'month';
}

export type Query = { from: string; to: string; bucket: Bucket; tz: string; tenant_id?: number };

/** What to ask the service for. */
export function queryOf(view: View, timezone: string, now: Date): Query {
  const days = daysOf(view, timezone, now);
  const { from, to } = limitsOf(days, timezone, now);
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    bucket: view.bucket ?? usualBucket(days),
    tz: timezone,
    ...(view.tenant === undefined ? {} : { tenant_id: view.tenant }),
  };
}

function limitsOf({ first, last, hours }: Days, timezone: string, now: Date) {
  if (hours !== undefined)
    return { from: new Date(now.getTime() - (hours - 1) * 3_600_000), to: now };
  // The service rounds to whole periods, and the next day's is none of them.
  const end = dayBegins(addDays(last, 1), timezone).getTime() - 1;
  const from = dayBegins(first, timezone);
  const isPast = first <= dateIn(now, timezone);
  return { from, to: new Date(isPast ? Math.min(end, now.getTime()) : end) };
}
