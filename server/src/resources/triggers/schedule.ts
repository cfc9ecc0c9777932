/** The schedule of a trigger, as users give it and as it is stored. */
import { badField, type FieldFault, unprocessableFor } from '../../errors.ts';
import { readCron } from '../../schedules/cron.ts';
import { nextTick, type Schedule } from '../../schedules/ticks.ts';
import { canonicalZone } from '../../schedules/zones.ts';
import type { ScheduleColumns, ScheduleRow } from './queries.ts';
import type { NewTrigger, TriggerChanges } from './schema.ts';

export const scheduleOf = ({
  cron,
  timezone,
  dst_gap: gap,
  dst_overlap: overlap,
}: Pick<ScheduleColumns, 'cron' | 'timezone' | 'dst_gap' | 'dst_overlap'>): Schedule => ({
  cron,
  timezone,
  dst: { gap, overlap },
});

type Given = { cron: string; timezone: string; dst?: Partial<Schedule['dst']> | undefined };

/**
 * A schedule with a canonical time zone.
 *
 * @param part where in the request it stands.
 * @throws DomainError 422 for an expression that cannot be read or never fires, or an unknown zone.
 */
export function checkedSchedule(
  { cron, timezone, dst }: Given,
  after: Date,
  part: 'body' | 'query' = 'body',
): Schedule {
  const zone = canonicalZone(timezone);
  const faults: FieldFault[] = [];
  const fault = (field: string, msg: string, type: string) =>
    faults.push({ loc: [part, field], msg, type });
  if (zone === undefined) {
    fault(
      'timezone',
      `There is no time zone "${timezone}". Use a name such as Europe/Berlin.`,
      'timezone',
    );
  }
  const schedule: Schedule = {
    cron: cron.trim().split(/\s+/).join(' '),
    timezone: zone ?? 'UTC',
    dst: { gap: dst?.gap ?? 'shift', overlap: dst?.overlap ?? 'first' },
  };
  try {
    if (nextTick(schedule, after) === undefined) {
      fault('cron', 'This schedule never fires: there is no such day.', 'never_fires');
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    fault('cron', `The expression ${reason}.`, 'cron');
  }
  if (faults.length > 0) throw unprocessableFor(faults);
  return schedule;
}

/** What may surprise whoever wrote the schedule. */
export const warningsOf = ({ cron }: Schedule): string[] =>
  readCron(cron).namesBothDays
    ? ['It names days of the month and days of the week, and fires on either.']
    : [];

/** The columns of a new schedule, which counts from `now`. @throws DomainError 422 */
export function newSchedule(
  { cron, timezone = 'UTC', dst, overlap = 'skip', catch_up = 'latest' }: NewTrigger,
  now: Date,
): ScheduleColumns {
  if (cron === undefined) throw badField('cron', 'A schedule needs an expression.', 'missing');
  const schedule = checkedSchedule({ cron, timezone, dst }, now);
  return countingFrom({ ...columnsOf(schedule), overlap, catch_up }, now);
}

/** With these changes; a changed schedule counts from `now`. @throws DomainError 422 */
export function changedSchedule(
  before: ScheduleRow,
  { cron, timezone, dst, overlap, catch_up }: TriggerChanges,
  now: Date,
): ScheduleRow {
  const kept = { overlap: overlap ?? before.overlap, catch_up: catch_up ?? before.catch_up };
  // A zone that there is no more must not stand in the way of turning it off.
  if (cron === undefined && timezone === undefined && dst === undefined)
    return { ...before, ...kept };
  const was = scheduleOf(before);
  const schedule = checkedSchedule(
    {
      cron: cron ?? was.cron,
      timezone: timezone ?? was.timezone,
      dst: { ...was.dst, ...dst },
    },
    now,
  );
  const after: ScheduleRow = { ...before, ...columnsOf(schedule), ...kept };
  const isNew = JSON.stringify(schedule) !== JSON.stringify(was);
  return isNew ? countingFrom(after, now) : after;
}

const columnsOf = ({ cron, timezone, dst }: Schedule) => ({
  cron,
  timezone,
  dst_gap: dst.gap,
  dst_overlap: dst.overlap,
});

/** Whose ticks up to now are decided. */
export function countingFrom<Row extends Omit<ScheduleColumns, 'last_tick_at' | 'next_fire_at'>>(
  row: Row,
  now: Date,
): Row & Pick<ScheduleColumns, 'last_tick_at' | 'next_fire_at'> {
  const next_fire_at = nextTick(scheduleOf(row), now)?.toISOString();
  return { ...row, last_tick_at: now.toISOString(), next_fire_at };
}
