/** One signal for several. */

/** Of each signal made here, those that it follows. They live as long as it does. */
const followed = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * Aborts with the first of these that does. `AbortSignal.any` alone loses an abort in Node from
 * 24.16 on (nodejs/node issue 65995): without a listener it asks those it follows only when it is
 * asked itself, and by then they may have been garbage-collected, as a timeout is once it is over.
 */
export function anyOf(
  first: AbortSignal,
  ...others: readonly (AbortSignal | undefined)[]
): AbortSignal;
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined;
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((one) => one !== undefined);
  if (given.length < 2) return given[0];
  const either = AbortSignal.any(given);
  followed.set(either, given);
  return either;
}
