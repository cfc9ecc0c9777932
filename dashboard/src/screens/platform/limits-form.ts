/** The fields of an organization's limits, and what is sent of them. Pure. */
import type { Tenant, TenantChanges } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import type { PlanName } from '../../plans.ts';

/** As typed; an empty limit is none. */
export type LimitsForm = {
  name: string;
  plan: PlanName;
  credits: string;
  seats: string;
  storage_gb: string;
  running: string;
};

const bytesOfGb = 1_000_000_000;

/** Without an exponent, which few people read and `faultsIn` refuses. */
const gbOf = (bytes: number): string => (bytes / bytesOfGb).toFixed(9).replace(/\.?0+$/, '');

const textOf = (limit: number | undefined): string => (limit === undefined ? '' : String(limit));

export const formOf = (tenant: Tenant): LimitsForm => ({
  name: tenant.name,
  plan: tenant.plan,
  credits: textOf(tenant.credits_limit),
  seats: textOf(tenant.seats_limit),
  storage_gb: tenant.storage_limit_bytes === undefined ? '' : gbOf(tenant.storage_limit_bytes),
  running: textOf(tenant.max_running_node_runs),
});

/** A plan has limits of its own; those that are typed afterwards apply instead. */
export function withPlan(form: LimitsForm, plan: PlanName, tenant: Tenant): LimitsForm {
  const { credits, seats, storage_gb } = formOf(tenant);
  const limits = plan === tenant.plan ? { credits, seats, storage_gb } : noLimits;
  return { ...form, plan, ...limits };
}

const noLimits = { credits: '', seats: '', storage_gb: '' };

export type Faults = Partial<Record<keyof LimitsForm, string>>;

export function faultsIn({ name, credits, seats, storage_gb, running }: LimitsForm): Faults {
  const faults: Faults = {};
  if (!name.trim()) faults.name = t`An organization needs a name.`;
  if (!/^\s*\d{0,9}\s*$/.test(credits)) faults.credits = t`A whole number, or nothing.`;
  if (!/^\s*([1-9]\d{0,6})?\s*$/.test(seats))
    faults.seats = t`A whole number from 1 on, or nothing.`;
  if (!/^\s*(\d+([.,]\d+)?)?\s*$/.test(storage_gb)) faults.storage_gb = t`A number, or nothing.`;
  if (!/^\s*([1-9]\d{0,6})?\s*$/.test(running))
    faults.running = t`A whole number from 1 on, or nothing.`;
  return faults;
}

/**
 * Only what differs: somebody else may change the rest meanwhile. Of a new plan the limits that were
 * left empty are the plan's own.
 */
export function changesOf(form: LimitsForm, tenant: Tenant): TenantChanges {
  const hasNewPlan = form.plan !== tenant.plan;
  const before = hasNewPlan ? { ...formOf(tenant), ...noLimits } : formOf(tenant);
  const isChanged = (field: keyof LimitsForm) => form[field].trim() !== before[field];
  return {
    ...(isChanged('name') && { name: form.name.trim() }),
    ...(hasNewPlan && { plan: form.plan }),
    ...(isChanged('credits') && { credits_limit: numberIn(form.credits) }),
    ...(isChanged('seats') && { seats_limit: numberIn(form.seats) }),
    ...(isChanged('storage_gb') && { storage_limit_bytes: bytesIn(form.storage_gb) }),
    ...(isChanged('running') && { max_running_node_runs: numberIn(form.running) }),
  };
}

const numberIn = (text: string): number | null => (text.trim() === '' ? null : Number(text));

function bytesIn(text: string): number | null {
  const gb = numberIn(text.replace(',', '.'));
  return gb === null ? null : Math.round(gb * bytesOfGb);
}

/** What a new limit below what is used means. */
export function warningsOf(form: LimitsForm, tenant: Tenant): string[] {
  const { seats_limit, storage_limit_bytes } = changesOf(form, tenant);
  return [
    ...(typeof seats_limit === 'number' && seats_limit < tenant.seats_used
      ? [t`More seats are used than that. Nobody is disabled; only nobody else can be invited.`]
      : []),
    ...(typeof storage_limit_bytes === 'number' && storage_limit_bytes < tenant.storage_used_bytes
      ? [t`More is stored than that. Nothing is removed; only new uploads and results are refused.`]
      : []),
  ];
}
