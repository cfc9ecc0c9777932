/** Which variables of a restart differ from the run before. Pure. */

/** Those with another value; one that was emptied has none to send and stays as it was. */
export const changedValues = (
  before: Record<string, unknown>,
  now: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
    ),
  );
