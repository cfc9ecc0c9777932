/** Which of the faults F8 leads to. Pure. */

/**
 * @param last the place of the one before; there may be fewer faults by now.
 * @returns undefined if there are none.
 */
export function nextFault(
  last: number | undefined,
  step: 1 | -1,
  count: number,
): number | undefined {
  if (count === 0) return undefined;
  if (last === undefined) return step === 1 ? 0 : count - 1;
  return (Math.min(last, count) + step + count) % count;
}
