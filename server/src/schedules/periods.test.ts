import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { type PeriodUnit, periodLimits } from './periods.ts';

const limits = (zone: string, unit: PeriodUnit, from: string, to: string) =>
  periodLimits(zone, unit, Date.parse(from), Date.parse(to), 1000).map((limit) =>
    new Date(limit).toISOString().slice(0, 16),
  );

describe('the periods of a time zone', () => {
  it('are whole, and hold both ends', () => {
    assert.deepEqual(limits('Asia/Kolkata', 'day', '2027-01-10T18:29Z', '2027-01-10T18:31Z'), [
      '2027-01-09T18:30',
      '2027-01-10T18:30',
      '2027-01-11T18:30',
    ]);
    assert.deepEqual(limits('UTC', 'week', '2027-01-01T00:00Z', '2027-01-04T00:00Z'), [
      '2026-12-28T00:00',
      '2027-01-04T00:00',
    ]);
    assert.deepEqual(limits('Europe/Berlin', 'month', '2027-03-31T21:59Z', '2027-03-31T22:01Z'), [
      '2027-02-28T23:00',
      '2027-03-31T22:00',
      '2027-04-30T22:00',
    ]);
  });

  it('follow the zone data of this release', () => {
    const days = limits('Africa/Casablanca', 'day', '2027-01-01T00:00Z', '2027-05-01T00:00Z');
    assert.equal(days.length, 121);
    assert.ok(days.every((day) => day.endsWith('T00:00')));
  });

  it('have the hours that clocks show', () => {
    const day = (zone: string, unit: PeriodUnit, from: string, to: string) =>
      limits(zone, unit, from, to).length - 1;
    assert.equal(day('Europe/Berlin', 'hour', '2027-03-27T23:00Z', '2027-03-28T22:00Z'), 23);
    assert.equal(day('Europe/Berlin', 'hour', '2027-10-30T22:00Z', '2027-10-31T23:00Z'), 25);
    // 24.5 hours; the hour in which clocks go back by half an hour is joined with the rest.
    assert.deepEqual(
      limits('Australia/Lord_Howe', 'day', '2027-04-03T13:00Z', '2027-04-04T13:30Z'),
      ['2027-04-03T13:00', '2027-04-04T13:30'],
    );
    assert.equal(day('Australia/Lord_Howe', 'hour', '2027-04-03T13:00Z', '2027-04-04T13:30Z'), 24);
  });

  it('begin with the first instant of their day, also where there is no midnight', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 365 * 12 }),
        fc.constantFrom('day' as const, 'month' as const),
        (zone, days, unit) => {
          const date = Temporal.PlainDate.from('2020-01-01').add({ days });
          const first = unit === 'day' ? date : date.with({ day: 1 });
          const next = unit === 'day' ? first.add({ days: 1 }) : first.add({ months: 1 });
          const wanted = [first, next].map((one) => {
            const start = one.toZonedDateTime(zone);
            return start.startOfDay().epochMilliseconds;
          });
          const noon = date.toZonedDateTime({ timeZone: zone, plainTime: '12:00' });
          const at = noon.epochMilliseconds;
          assert.deepEqual(periodLimits(zone, unit, at, at + 1, 1000), wanted);
        },
      ),
      { numRuns: 500 },
    );
  });
});
