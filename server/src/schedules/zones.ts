/**
 * Time zones by the data that Node brings. Nothing else computes with zones: the database's data may
 * be of another year, and an hour apart.
 */

/** A time as clocks on a wall show it, in milliseconds as if it were UTC. */
export type WallTime = number;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}

/**
 * The name under which a zone of the IANA database is kept, e.g. `Asia/Kolkata` for `asia/calcutta`.
 *
 * @returns undefined if there is none of that name. Offsets such as `+05:30` are not zones.
 */
export function canonicalZone(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** What clocks there show at an instant (milliseconds since 1970). */
export function wallTimeAt(zone: string, instant: number): WallTime {
  const at: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instant)) at[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = at;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
}

/** By how many milliseconds clocks there are ahead of UTC. */
export const offsetAt = (zone: string, instant: number): number =>
  wallTimeAt(zone, instant) - instant;

const day_ms = 24 * 60 * 60 * 1000;

/**
 * The offsets before and after a change of the clocks that is less than a day away; the same one
 * twice if there is none. A zone does not change its clocks twice within two days.
 */
export function offsetsAround(zone: string, wall: WallTime): [before: number, after: number] {
  // A wall time read as UTC is less than a day from its instant.
  return [offsetAt(zone, wall - day_ms), offsetAt(zone, wall + day_ms)];
}
