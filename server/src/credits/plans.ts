/** The plans that a tenant can have: names for limits that are given together. */
const gib = 1024 ** 3;

type Limits = {
  credits_limit: number | null;
  seats_limit: number | null;
  storage_limit_bytes: number | null;
};

/** Null: no limit. */
export const plans = {
  unlimited: { credits_limit: null, seats_limit: null, storage_limit_bytes: null },
  free: { credits_limit: 500, seats_limit: 3, storage_limit_bytes: 5 * gib },
  team: { credits_limit: 10_000, seats_limit: 20, storage_limit_bytes: 500 * gib },
  business: { credits_limit: 100_000, seats_limit: 200, storage_limit_bytes: 5000 * gib },
} as const satisfies Record<string, Limits>;

export type PlanName = keyof typeof plans;
export const planNames = Object.keys(plans) as PlanName[];

export const isPlanName = (name: string): name is PlanName => Object.hasOwn(plans, name);

/** A plan sets all its limits; those that are given besides it apply instead of its own. */
export function limitsOf<Changes extends Partial<Limits> & { plan?: PlanName | undefined }>(
  changes: Changes,
): Changes & Partial<Limits> {
  return changes.plan === undefined ? changes : { ...plans[changes.plan], ...changes };
}
