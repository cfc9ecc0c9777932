import { expect, it } from 'vitest';
import { creditsFault, creditsIn } from './credits.ts';

it('reads credits as they are typed in any country', () => {
  expect([' 2,5 ', '2.125', '40', ' '].map(creditsIn)).toEqual([2.5, 2.125, 40, undefined]);
  expect([' 2,5 ', '2.125', '40', ' '].map(creditsFault)).toEqual([...Array(4)]);
});

it('names what is no number of credits', () => {
  for (const wrong of ['0', '0,000', '-1', '1.0001', '1,000.5', 'ten', '1e3'])
    expect(creditsFault(wrong), wrong).toMatch(/^A number/);
});
