/** Calls to a server that may be briefly unavailable, because it or the network restarts. */
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@cogworks/sdk/errors';

/** About half a minute, with the pauses between. */
const mostTries = 7;

/** The server has processed and refused it: a retry would not help. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && error.status !== 429;

/**
 * Retries the call until it succeeds, fails for good, or has failed too often. After `stop` there
 * are no more retries, so that stopping does not wait.
 *
 * @throws the last error.
 */
export async function retryCall<T>(
  call: () => Promise<T>,
  stop: AbortSignal,
  isFinal: (error: unknown) => boolean = isRefusal,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (stop.aborted || tries >= mostTries || isFinal(error)) throw error;
      const pause_ms = 250 * 2 ** tries * (0.5 + Math.random() / 2);
      await delay(pause_ms, undefined, { signal: stop }).catch(() => {});
    }
  }
}
