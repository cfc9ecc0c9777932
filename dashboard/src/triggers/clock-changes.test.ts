import { describe, expect, it } from 'vitest';
import { markedTicks } from './clock-changes.ts';

const changesOf = (ticks: [at: string, local_time: string][], now: string) =>
  markedTicks(
    ticks.map(([at, local_time]) => ({ at, local_time })),
    'Europe/Berlin',
    new Date(now),
  ).map(({ change }) => change);

describe('the next times of a schedule', () => {
  it('are marked where clocks go forward, and where they go back', () => {
    const spring: [string, string][] = [
      ['2027-03-27T06:00:00Z', '2027-03-27 07:00'],
      ['2027-03-28T05:00:00Z', '2027-03-28 07:00'],
      ['2027-03-29T05:00:00Z', '2027-03-29 07:00'],
    ];
    const forward = 'Clocks go forward 1 h before';
    expect(changesOf(spring, '2027-03-26T12:00:00Z')).toEqual([undefined, forward, undefined]);
    expect(changesOf(spring.slice(1), '2027-03-27T12:00:00Z')).toEqual([forward, undefined]);
    expect(
      changesOf([['2027-10-31T06:00:00Z', '2027-10-31 07:00']], '2027-10-30T12:00:00Z'),
    ).toEqual(['Clocks go back 1 h before']);
  });

  it('have no mark of a zone that the browser does not know, and none in UTC', () => {
    const tick = { at: '2027-03-28T05:00:00Z', local_time: '2027-03-28 05:00' };
    for (const zone of ['UTC', 'Mars/Olympus']) {
      expect(markedTicks([tick], zone, new Date('2027-03-26T12:00:00Z'))).toEqual([tick]);
    }
  });
});
