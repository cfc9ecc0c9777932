import { describe, expect, it } from 'vitest';
import {
  durationOf,
  formatComing,
  formatCount,
  formatDay,
  formatDuration,
  formatSize,
  formatWhen,
} from './format.ts';

const now = new Date('2026-06-15T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString();

describe('formatSize', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 KB'],
    [99_960, '100 KB'],
    [999_600, '1.0 MB'],
    [64 * 1024 * 1024, '67.1 MB'],
    [5e15, '5.0 PB'],
  ])('writes %i as %s', (size, text) => expect(formatSize(size)).toBe(text));
});

describe('formatWhen', () => {
  it.each([
    [0, 'just now'],
    [50, '1 min ago'],
    [3599, '60 min ago'],
    [3600, '1 h ago'],
    [86_400 * 2, '2 d ago'],
    [86_400 * 10, '5 Jun'],
    [86_400 * 400, '11 May 2025'],
  ])('writes %i s ago as %s', (seconds, text) => expect(formatWhen(ago(seconds), now)).toBe(text));

  it('writes a moment to come as a date', () => {
    expect(formatWhen('2026-07-01T00:00:00Z', now)).toMatch(/1 Jul|30 Jun/);
  });
});

describe('durations', () => {
  it.each([
    [-5, '0 s'],
    [0, '0 s'],
    [42, '42 ms'],
    [999.4, '999 ms'],
    [999.6, '1.0 s'],
    [1_000, '1.0 s'],
    [9_940, '9.9 s'],
    [59_400, '59 s'],
    [61_000, '1 min 1 s'],
    [3_725_000, '1 h 2 min'],
  ])('writes %i ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it('runs on until there is an end, and has not begun without a start', () => {
    expect(durationOf({ started_at: ago(5) }, now)).toBe('5.0 s');
    expect(durationOf({ started_at: ago(5), finished_at: ago(3) }, now)).toBe('2.0 s');
    expect(durationOf({}, now)).toBeUndefined();
  });
});

it('separates thousands', () => {
  expect(formatCount(999)).toBe('999');
  expect(formatCount(1000)).toBe('1,000');
  expect(formatCount(1_234_567)).toBe('1,234,567');
});

it('writes a day as a heading', () => {
  const day = (text: string) => formatDay(`${text}T01:00:00`, new Date('2026-03-01T23:00:00'));
  expect(day('2026-03-01')).toBe('Today');
  expect(day('2026-02-28')).toBe('Yesterday');
  expect(day('2026-02-27')).toMatch(/^Friday,? 27 February$/);
  expect(day('2025-12-31')).toMatch(/^Wednesday,? 31 December 2025$/);
});

describe('formatComing', () => {
  it.each([
    [-30, 'in a moment'],
    [59, 'in a moment'],
    [60, 'in 1 min'],
    [3599, 'in 59 min'],
    [3600, 'in 1 h'],
    [86_399, 'in 23 h'],
  ])('writes %i s from now as %s', (seconds, text) =>
    expect(formatComing(ago(-seconds), now)).toBe(text),
  );

  it('writes date and time of what is more than a day away', () => {
    expect(formatComing('2027-01-05T12:30:00', now)).toBe('5 Jan 2027, 12:30');
  });
});
