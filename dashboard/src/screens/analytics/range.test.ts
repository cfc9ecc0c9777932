import { expect, it } from 'vitest';
import { daysOf, isPossible, queryOf, usualBucket } from './range.ts';
import { viewOf } from './view.ts';

const now = new Date('2027-03-30T22:30:00Z');
const berlin = 'Europe/Berlin';

it('ends with today, as calendars of the zone show it', () => {
  expect(daysOf({}, berlin, now)).toEqual({ first: '2027-03-02', last: '2027-03-31' });
  expect(daysOf({}, 'UTC', now)).toEqual({ first: '2027-03-01', last: '2027-03-30' });
  expect(daysOf({ range: '12mo' }, berlin, now)).toEqual({
    first: '2026-04-01',
    last: '2027-03-31',
  });
  expect(daysOf({ to: '2027-03-10' }, berlin, now).first).toBe('2027-02-09');
});

it('asks for whole days, of which one has 23 hours', () => {
  const query = queryOf({ from: '2027-03-28', to: '2027-03-28', tenant: 7 }, berlin, now);
  expect(query).toEqual({
    from: '2027-03-27T23:00:00.000Z',
    to: '2027-03-28T21:59:59.999Z',
    bucket: 'hour',
    tz: berlin,
    tenant_id: 7,
  });
  expect(queryOf({}, berlin, now).to).toBe(now.toISOString());
  expect(queryOf({ range: '24h' }, berlin, now).from).toBe('2027-03-29T23:30:00.000Z');
});

it('chooses periods of which a chart is legible', () => {
  const days = (first: string, last: string) => ({ first, last });
  expect(usualBucket(days('2027-03-30', '2027-03-31'))).toBe('hour');
  expect(usualBucket(days('2027-01-01', '2027-03-31'))).toBe('day');
  expect(usualBucket(days('2026-04-01', '2027-03-31'))).toBe('month');
  expect(isPossible('hour', days('2027-01-01', '2027-03-31'))).toBe(false);
});

it('takes of an address only what makes sense', () => {
  const search = {
    report: 'money',
    range: '7d',
    from: '2027-02-30',
    tz: 'Mars/Phobos',
    tenant: -1,
  };
  expect(viewOf(search)).toEqual({ range: '7d' });
  expect(viewOf({ from: '2027-02-28', tz: berlin, tenant: 3, numbers: true })).toEqual({
    from: '2027-02-28',
    tz: berlin,
    tenant: 3,
    numbers: true,
  });
});
