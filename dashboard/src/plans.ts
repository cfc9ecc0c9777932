/** What plans are called on screens. Pure. */
import type { Subscription, Tenant } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';

export type PlanName = Tenant['plan'];

export const planLabels: Record<PlanName, string> = {
  unlimited: t`Unlimited`,
  free: t`Free`,
  team: t`Team`,
  business: t`Business`,
};

type Limits = Pick<Subscription, 'credits_limit' | 'seats_limit' | 'storage_limit_bytes'>;

/** Limits can be given without a plan that has any; "Unlimited" beside them would be wrong. */
export function planTitle(name: string, limits: Limits): string {
  const { credits_limit, seats_limit, storage_limit_bytes } = limits;
  const isLimited = [credits_limit, seats_limit, storage_limit_bytes].some(
    (limit) => limit !== undefined,
  );
  if (name === 'unlimited' && isLimited) return t`Own limits`;
  return planLabels[name as PlanName] ?? name;
}
