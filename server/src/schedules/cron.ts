/** Cron expressions: which times they name on the clocks of a place that never change. */
import { Cron } from 'croner';
import type { WallTime } from './zones.ts';

export type CronTimes = {
  /** The first time after this one; undefined if there is none. */
  next(after: WallTime): WallTime | undefined;
  /**
   * Whether its minute or hour begins with `*`: such a schedule means intervals, not times of the
   * day (as in Vixie's cron).
   */
  meansIntervals: boolean;
  /** Whether it names days both of the month and of the week: it fires on either. */
  namesBothDays: boolean;
};

/**
 * Reads five fields: minute, hour, day of month, month, day of week.
 *
 * @throws Error whose message says what is wrong with the expression.
 */
export function readCron(expression: string): CronTimes {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 5) {
    throw new Error(
      'has five fields: minute, hour, day of month, month and day of week, e.g. "0 7 * * MON-FRI"',
    );
  }
  const times = parsed(fields.join(' '));
  const [minute = '', hour = '', dayOfMonth = '', , dayOfWeek = ''] = fields;
  return {
    next: (after) => times.nextRun(new Date(after))?.getTime(),
    meansIntervals: isAny(minute) || isAny(hour),
    namesBothDays: !isAny(dayOfMonth) && !isAny(dayOfWeek) && !dayOfWeek.startsWith('+'),
  };
}

const isAny = (field: string) => /^[*?]/.test(field);

function parsed(expression: string): Cron {
  try {
    return new Cron(expression, { mode: '5-part', timezone: 'UTC', paused: true });
  } catch (error) {
    // "CronPattern: Invalid value for minute: 60"
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot be read: ${reason.replace(/^CronPattern: /, '')}`);
  }
}
