import { describe, expect, it } from 'vitest';
import { choiceOf, cronOf, scheduleWords, usualChoice } from './cron-choice.ts';

const table = [
  [{ every: 'hour', minute: 5 }, '5 * * * *', 'Every hour at :05'],
  [{ every: 'day', time: '07:30' }, '30 7 * * *', 'Every day at 07:30'],
  [{ every: 'week', weekdays: ['WED'] }, '0 7 * * WED', 'Every Wednesday at 07:00'],
  [{ every: 'week', weekdays: ['FRI', 'MON'] }, '0 7 * * MON,FRI', 'Mon, Fri at 07:00'],
  [
    { every: 'week', weekdays: ['MON', 'TUE', 'WED', 'THU', 'FRI'] },
    '0 7 * * MON-FRI',
    'Monday to Friday at 07:00',
  ],
  [{ every: 'month', day: '31' }, '0 7 31 * *', 'Day 31 of every month at 07:00'],
  [{ every: 'month', day: 'L' }, '0 7 L * *', 'Last day of every month at 07:00'],
] as const;

describe('a plain choice of a schedule', () => {
  for (const [choice, cron, words] of table) {
    it(`is ${cron}, in words: ${words}`, () => {
      expect(cronOf({ ...usualChoice, ...choice })).toBe(cron);
      expect(scheduleWords(cron)).toBe(words);
      expect(cronOf(choiceOf(cron) ?? usualChoice)).toBe(cron);
    });
  }

  it('is not made of an expression that means more', () => {
    for (const cron of [
      '*/5 * * * *',
      '0 7 1 1 *',
      '0 7 1 * MON',
      '0 7 * * MON#2',
      '0 7 0 * *',
      '0 24 * * *',
      '0 7,8 * * *',
      '@daily',
      '',
    ]) {
      expect(choiceOf(cron), cron).toBeUndefined();
      expect(scheduleWords(cron)).toBe(cron);
    }
  });
});
