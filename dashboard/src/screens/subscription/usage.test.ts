import type { Subscription } from '@cogworks/sdk/contract.gen';
import { expect, it } from 'vitest';
import { heldIn } from './usage.ts';

const account: Subscription = {
  plan: { name: 'free' },
  ...{ period_start: '2027-01-01T00:00:00Z', period_end: '2027-02-01T00:00:00Z' },
  ...{ storage_used_bytes: 0, seats_used: 1, credits_used: 0.7 },
};

it('tells what is held for work under way', () => {
  expect(heldIn({ ...account, credits_limit: 20, credits_remaining: 14.3 })).toBe(5);
  // 1 - 0.7 is a little more than 0.3.
  expect(heldIn({ ...account, credits_limit: 1, credits_remaining: 0.3 })).toBe(0);
  const added = { credits_limit: 20, credits_added: 6, credits_remaining: 20.3 };
  expect(heldIn({ ...account, ...added })).toBe(5);
  expect(heldIn(account)).toBe(undefined);
});
