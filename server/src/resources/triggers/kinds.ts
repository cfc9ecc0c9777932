/** What differs between the types of triggers. */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { unprocessableFor } from '../../errors.ts';
import { changedFolderTrigger, newFolderTrigger } from './folders/settings.ts';
import { readClock, type TriggerRow, type TypeColumns } from './queries.ts';
import { changedSchedule, countingFrom, newSchedule } from './schedule.ts';
import type { NewTrigger, Trigger, TriggerChanges } from './schema.ts';
import { changedWebhook, newWebhook } from './webhooks/settings.ts';

/** The fields that not all types have. */
const ownFields: Record<Trigger['type'], readonly (keyof NewTrigger)[]> = {
  schedule: ['cron', 'timezone', 'overlap', 'catch_up', 'dst'],
  webhook: ['preset', 'secret', 'mapping', 'folder_id'],
  folder: ['folder_id', 'recursive', 'media_types', 'debounce_seconds'],
};

/** @throws DomainError 422 for fields of other types. */
export function requireFieldsOf(type: Trigger['type'], given: object): void {
  const faults = [...new Set(Object.values(ownFields).flat())]
    .filter((field) => field in given && !ownFields[type].includes(field))
    .map((field) => ({
      loc: ['body', field],
      msg: `A trigger of type ${type} has no ${field}.`,
      type: 'extra_forbidden',
    }));
  if (faults.length > 0) throw unprocessableFor(faults);
}

/** @throws DomainError 403 or 404 for a folder, 422 */
export async function columnsOf(tx: Db, caller: Caller, given: NewTrigger): Promise<TypeColumns> {
  const { type } = given;
  if (type === 'schedule') return { type, ...newSchedule(given, await readClock(tx)) };
  if (type === 'webhook') return { type, ...(await newWebhook(tx, caller, given)) };
  return { type, ...(await newFolderTrigger(tx, caller, given)) };
}

/** @throws DomainError 403 or 404 for a folder, 422 */
export async function withChanges(
  tx: Db,
  caller: Caller,
  before: TriggerRow,
  changes: TriggerChanges,
  now: Date,
): Promise<TriggerRow> {
  if (before.type === 'schedule') return changedSchedule(before, changes, now);
  if (before.type === 'webhook') return changedWebhook(tx, caller, before, changes);
  return changedFolderTrigger(tx, caller, before, changes);
}

/** Its ticks count from now, and so do its refusals. */
export function turnedOn({ off_reason: _, ...trigger }: TriggerRow, now: Date): TriggerRow {
  const on = { ...trigger, enabled: true, refusals: 0, failures: 0, retry_at: undefined };
  return on.type === 'schedule' ? countingFrom(on, now) : on;
}
