/** Items of one request that are decided together, each with an outcome of its own. */

/** One of several that were decided together. */
export type Decided<Result> = { result: Result } | { error: unknown };

export function attempt<Result>(work: () => Result): Decided<Result> {
  try {
    return { result: work() };
  } catch (error) {
    return { error };
  }
}

export const settled = <Result>(work: Promise<Result>): Promise<Decided<Result>> =>
  work.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );

/** @throws the error, if there is one. */
export function resultOf<Result>(one: Decided<Result> | undefined): Result {
  if (one && 'result' in one) return one.result;
  throw one?.error ?? new Error('Nothing became of this item.');
}

/** The results of those that have one. */
export const resultsOf = <Result>(all: readonly Decided<Result>[]): Result[] =>
  all.flatMap((one) => ('result' in one ? one.result : []));

/** The outcomes of a second step for those that the first one let through, in order. */
export function joined<Result>(
  first: readonly Decided<unknown>[],
  second: readonly Decided<Result>[],
): Decided<Result>[] {
  const rest = second.values();
  return first.map((one) => {
    if ('error' in one) return one;
    return rest.next().value ?? { error: new Error('Nothing became of this item.') };
  });
}
