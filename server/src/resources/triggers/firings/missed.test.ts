import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Schedule } from '../../../schedules/ticks.ts';
import { dueTicks, stillDue } from './missed.ts';

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

  it('of a month are not all listed, and the last of them fire nevertheless', () => {
    const month = 31 * 24 * 60;
    const before = new Date(+now - month * 60_000);
    const schedule = (cron: string): Schedule => ({
      ...{ cron, timezone: 'UTC', dst: { gap: 'shift', overlap: 'first' } },
    });
    const everyMinute = minutes(month);
    const found = dueTicks(schedule('* * * * *'), before, now);
    assert.ok(found.length < 1000);
    assert.deepEqual(found.slice(-100), everyMinute.slice(-100));
    assert.deepEqual(found.slice(0, 500), everyMinute.slice(0, 500));
    // None for a day at the end.
    const fortnight = dueTicks(schedule('*/20 * 1-30 * *'), before, now);
    assert.equal(fortnight.at(-1)?.toISOString(), '2027-01-30T23:40:00.000Z');
    assert.deepEqual(
      fortnight,
      [...new Set(fortnight.map(Number))].toSorted().map((at) => new Date(at)),
    );
    const [first, second] = minutes(2, 10);
    assert.deepEqual(dueTicks(schedule('*/10 * * * *'), new Date(+now - 11 * 60_000), now), [
      first,
      second,
    ]);
  });

  it('may be none', () => {
    for (const catchUp of ['none', 'latest', 'all'] as const) {
      assert.deepEqual(stillDue([], now, catchUp), { fire: [] });
    }
  });
});
