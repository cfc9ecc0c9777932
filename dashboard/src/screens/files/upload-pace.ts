/** How fast uploads are, and how long the rest takes. Pure. */
import { plural, t } from '@lingui/core/macro';

export type Sample = { time_ms: number; sent_bytes: number };

/** Long enough to be steady, short enough to follow a change of the network. */
const window_ms = 10_000;
/** Before that, a speed would be a guess. */
const least_ms = 1500;

/** Adds a sample, and forgets those that no longer count. */
export function addSample(samples: readonly Sample[], sample: Sample): Sample[] {
  return [...samples.filter(({ time_ms }) => time_ms > sample.time_ms - window_ms), sample];
}

export type Pace = { bytes_per_second: number; left_seconds: number };

/** @returns undefined while it cannot be known, or when nothing moves. */
export function paceOf(samples: readonly Sample[], left_bytes: number): Pace | undefined {
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (!first || !last || last.time_ms - first.time_ms < least_ms) return undefined;
  const seconds = (last.time_ms - first.time_ms) / 1000;
  const bytes_per_second = (last.sent_bytes - first.sent_bytes) / seconds;
  if (bytes_per_second < 1) return undefined;
  return { bytes_per_second, left_seconds: left_bytes / bytes_per_second };
}

/** Coarse, because it is an estimate: "a few seconds left", "3 min left", "1 h 20 min left". */
export function timeLeft(left_seconds: number): string {
  if (left_seconds < 10) return t`a few seconds left`;
  if (left_seconds < 55) return t`${Math.ceil(left_seconds / 10) * 10} s left`;
  const minutes = Math.round(left_seconds / 60);
  if (minutes < 60) return t`${Math.max(1, minutes)} min left`;
  const [hours, rest] = [Math.floor(minutes / 60), Math.floor((minutes % 60) / 10) * 10];
  if (hours >= 48) {
    return plural(Math.round(hours / 24), { one: '# day left', other: '# days left' });
  }
  return rest === 0 ? t`${hours} h left` : t`${hours} h ${rest} min left`;
}
