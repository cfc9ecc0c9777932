import { describe, expect, it } from 'vitest';
import {
  chartInWords,
  formatPeriod,
  formatTick,
  formatValue,
  formatWholePeriod,
  tickCountOf,
} from './values.ts';

const berlin = (bucket: 'hour' | 'day' | 'week' | 'month') => ({ bucket, tz: 'Europe/Berlin' });

describe('numbers of charts', () => {
  it.each([
    [1234, 'count', '1,234', '1.23k'],
    [0.0667, 'credits', '0.067', '0.0667'],
    [1234.56, 'credits', '1,234.6', '1.23k'],
    [0, 'seconds', '0 s', '0 s'],
    [5400, 'seconds', '1 h 30 min', '90 min'],
    [2e9, 'bytes', '2.0 GB', '2 GB'],
  ] as const)('writes %d %s as %s, on an axis as %s', (value, unit, words, tick) => {
    expect(formatValue(value, unit)).toBe(words);
    expect(formatTick(value, unit)).toBe(tick);
  });
});

it('has no more ticks on an axis than there are whole numbers', () => {
  const chart = (unit: 'count' | 'credits', ...values: number[][]) => ({
    ...{ title: '', total: '', unit, kind: 'bars' as const },
    lines: values.map((some, at) => ({ key: `${at}`, label: '', values: some, color: '' })),
  });
  const counted = [
    [[1, 0]],
    [
      [1, 0],
      [1, 0],
    ],
    [[7]],
    [[0]],
    [],
  ];
  expect(counted.map((values) => tickCountOf(chart('count', ...values)))).toEqual([2, 3, 4, 2, 2]);
  expect(tickCountOf(chart('credits', [1]))).toBe(4);
});

describe('periods', () => {
  it('are those of the time zone', () => {
    const midnight = '2027-03-27T23:00:00.000Z';
    expect(formatPeriod(midnight, berlin('day'))).toBe('28 Mar');
    expect(formatPeriod(midnight, berlin('hour'))).toBe('28 Mar');
    // There is no 02:00 on this day.
    expect(formatPeriod('2027-03-28T01:00:00.000Z', berlin('hour'))).toBe('03:00');
    expect(formatWholePeriod('2027-02-28T23:00:00.000Z', berlin('month'))).toBe('March 2027');
    expect(formatWholePeriod(midnight, berlin('week'))).toBe('Week from Sun, 28 Mar 2027');
  });
});

it('says in words what a chart shows', () => {
  const starts = ['2027-03-26T23:00:00.000Z', '2027-03-27T23:00:00.000Z'];
  const line = (key: string, ...values: number[]) => ({ key, label: key, values, color: 'red' });
  const chart = {
    ...({ title: 'Ended', total: '7', unit: 'count', kind: 'bars' } as const),
    lines: [line('good', 3, 1), line('bad', 0, 3)],
  };
  expect(chartInWords(chart, starts, berlin('day'))).toBe(
    'Ended: 7. Chart of 2 days. The highest value is 4, Sun, 28 Mar 2027.',
  );
});
