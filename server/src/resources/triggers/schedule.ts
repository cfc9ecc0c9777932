/** The schedule of a trigger, as users give it and as it is stored. */
import type { FieldFault } from '../../errors.ts';
import { unprocessableFor } from '../../errors.ts';
import { readCron } from '../../schedules/cron.ts';
import { nextTick, type Schedule } from '../../schedules/ticks.ts';
import { canonicalZone } from '../../schedules/zones.ts';
import type { TriggerRow } from './queries.ts';
import type { Trigger } from './schema.ts';

export const scheduleOf = ({
  cron,
  timezone,
  dst_gap: gap,
  dst_overlap: overlap,
}: Pick<TriggerRow, 'cron' | 'timezone' | 'dst_gap' | 'dst_overlap'>): Schedule => ({
  cron,
  timezone,
  dst: { gap, overlap },
});

type Given = { cron: string; timezone: string; dst?: Partial<Trigger['dst']> | undefined };

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
