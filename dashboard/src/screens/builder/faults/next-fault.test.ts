import { expect, it } from 'vitest';
import { nextFault } from './next-fault.ts';

it('goes around the faults in both directions', () => {
  expect([undefined, 0, 1, 2].map((last) => nextFault(last, 1, 3))).toEqual([0, 1, 2, 0]);
  expect([undefined, 2, 1, 0].map((last) => nextFault(last, -1, 3))).toEqual([2, 1, 0, 2]);
});

it('leads nowhere without faults, and to the first of those that come then', () => {
  const last = nextFault(undefined, 1, 0);
  expect(last).toBeUndefined();
  expect(nextFault(last, 1, 2)).toBe(0);
});

it('stays among the faults when most of them are gone', () => {
  expect(nextFault(9, 1, 2)).toBe(1);
  expect(nextFault(9, -1, 2)).toBe(1);
});
