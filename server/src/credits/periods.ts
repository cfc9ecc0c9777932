/** Periods of a month each, for which credits are granted. Pure. */

export type Period = { period_start: string; period_end: string };

/**
 * The period that holds `now`. It begins at midnight UTC on that day of the month, or on the last
 * day of a month that is too short.
 */
export function periodAt(day: number, now: Date): Period {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const first = startIn(year, month, day) <= now.getTime() ? month : month - 1;
  return {
    period_start: new Date(startIn(year, first, day)).toISOString(),
    period_end: new Date(startIn(year, first + 1, day)).toISOString(),
  };
}

function startIn(year: number, month: number, day: number): number {
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(day, lastDay));
}
