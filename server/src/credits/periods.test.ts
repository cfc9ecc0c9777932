import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { periodAt } from './periods.ts';

const days = (day: number, now: string) => {
  const { period_start, period_end } = periodAt(day, new Date(now));
  return [period_start, period_end].map((at) => at.replace('T00:00:00.000Z', ''));
};

describe('a period', () => {
  const cases: [string, number, string, [string, string]][] = [
    ['begins on its day', 15, '2027-03-15T00:00:00Z', ['2027-03-15', '2027-04-15']],
    ['ends before its day', 15, '2027-03-14T23:59:59.999Z', ['2027-02-15', '2027-03-15']],
    [
      'of the 31st begins on the last day',
      31,
      '2027-02-28T00:00:00Z',
      ['2027-02-28', '2027-03-31'],
    ],
    ['of the 31st ends on the last day', 31, '2027-02-27T12:00:00Z', ['2027-01-31', '2027-02-28']],
    ['of the 31st has the 30th in April', 31, '2027-04-30T01:00:00Z', ['2027-04-30', '2027-05-31']],
    ['of the 30th has a leap day', 30, '2028-02-29T00:00:00Z', ['2028-02-29', '2028-03-30']],
    ['goes over the new year', 31, '2027-01-05T00:00:00Z', ['2026-12-31', '2027-01-31']],
  ];
  for (const [what, day, now, period] of cases)
    it(what, () => assert.deepEqual(days(day, now), period));
});
