/** Triggers: what users may set up, see and change. `firing.ts` starts their runs. */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { badField, conflict, forbidden, notFound } from '../../errors.ts';
import type { Page } from '../../pages.ts';
import { nextTick, type Schedule, ticksBetween } from '../../schedules/ticks.ts';
import { wallTimeAt } from '../../schedules/zones.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { requireAccessToAll } from '../permissions/access.ts';
import { getVersion } from '../workflows/versions.ts';
import { type FiringServices, prepareByHand } from './firing.ts';
import {
  addTrigger,
  findPublishedVersion,
  findTrigger,
  listFiringRows,
  listTriggerRows,
  lockTrigger,
  lockTriggersOff,
  readClock,
  removeTrigger,
  type ShownTriggerRow,
  supersedeWaiting,
  type TriggerRow,
  updateTrigger,
} from './queries.ts';
import { checkedSchedule, scheduleOf, warningsOf } from './schedule.ts';
import type { NewTrigger, Trigger, TriggerChanges } from './schema.ts';

/**
 * Sets up a trigger that runs as the caller, from now on.
 *
 * @throws DomainError 404 for a workflow or cogs, 403 for cogs, 409 `not_published`, 422 for the
 *   schedule.
 */
export function createTrigger(db: Db, caller: Caller, given: NewTrigger) {
  return db.transaction(async (tx) => {
    const now = await readClock(tx);
    const schedule = checkedSchedule({ timezone: 'UTC', ...given }, now);
    const workflow = await workflowOf(tx, caller, given);
    const { cog_ids = [], extra_variables = {}, enabled = true } = given;
    await requireAccessToAll(tx, caller, cog_ids, 'view');
    const row = await addTrigger(tx, {
      tenant_id: caller.tenant_id,
      name: given.name,
      type: given.type,
      ...workflow,
      cog_ids,
      extra_variables,
      enabled,
      run_as_user_id: caller.user_id,
      created_by: caller.user_id,
      cron: schedule.cron,
      timezone: schedule.timezone,
      overlap: given.overlap ?? 'skip',
      catch_up: given.catch_up ?? 'latest',
      dst_gap: schedule.dst.gap,
      dst_overlap: schedule.dst.overlap,
      last_tick_at: now.toISOString(),
      next_fire_at: nextTick(schedule, now)?.toISOString(),
    });
    await recordEvent(tx, caller, eventOf('created', row));
    const warnings = warningsOf(schedule);
    return { ...shown(row), ...(warnings.length > 0 && { warnings }) };
  });
}

export async function listTriggers(
  db: Db,
  caller: Caller,
  workflowId: number | undefined,
  page: Page,
) {
  const { rows, ...rest } = await listTriggerRows(db, caller.tenant_id, workflowId, page);
  return { rows: rows.map(shown), ...rest };
}

export async function getTrigger(db: Db, caller: Caller, id: number): Promise<Trigger> {
  return shown(await requireTrigger(db, caller, id));
}

/**
 * A new schedule counts from now, and so does one that is turned on again: nothing is made up for.
 *
 * @throws DomainError 403 for others than its user, its maker and admins.
 */
export function changeTrigger(
  db: Db,
  caller: Caller,
  id: number,
  changes: TriggerChanges,
): Promise<Trigger> {
  return db.transaction(async (tx) => {
    const before = await lockTrigger(tx, caller.tenant_id, id);
    if (!before) throw notFound('Trigger');
    requireMaintainer(caller, before);
    const after = await changed(tx, caller, before, changes);
    await updateTrigger(tx, after);
    // It counts from now: a tick that waits is one of before.
    if (after.last_tick_at !== before.last_tick_at) await supersedeWaiting(tx, after, 'changed');
    await recordEvent(tx, caller, { ...eventOf('changed', before), details: { ...changes } });
    return getTrigger(tx, caller, id);
  });
}

export function deleteTrigger(db: Db, caller: Caller, id: number): Promise<void> {
  return db.transaction(async (tx) => {
    const trigger = await lockTrigger(tx, caller.tenant_id, id);
    if (!trigger) throw notFound('Trigger');
    requireMaintainer(caller, trigger);
    await removeTrigger(tx, caller.tenant_id, id);
    await recordEvent(tx, caller, eventOf('deleted', trigger));
  });
}

/** Starts its run now. */
export async function prepareFire(services: FiringServices, caller: Caller, id: number) {
  const trigger = await requireTrigger(services.db, caller, id);
  requireMaintainer(caller, trigger);
  return prepareByHand(services, trigger);
}

export async function listFirings(db: Db, caller: Caller, id: number, page: Page) {
  await requireTrigger(db, caller, id);
  return listFiringRows(db, caller.tenant_id, id, page);
}

type AnySchedule = Parameters<typeof checkedSchedule>[0];

/** The next ticks of a schedule that need not be stored. @throws DomainError 422 for the schedule */
export function previewSchedule(given: AnySchedule, count: number) {
  const now = new Date();
  return comingTicks(checkedSchedule(given, now, 'query'), now, count);
}

export async function previewTrigger(db: Db, caller: Caller, id: number, count: number) {
  return comingTicks(scheduleOf(await requireTrigger(db, caller, id)), new Date(), count);
}

/** Turns on again what was turned off because its user was disabled; nothing is made up for. */
export async function resumeTriggersOf(tx: Db, tenantId: number, userId: number): Promise<void> {
  const triggers = await lockTriggersOff(tx, tenantId, userId);
  if (triggers.length === 0) return;
  const now = await readClock(tx);
  for (const trigger of triggers)
    await updateTrigger(tx, fromNow({ ...trigger, enabled: true }, now));
}

function comingTicks(schedule: Schedule, after: Date, count: number) {
  return ticksBetween(schedule, after, endOfTime, count).map((tick) => ({
    at: tick.toISOString(),
    local_time: shownTime(wallTimeAt(schedule.timezone, tick.getTime())),
  }));
}

const endOfTime = new Date(8.64e15);

const shownTime = (wall: number) => new Date(wall).toISOString().slice(0, 16).replace('T', ' ');

async function changed(
  tx: Db,
  caller: Caller,
  before: TriggerRow,
  changes: TriggerChanges,
): Promise<TriggerRow> {
  const { run_as_user_id = before.run_as_user_id, cog_ids = before.cog_ids } = changes;
  if (run_as_user_id !== before.run_as_user_id && run_as_user_id !== caller.user_id) {
    throw forbidden('A trigger can only be made to run as yourself.');
  }
  if (changes.cog_ids) await requireAccessToAll(tx, caller, cog_ids, 'view');
  const { dst = {} } = changes;
  const now = await readClock(tx);
  const schedule = checkedSchedule(
    {
      cron: changes.cron ?? before.cron,
      timezone: changes.timezone ?? before.timezone,
      dst: { ...scheduleOf(before).dst, ...dst },
    },
    now,
  );
  const after: TriggerRow = {
    ...before,
    ...(await changedWorkflow(tx, caller, before, changes)),
    name: changes.name ?? before.name,
    cog_ids,
    extra_variables: changes.extra_variables ?? before.extra_variables,
    enabled: changes.enabled ?? before.enabled,
    run_as_user_id,
    cron: schedule.cron,
    timezone: schedule.timezone,
    overlap: changes.overlap ?? before.overlap,
    catch_up: changes.catch_up ?? before.catch_up,
    dst_gap: schedule.dst.gap,
    dst_overlap: schedule.dst.overlap,
  };
  const isNew = JSON.stringify(schedule) !== JSON.stringify(scheduleOf(before));
  return isNew || after.enabled !== before.enabled ? fromNow(after, now) : after;
}

/** Its ticks count from now, and so do its refusals. */
function fromNow({ off_reason: _, ...trigger }: TriggerRow, now: Date): TriggerRow {
  const next_fire_at = nextTick(scheduleOf(trigger), now)?.toISOString();
  return { ...trigger, refusals: 0, last_tick_at: now.toISOString(), next_fire_at };
}

function changedWorkflow(tx: Db, caller: Caller, before: TriggerRow, changes: TriggerChanges) {
  if (changes.workflow_id === undefined && changes.workflow_version_id === undefined) return {};
  return workflowOf(tx, caller, {
    workflow_id: changes.workflow_id ?? before.workflow_id,
    workflow_version_id: changes.workflow_version_id ?? undefined,
  });
}

type WantedWorkflow = {
  workflow_id?: number | undefined;
  workflow_version_id?: number | undefined;
};

/** A workflow whose published version runs, or one version of it. */
async function workflowOf(
  tx: Db,
  caller: Caller,
  { workflow_id, workflow_version_id }: WantedWorkflow,
) {
  if (workflow_version_id !== undefined) {
    const version = await getVersion(tx, caller, workflow_version_id);
    if (workflow_id !== undefined && version.workflow_id !== workflow_id) {
      throw badField('workflow_version_id', 'This is a version of another workflow.');
    }
    return { workflow_id: version.workflow_id, workflow_version_id };
  }
  if (workflow_id === undefined) {
    throw badField('workflow_id', 'Name a workflow, or a version of one.', 'missing');
  }
  const workflow = await findPublishedVersion(tx, caller.tenant_id, workflow_id);
  if (!workflow) throw notFound('Workflow');
  if (workflow.published_version_id === undefined) {
    throw conflict(
      'not_published',
      'No version of this workflow is published. Publish one, or name a version.',
    );
  }
  return { workflow_id, workflow_version_id: undefined };
}

async function requireTrigger(db: Db, caller: Caller, id: number): Promise<ShownTriggerRow> {
  const trigger = await findTrigger(db, caller.tenant_id, id);
  if (!trigger) throw notFound('Trigger');
  return trigger;
}

function requireMaintainer(caller: Caller, { run_as_user_id, created_by }: TriggerRow) {
  if (caller.role === 'admin' || [run_as_user_id, created_by].includes(caller.user_id)) return;
  throw forbidden('Only the user of this trigger, its maker and administrators may do that.');
}

const eventOf = (what: 'created' | 'changed' | 'deleted', { id, name }: TriggerRow) => ({
  action: `trigger.${what}`,
  target_type: 'trigger',
  target_id: id,
  details: { name },
});

/** Without what only firing needs. */
const shown = ({
  tenant_id: _tenant,
  revision: _revision,
  refusals: _refusals,
  last_tick_at: _last,
  dst_gap: gap,
  dst_overlap: overlap,
  ...row
}: TriggerRow & Partial<ShownTriggerRow>) => ({ ...row, dst: { gap, overlap } }) as Trigger;
