import { expect, it } from 'vitest';
import { addDays, dateIn, dayBegins, daysBetween } from './zones.ts';

it('knows when days begin, also where clocks change at midnight', () => {
  const begins = (date: string, zone: string) => dayBegins(date, zone).toISOString();
  expect(begins('2027-03-28', 'Europe/Berlin')).toBe('2027-03-27T23:00:00.000Z');
  expect(begins('2027-03-29', 'Europe/Berlin')).toBe('2027-03-28T22:00:00.000Z');
  expect(begins('2027-03-01', 'Asia/Kolkata')).toBe('2027-02-28T18:30:00.000Z');
  expect(begins('2027-03-01', 'Pacific/Kiritimati')).toBe('2027-02-28T10:00:00.000Z');
  // There is no midnight on this day: clocks go from 23:59 to 01:00.
  expect(begins('2027-09-05', 'America/Santiago')).toBe('2027-09-05T04:00:00.000Z');
});

it('counts days by the calendar', () => {
  expect(dateIn(new Date('2027-03-01T23:30:00Z'), 'Europe/Berlin')).toBe('2027-03-02');
  expect(dateIn(new Date('2027-03-01T23:30:00Z'), 'Mars/Phobos')).toBe('2027-03-01');
  expect(addDays('2027-03-01', -1)).toBe('2027-02-28');
  expect(daysBetween('2027-03-27', '2027-03-29')).toBe(3);
});
