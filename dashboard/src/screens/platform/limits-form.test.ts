import type { Tenant } from '@cogworks/sdk/contract.gen';
import { expect, it } from 'vitest';
import { changesOf, faultsIn, formOf, warningsOf, withPlan } from './limits-form.ts';

const tenant: Tenant = {
  ...{
    id: 1,
    name: 'Acme',
    plan: 'team',
    created_at: '2027-01-01T00:00:00Z',
    user_count: 3,
    seats_used: 4,
  },
  ...{ seats_limit: 5, storage_used_bytes: 2e9, storage_limit_bytes: 1_500_000_001 },
};
const form = formOf(tenant);

it('sends what was changed, and nothing else', () => {
  expect(changesOf(form, tenant)).toEqual({});
  expect(changesOf({ ...form, seats: '' }, tenant)).toEqual({ seats_limit: null });
  expect(changesOf({ ...form, storage_gb: ' 2,5 ', running: '8' }, tenant)).toEqual({
    storage_limit_bytes: 2_500_000_000,
    max_running_node_runs: 8,
  });
});

it('writes the smallest and the largest storage as one can type it', () => {
  const written = [0, 100, 2_500_000_000, 100_000_000_000, 8_000_000_000_000_000].map(
    (storage_limit_bytes) => formOf({ ...tenant, storage_limit_bytes }),
  );
  expect(written.map(({ storage_gb }) => storage_gb)).toEqual([
    ...['0', '0.0000001', '2.5', '100', '8000000'],
  ]);
  expect(written.flatMap((one) => Object.keys(faultsIn(one)))).toEqual([]);
});

it('leaves the limits of a new plan to the plan, but for those that are typed', () => {
  const changed = withPlan(form, 'business', tenant);
  expect(changed.seats).toBe('');
  expect(changesOf({ ...changed, credits: '700' }, tenant)).toEqual({
    plan: 'business',
    credits_limit: 700,
  });
  expect(withPlan(changed, 'team', tenant)).toEqual(form);
});

it('names what is no limit', () => {
  expect(faultsIn(form)).toEqual({});
  const wrong = { ...form, name: ' ', credits: '1.5', seats: '0', storage_gb: '-1', running: 'x' };
  expect(Object.keys(faultsIn(wrong))).toEqual([
    'name',
    'credits',
    'seats',
    'storage_gb',
    'running',
  ]);
});

it('warns of limits below what is used', () => {
  expect(warningsOf(form, tenant)).toEqual([]);
  expect(warningsOf({ ...form, seats: '3', storage_gb: '1' }, tenant)).toHaveLength(2);
});
