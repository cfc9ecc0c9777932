/** Makes something when it is first needed, and then keeps it. */
export function lazily<Result>(make: () => Result): () => Result {
  let made: Result | undefined;
  return () => (made ??= make());
}
