import { expect, it } from 'vitest';
import { planTitle } from './plans.ts';

it('names the plan, unless it says unlimited where there are limits', () => {
  expect(planTitle('team', { seats_limit: 3 })).toBe('Team');
  expect(planTitle('unlimited', {})).toBe('Unlimited');
  expect(planTitle('unlimited', { seats_limit: 3 })).toBe('Own limits');
  expect(planTitle('of a later release', {})).toBe('of a later release');
});
