import { describe, expect, it } from 'vitest';
import {
  durationOf,
  formatCount,
  formatDuration,
  formatSize,
  formatWhen,
  plural,
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
    [0, '0.0 s'],
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

it('counts in words', () => {
  expect(plural(1, 'file')).toBe('1 file');
  expect(plural(1200, 'file')).toBe('1,200 files');
});
