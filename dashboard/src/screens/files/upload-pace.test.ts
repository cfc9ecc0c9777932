import { describe, expect, it } from 'vitest';
import { addSample, paceOf, type Sample, timeLeft } from './upload-pace.ts';

const mega = 1_000_000;

const samplesOf = (seconds: number, bytes_per_second: number) =>
  Array.from({ length: seconds + 1 }, (_, at) => at).reduce<Sample[]>(
    (all, at) => addSample(all, { time_ms: at * 1000, sent_bytes: at * bytes_per_second }),
    [],
  );

describe('paceOf', () => {
  it('is the speed of the last ten seconds', () => {
    const slow = samplesOf(20, mega);
    const fast = Array.from({ length: 10 }, (_, at) => at + 1).reduce(
      (all, at) => addSample(all, { time_ms: (20 + at) * 1000, sent_bytes: (20 + at * 5) * mega }),
      slow,
    );
    expect(paceOf(slow, 6 * mega)).toEqual({ bytes_per_second: mega, left_seconds: 6 });
    expect(paceOf(fast, 10 * mega)).toEqual({ bytes_per_second: 5 * mega, left_seconds: 2 });
  });

  it('is unknown at first, and while nothing moves', () => {
    expect(paceOf([], 1)).toBeUndefined();
    expect(paceOf(samplesOf(1, mega), 1)).toBeUndefined();
    expect(paceOf(samplesOf(5, 0), 1)).toBeUndefined();
  });
});

it.each([
  [3, 'a few seconds left'],
  [22, '30 s left'],
  [58, '1 min left'],
  [190, '3 min left'],
  [3600, '1 h left'],
  [4900, '1 h 20 min left'],
  [200_000, '2 days left'],
])('tells %s seconds as “%s”', (seconds, words) => expect(timeLeft(seconds)).toBe(words));
