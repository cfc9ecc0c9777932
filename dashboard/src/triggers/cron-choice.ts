/** Plain choices for a schedule, and the cron expression of each. Pure. */
import { t } from '@lingui/core/macro';

export type CronChoice = {
  every: 'hour' | 'day' | 'week' | 'month';
  /** Of each hour. */
  minute: number;
  /** As fields of time have it: 07:30. */
  time: string;
  /** Of each week. */
  weekdays: readonly string[];
  /** Of each month; `L` is the last. */
  day: string;
};

export const weekdays = [
  { value: 'MON', label: t`Mon`, name: t`Monday` },
  { value: 'TUE', label: t`Tue`, name: t`Tuesday` },
  { value: 'WED', label: t`Wed`, name: t`Wednesday` },
  { value: 'THU', label: t`Thu`, name: t`Thursday` },
  { value: 'FRI', label: t`Fri`, name: t`Friday` },
  { value: 'SAT', label: t`Sat`, name: t`Saturday` },
  { value: 'SUN', label: t`Sun`, name: t`Sunday` },
] as const;

export const usualChoice: CronChoice = {
  every: 'day',
  minute: 0,
  time: '07:00',
  weekdays: ['MON'],
  day: '1',
};

const workingDays = 'MON,TUE,WED,THU,FRI';

export function cronOf({ every, minute, time, weekdays: chosen, day }: CronChoice): string {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const at = `${minutes} ${hours}`;
  if (every === 'hour') return `${minute} * * * *`;
  if (every === 'day') return `${at} * * *`;
  if (every === 'month') return `${at} ${day} * *`;
  const days = inOrder(chosen).join(',');
  return `${at} * * ${days === workingDays ? 'MON-FRI' : days}`;
}

const inOrder = (chosen: readonly string[]) =>
  weekdays.map(({ value }) => value).filter((value) => chosen.includes(value));

/** @returns undefined for an expression that is none of the plain choices. */
export function choiceOf(cron: string): CronChoice | undefined {
  const [minute = '', hour = '', day = '', month, weekday = '', ...more] = cron.trim().split(/\s+/);
  if (more.length > 0 || month !== '*' || !isUpTo(minute, 59)) return undefined;
  if (hour === '*' && day === '*' && weekday === '*') {
    return { ...usualChoice, every: 'hour', minute: Number(minute) };
  }
  if (!isUpTo(hour, 23)) return undefined;
  const choice = { ...usualChoice, time: `${twoDigits(hour)}:${twoDigits(minute)}` };
  if (day === '*' && weekday === '*') return { ...choice, every: 'day' };
  if (weekday === '*') {
    const isDay = day === 'L' || (isUpTo(day, 31) && Number(day) > 0);
    return isDay ? { ...choice, every: 'month', day } : undefined;
  }
  const chosen = (weekday === 'MON-FRI' ? workingDays : weekday).split(',');
  const areKnown = chosen.every((one) => weekdays.some(({ value }) => value === one));
  return day === '*' && areKnown ? { ...choice, every: 'week', weekdays: chosen } : undefined;
}

const isUpTo = (text: string, most: number) => /^\d{1,2}$/.test(text) && Number(text) <= most;

const twoDigits = (text: string | number) => String(text).padStart(2, '0');

/** An expression in words, or itself if it is none of the plain choices. */
export function scheduleWords(cron: string): string {
  const choice = choiceOf(cron);
  if (!choice) return cron;
  const { every, minute, time, weekdays: chosen, day } = choice;
  const minutes = twoDigits(minute);
  if (every === 'hour') return t`Every hour at :${minutes}`;
  if (every === 'day') return t`Every day at ${time}`;
  if (every === 'month') {
    const number = Number(day);
    return day === 'L'
      ? t`Last day of every month at ${time}`
      : t`Day ${number} of every month at ${time}`;
  }
  const days = inOrder(chosen);
  if (days.join(',') === workingDays) return t`Monday to Friday at ${time}`;
  const [only] = weekdays.filter(({ value }) => value === days[0]);
  if (days.length === 1 && only) {
    const weekday = only.name;
    return t`Every ${weekday} at ${time}`;
  }
  const labels = weekdays.filter(({ value }) => days.includes(value)).map(({ label }) => label);
  const list = labels.join(', ');
  return t`${list} at ${time}`;
}
