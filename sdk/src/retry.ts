/** Whether to retry, and after how long. Pure: no clock, no network. */

const usualAttempts = 5;
const firstDelay_ms = 300;
const longestDelay_ms = 10_000;
/** Rate limits use windows of a minute. Longer waits than this are left to the caller. */
const longestWait_ms = 90_000;

export type Outcome = {
  /** 1 for the first attempt. */
  attempt: number;
  /** After this many, give up; 5 unless given. */
  attempts?: number | undefined;
  /** Whether the request is idempotent. */
  isRepeatable: boolean;
  /** Undefined if there was no answer. */
  status?: number | undefined;
  /** The `Retry-After` header: seconds, or a date. */
  retryAfter?: string | null | undefined;
};

/**
 * @param random 0…1, so that many clients refused together do not retry together.
 * @returns milliseconds before the next attempt, or undefined to give up.
 */
export function retryDelay(outcome: Outcome, now: Date, random: number): number | undefined {
  const { attempt, attempts = usualAttempts, isRepeatable, status, retryAfter } = outcome;
  if (attempt >= attempts) return undefined;
  // A request over the limit was not processed, so it is always safe to repeat.
  const isRefusedUnseen = status === 429;
  const isPassing = status === undefined || status === 502 || status === 503 || status === 504;
  if (!isRefusedUnseen && !(isPassing && isRepeatable)) return undefined;

  const backoff = Math.min(longestDelay_ms, firstDelay_ms * 2 ** (attempt - 1));
  const jittered = backoff * (0.5 + random / 2);
  const asked = retryAfter_ms(retryAfter, now);
  if (asked === undefined) return jittered;
  return asked > longestWait_ms ? undefined : asked + jittered / 2;
}

function retryAfter_ms(value: string | null | undefined, now: Date): number | undefined {
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
