/** Days of time zones, as the browser knows them. Pure, but for the browser's own zone. */

const minute_ms = 60_000;
const day_ms = 24 * 60 * minute_ms;

export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** In minutes; undefined for a zone that the browser does not know. */
export function offsetAt(at: Date, timezone: string): number | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en-GB', {
      timeZone: timezone,
      timeZoneName: 'longOffset',
    }).formatToParts(at);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = 0, minutes = 0] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  } catch {
    return undefined;
  }
}

/** The date that calendars of a zone show, as `2027-03-28`. */
export function dateIn(at: Date, timezone: string): string {
  const offset_ms = (offsetAt(at, timezone) ?? 0) * minute_ms;
  return new Date(at.getTime() + offset_ms).toISOString().slice(0, 10);
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * day_ms).toISOString().slice(0, 10);
}

/** How many days there are from one date to another, both counted. */
export const daysBetween = (first: string, last: string): number =>
  Math.round((Date.parse(last) - Date.parse(first)) / day_ms) + 1;

/** When a date begins in a zone. */
export function dayBegins(date: string, timezone: string): Date {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const offset = (at: number) => (offsetAt(new Date(at), timezone) ?? 0) * minute_ms;
  let begins = midnight - offset(midnight - offset(midnight));
  // Where clocks skip midnight, the day begins later.
  while (dateIn(new Date(begins), timezone) < date) begins += 15 * minute_ms;
  return new Date(begins);
}
