import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stillDue } from './missed.ts';

const now = new Date('2027-01-31T12:00:00Z');
const minutes = (count: number, every = 1) =>
  Array.from({ length: count }, (_, at) => new Date(+now - (count - 1 - at) * every * 60_000));

const counts = ({ fire, dropped }: ReturnType<typeof stillDue>) => [
  fire.length,
  dropped?.count ?? 0,
];

describe('ticks that are due after the servers were away', () => {
  it('fire as the trigger says', () => {
    const every10 = minutes(18, 10);
    assert.deepEqual(counts(stillDue(every10, now, 'none')), [1, 17]);
    assert.deepEqual(counts(stillDue(every10, now, 'latest')), [1, 17]);
    assert.deepEqual(stillDue(every10, now, 'all'), { fire: every10 });
  });

  it('of a trigger that makes up for none fire while they are a minute late at most', () => {
    const late = (ms: number) => [new Date(+now - ms)];
    assert.deepEqual(counts(stillDue(late(60_000), now, 'none')), [1, 0]);
    assert.deepEqual(counts(stillDue(late(60_001), now, 'none')), [0, 1]);
  });

  it('of a trigger that makes up for all are the last hundred of a week', () => {
    const tenDays = minutes(14_400);
    const { fire, dropped } = stillDue(tenDays, now, 'all');
    assert.deepEqual(fire, tenDays.slice(-100));
    assert.deepEqual(dropped, { from: tenDays[0], until: tenDays.at(-101), count: 14_300 });

    const daily = minutes(10, 24 * 60);
    assert.deepEqual(counts(stillDue(daily, now, 'all')), [8, 2]);
  });

  it('may be none', () => {
    for (const catchUp of ['none', 'latest', 'all'] as const) {
      assert.deepEqual(stillDue([], now, catchUp), { fire: [] });
    }
  });
});
