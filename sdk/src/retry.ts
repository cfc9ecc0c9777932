/** Whether to try again, and after how long. Pure: without a clock or a network. */

const attempts = 5;
const firstDelay_ms = 300;
const longestDelay_ms = 10_000;
/** The window of a limit is a minute. Longer waits than this are left to the caller. */
const longestWait_ms = 90_000;

export type Outcome = {
  /** 1 for the first attempt. */
  attempt: number;
  /** Whether sending it twice does the same as sending it once. */
  isRepeatable: boolean;
  /** Undefined when no answer came at all. */
  status?: number | undefined;
  /** The header of that name: seconds, or a date. */
  retryAfter?: string | null | undefined;
};

/**
 * @param random 0…1, so that many clients refused together do not come back together.
 * @returns milliseconds to wait before the next attempt, or undefined to give up.
 */
export function retryDelay(outcome: Outcome, now: Date, random: number): number | undefined {
  const { attempt, isRepeatable, status, retryAfter } = outcome;
  if (attempt >= attempts) return undefined;
  // A request over the limit was not processed, so repeating it is always right.
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
