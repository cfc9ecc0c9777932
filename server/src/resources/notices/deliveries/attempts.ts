/** When a message is sent again. Pure. */

/** Seconds after the first attempt, the second, and so on; the example of Standard Webhooks. */
const waits_s = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

const day_s = 86_400;

/**
 * How long to wait after a failed attempt; undefined after the last one.
 *
 * @param failures how many attempts have failed, this one included.
 * @param asked_s how long the receiver asks to be left alone.
 * @param chance from 0 to 1: messages that failed together come back one by one.
 */
export function waitAfter(failures: number, asked_s = 0, chance = Math.random()) {
  const wait_s = waits_s[failures - 1];
  return wait_s === undefined ? undefined : Math.max(wait_s * (0.9 + 0.2 * chance), asked_s);
}

/** The seconds that a `Retry-After` asks for, at most a day. A date or a number; else nothing. */
export function askedSeconds(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d+$/.test(header)
    ? Number(header)
    : (Date.parse(header) - now.getTime()) / 1000;
  return seconds > 0 ? Math.min(seconds, day_s) : undefined;
}
