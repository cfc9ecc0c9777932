/**
 * Concurrent work. If one part fails, the others are aborted, and all have ended before it throws.
 */
import { anyOf } from '@cogworks/sdk/any-of';

/** Processes `items`, `width` at a time. @throws the first error. */
export async function forEachParallel<T>(
  width: number,
  items: IteratorObject<T>,
  stop: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failing = new AbortController();
  const signal = anyOf(stop, failing.signal);
  let failure: { error: unknown } | undefined;
  const workThrough = async () => {
    for (const item of items) {
      await work(item, signal).catch((error: unknown) => {
        failure ??= { error };
        failing.abort();
      });
      if (failure) return;
    }
  };
  await Promise.all(Array.from({ length: width }, workThrough));
  if (failure) throw failure.error;
}

/** Runs both at once. @throws the first error. */
export async function inParallel<A, B>(
  a: (signal: AbortSignal) => Promise<A>,
  b: (signal: AbortSignal) => Promise<B>,
  stop: AbortSignal,
): Promise<[A, B]> {
  const failing = new AbortController();
  const signal = anyOf(stop, failing.signal);
  let failure: { error: unknown } | undefined;
  const note = (error: unknown) => {
    failure ??= { error };
    failing.abort();
    return undefined;
  };
  const [one, other] = await Promise.all([a(signal).catch(note), b(signal).catch(note)]);
  if (failure) throw failure.error;
  return [one as A, other as B];
}
