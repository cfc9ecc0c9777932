/** Triggers: what users may set up, see and change. `firing.ts` starts their runs. */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { badField, conflict, forbidden, notFound } from '../../errors.ts';
import { rotateSecret, storeSecret } from '../../hooks/secrets.ts';
import type { Keys } from '../../keys/keys.ts';
import type { Page } from '../../pages.ts';
import { type Schedule, ticksBetween } from '../../schedules/ticks.ts';
import { wallTimeAt } from '../../schedules/zones.ts';
import type { Services } from '../../services.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { requireAccessToAll } from '../permissions/access.ts';
import { getVersion } from '../workflows/versions.ts';
import { prepareByHand } from './firings/firing.ts';
import { listFiringRows, supersedeWaiting } from './firings/queries.ts';
import { dropWaiting } from './folders/queries.ts';
import { columnsOf, requireFieldsOf, turnedOn, withChanges } from './kinds.ts';
import {
  addTrigger,
  findPublishedVersion,
  findTrigger,
  listTriggerRows,
  lockTrigger,
  lockTriggersOf,
  lockTriggersOff,
  readClock,
  removeTrigger,
  type ShownTriggerRow,
  setTriggerUser,
  type TriggerFilter,
  type TriggerRow,
  type TriggersTakenOver,
  updateTrigger,
} from './queries.ts';
import { checkedSchedule, scheduleOf, warningsOf } from './schedule.ts';
import type { CreatedTrigger, NewSecret, NewTrigger, Trigger, TriggerChanges } from './schema.ts';
import type { FiringServices } from './starting.ts';
import { secretStore } from './webhooks/settings.ts';

type TriggerServices = Pick<Services, 'keys' | 'baseUrl'>;

/**
 * Sets up a trigger that runs as the caller, from now on.
 *
 * @throws DomainError 404 for a workflow or cogs, 403 for cogs, 409 `not_published`, 422 for what
 *   its type needs.
 */
export function createTrigger(
  db: Db,
  services: TriggerServices,
  caller: Caller,
  given: NewTrigger,
): Promise<CreatedTrigger> {
  requireFieldsOf(given.type, given);
  return db.transaction(async (tx) => {
    const columns = await columnsOf(tx, caller, given);
    const workflow = await workflowOf(tx, caller, given);
    const { cog_ids = [], extra_variables = {}, enabled = true } = given;
    await requireAccessToAll(tx, caller, cog_ids, 'view');
    const row = await addTrigger(tx, {
      tenant_id: caller.tenant_id,
      name: given.name,
      ...workflow,
      cog_ids,
      extra_variables,
      enabled,
      run_as_user_id: caller.user_id,
      created_by: caller.user_id,
      ...columns,
    });
    await recordEvent(tx, caller, eventOf('created', row));
    const created: CreatedTrigger = shown(services, row);
    if (row.type === 'webhook')
      created.secret = await storeSecret(tx, secretStore(tx, services.keys, row), given.secret);
    const warnings = row.type === 'schedule' ? warningsOf(scheduleOf(row)) : [];
    return { ...created, ...(warnings.length > 0 && { warnings }) };
  });
}

export async function listTriggers(
  services: TriggerServices & Pick<Services, 'db'>,
  caller: Caller,
  filter: TriggerFilter,
  page: Page,
) {
  const { rows, ...rest } = await listTriggerRows(services.db, caller.tenant_id, filter, page);
  return { rows: rows.map((row) => shown(services, row)), ...rest };
}

export async function getTrigger(
  db: Db,
  services: TriggerServices,
  caller: Caller,
  id: number,
): Promise<Trigger> {
  return shown(services, await requireTrigger(db, caller, id));
}

/**
 * A new schedule counts from now, and so does one that is turned on again: nothing is made up for.
 *
 * @throws DomainError 403 for others than its user and admins; its maker may turn it off.
 */
export function changeTrigger(
  db: Db,
  services: TriggerServices,
  caller: Caller,
  id: number,
  changes: TriggerChanges,
): Promise<Trigger> {
  return db.transaction(async (tx) => {
    const before = await requireOwnTrigger(tx, caller, id);
    if (!turnsOffOnly(changes)) requireUserOf(caller, { ...before, ...changes });
    requireFieldsOf(before.type, changes);
    const after = await changed(tx, caller, before, changes);
    await updateTrigger(tx, after);
    // It counts from now: a tick that waits is one of before.
    const isSame = after.enabled === before.enabled && startedAt(after) === startedAt(before);
    if (!isSame) await supersedeWaiting(tx, after, 'changed');
    if (!after.enabled && after.type === 'folder') await dropWaiting(tx, after);
    await recordEvent(tx, caller, { ...eventOf('changed', before), details: { ...changes } });
    return getTrigger(tx, services, caller, id);
  });
}

export function deleteTrigger(db: Db, caller: Caller, id: number): Promise<void> {
  return db.transaction(async (tx) => {
    const trigger = await requireOwnTrigger(tx, caller, id);
    await removeTrigger(tx, trigger);
    await recordEvent(tx, caller, eventOf('deleted', trigger));
  });
}

/** Starts its run now. */
export async function prepareFire(services: FiringServices, caller: Caller, id: number) {
  const trigger = await requireTrigger(services.db, caller, id);
  requireUserOf(caller, trigger);
  return prepareByHand(services, trigger);
}

/** A new secret of a webhook; the old one lives on for the overlap. */
export function changeTriggerSecret(
  db: Db,
  keys: Keys,
  caller: Caller,
  id: number,
  { secret, overlap_seconds = 24 * 3600 }: NewSecret,
) {
  return db.transaction(async (tx) => {
    const trigger = await requireOwnTrigger(tx, caller, id);
    requireUserOf(caller, trigger);
    if (trigger.type !== 'webhook') throw notAWebhook();
    await recordEvent(tx, caller, eventOf('secret_rotated', trigger));
    return rotateSecret(tx, secretStore(tx, keys, trigger), secret, overlap_seconds);
  });
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
  const trigger = await requireTrigger(db, caller, id);
  if (trigger.type !== 'schedule') return [];
  return comingTicks(scheduleOf(trigger), new Date(), count);
}

/** Turns on again what was turned off because its user was disabled; nothing is made up for. */
export async function resumeTriggersOf(tx: Db, tenantId: number, userId: number): Promise<void> {
  const triggers = await lockTriggersOff(tx, tenantId, userId);
  if (triggers.length === 0) return;
  const now = await readClock(tx);
  for (const trigger of triggers) await updateTrigger(tx, turnedOn(trigger, now));
}

/**
 * Waits for runs that triggers of this user are starting, and keeps them from others. Before the row
 * of the user is locked, as a start does.
 */
export async function holdTriggersOf(tx: Db, tenantId: number, userId: number): Promise<void> {
  await lockTriggersOf(tx, tenantId, userId);
}

/**
 * Makes triggers of a user run as another. Unless `stay_on`, they are off until that one turns them
 * on: who made them decided what they read, and may know the secret of a webhook. If they stay on,
 * those are on again that were turned off because their user was disabled.
 *
 * @returns their ids.
 */
export async function takeOverTriggersOf(tx: Db, change: TriggersTakenOver): Promise<number[]> {
  const taken = await setTriggerUser(tx, change);
  const { tenant_id } = change;
  const off = taken.filter(({ enabled }) => !enabled).map(({ id }) => id);
  await supersedeWaiting(tx, { tenant_id, id: off }, 'off');
  if (change.stay_on) await resumeTriggersOf(tx, tenant_id, change.to);
  return taken.map(({ id }) => id);
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
  const now = await readClock(tx);
  const after: TriggerRow = {
    ...(await withChanges(tx, caller, before, changes, now)),
    ...(await changedWorkflow(tx, caller, before, changes)),
    name: changes.name ?? before.name,
    // Whatever failed may have been mended by the change.
    failures: 0,
    retry_at: undefined,
    cog_ids,
    extra_variables: changes.extra_variables ?? before.extra_variables,
    run_as_user_id,
  };
  const { enabled = before.enabled } = changes;
  if (enabled && !before.enabled) return turnedOn(after, now);
  const hasNewUser = run_as_user_id !== before.run_as_user_id;
  if (changes.enabled !== false && !hasNewUser) return { ...after, enabled };
  // It stays off until somebody turns it on, whatever becomes of the user it was off for.
  const { off_reason: _, ...decided } = after;
  return { ...decided, enabled };
}

const startedAt = (trigger: TriggerRow) =>
  trigger.type === 'schedule' ? trigger.last_tick_at : undefined;

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

export async function requireTrigger(db: Db, caller: Caller, id: number): Promise<ShownTriggerRow> {
  const trigger = await findTrigger(db, caller.tenant_id, id);
  if (!trigger) throw notFound('Trigger');
  return trigger;
}

/** Locked, for a change. @throws DomainError 404; 403 for others than those who may change it. */
async function requireOwnTrigger(tx: Db, caller: Caller, id: number): Promise<TriggerRow> {
  const trigger = await lockTrigger(tx, { tenant_id: caller.tenant_id, id });
  if (!trigger) throw notFound('Trigger');
  requireMaintainer(caller, trigger);
  return trigger;
}

export const notAWebhook = () =>
  conflict('not_a_webhook', 'Only a trigger of type webhook has secrets and deliveries.');

/** Who may look into it, turn it off and delete it. */
export function requireMaintainer(caller: Caller, { run_as_user_id, created_by }: TriggerRow) {
  if (caller.role === 'admin' || [run_as_user_id, created_by].includes(caller.user_id)) return;
  throw forbidden('Only the user of this trigger, its maker and administrators may do that.');
}

/**
 * Who may start its runs and say what they do: no longer its maker once somebody else has taken it
 * over, whose files its runs can read.
 */
export function requireUserOf(
  caller: Caller,
  { run_as_user_id }: Pick<TriggerChanges, 'run_as_user_id'>,
) {
  if (caller.role === 'admin' || run_as_user_id === caller.user_id) return;
  throw forbidden(
    'This trigger runs as somebody else. Only that user and administrators may do that; its maker can take it back by naming themselves as run_as_user_id.',
  );
}

const turnsOffOnly = (changes: TriggerChanges) =>
  changes.enabled === false && Object.keys(changes).length === 1;

const eventOf = (
  what: 'created' | 'changed' | 'deleted' | 'secret_rotated',
  { id, name }: TriggerRow,
) => ({
  action: `trigger.${what}`,
  target_type: 'trigger',
  target_id: id,
  details: { name },
});

/** As users see it: without what only firing needs. */
function shown({ baseUrl }: TriggerServices, row: ShownTriggerRow): Trigger {
  const { tenant_id, revision, refusals, failures, retry_at, ...rest } = row;
  if (rest.type === 'folder') return rest as Trigger;
  if (rest.type === 'webhook')
    return { ...rest, url: `${baseUrl()}/hooks/${rest.public_id}` } as Trigger;
  const { last_tick_at, dst_gap: gap, dst_overlap: overlap, ...schedule } = rest;
  return { ...schedule, dst: { gap, overlap } } as Trigger;
}
