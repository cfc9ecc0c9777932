/** Gives up transfers that stand still: a connection can be dead without that anybody tells. */
import { anyOf } from './any-of.ts';

/** A minute. A slow storage answers later than a slow network sends. */
export const usualSilence_ms = 60_000;

const stoodStill = (silence_ms: number) =>
  new TypeError(`The connection stood still for ${silence_ms / 1000} s.`);

/**
 * Watches a request. `signal` aborts with that of the caller, or with a TypeError when `moved` has not
 * been called for so long; `end` ends the watch.
 */
export function watchSilence(silence_ms: number, signal?: AbortSignal | undefined) {
  const silence = new AbortController();
  const stop = () => silence.abort(stoodStill(silence_ms));
  let timer = setTimeout(stop, silence_ms);
  return {
    signal: anyOf(silence.signal, signal),
    moved: () => {
      clearTimeout(timer);
      timer = setTimeout(stop, silence_ms);
    },
    end: () => clearTimeout(timer),
  };
}

/** What `work` gives. @throws TypeError if that takes longer. */
export async function unlessSilent<T>(work: Promise<T>, silence_ms: number): Promise<T> {
  const { promise: silent, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(stoodStill(silence_ms)), silence_ms);
  try {
    return await Promise.race([work, silent]);
  } finally {
    clearTimeout(timer);
  }
}
