/**
 * `true` if two types are the same, property by property. For shapes that have to be written twice:
 * `true satisfies Same<A, B>` beside the second one makes the compiler compare them.
 */
export type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
