/** SQL of triggers. */
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { Tag } from '../../db/statement.ts';
import type { Preset } from '../../hooks/signatures.ts';
import { type Page, pageBytes } from '../../pages.ts';
import type { ClockChanges } from '../../schedules/ticks.ts';
import type { Mapping, Trigger } from './schema.ts';

type CommonRow = Pick<
  Trigger,
  | 'id'
  | 'name'
  | 'workflow_id'
  | 'cog_ids'
  | 'extra_variables'
  | 'enabled'
  | 'off_reason'
  | 'run_as_user_id'
  | 'created_by'
  | 'created_at'
  | 'updated_at'
> & {
  tenant_id: number;
  workflow_version_id?: number | undefined;
  revision: number;
  refusals: number;
  /** In a row, by faults of the service. */
  failures: number;
  /** After a failure, or a refusal of new files: not before. */
  retry_at?: string | undefined;
};

/** When a trigger fires by itself. */
export type ScheduleColumns = {
  cron: string;
  timezone: string;
  overlap: NonNullable<Trigger['overlap']>;
  catch_up: NonNullable<Trigger['catch_up']>;
  dst_gap: ClockChanges['gap'];
  dst_overlap: ClockChanges['overlap'];
  /** Until here all ticks are decided. */
  last_tick_at: string;
  /** Undefined: never again. */
  next_fire_at?: string | undefined;
};

/** Which messages start a run. */
export type WebhookColumns = {
  public_id: string;
  preset: Preset;
  mapping: Mapping;
  folder_id?: number | undefined;
};

export type TriggerKey = Pick<CommonRow, 'tenant_id' | 'id'>;

/** Which files start a run. */
export type FolderColumns = {
  folder_id: number;
  /** Whether those in folders below do as well. */
  recursive: boolean;
  /** Undefined: all. */
  media_types?: string[] | undefined;
  /** How long no file must have come before a run starts. */
  debounce_seconds: number;
};

export type ScheduleRow = CommonRow & { type: 'schedule' } & ScheduleColumns;
export type WebhookRow = CommonRow & { type: 'webhook' } & WebhookColumns;

export type FolderRow = CommonRow & { type: 'folder' } & FolderColumns;

/** A trigger as it is stored. */
export type TriggerRow = ScheduleRow | WebhookRow | FolderRow;

/** With what its last firing came to. */
export type ShownTriggerRow = TriggerRow & Pick<Trigger, 'last_fired_at' | 'last_status'>;

export const triggerColumns = (db: Tag) => db`
  trigger.id, trigger.tenant_id, trigger.name, trigger.type, trigger.workflow_id,
  trigger.workflow_version_id, trigger.cog_ids, trigger.extra_variables, trigger.enabled,
  trigger.off_reason, trigger.revision, trigger.refusals, trigger.failures, trigger.run_as_user_id,
  trigger.created_by, trigger.created_at, trigger.updated_at, trigger.cron, trigger.timezone, trigger.overlap,
  trigger.catch_up, trigger.dst_gap, trigger.dst_overlap, trigger.last_tick_at,
  trigger.next_fire_at, trigger.public_id, trigger.preset, trigger.mapping, trigger.folder_id,
  trigger.recursive, trigger.media_types, trigger.debounce_seconds, trigger.retry_at
`;

/**
 * The index to read along is named by a range of one value, and an order that begins with it. For
 * equal values the order is that of the ids alone: where one trigger has most of the firings, the
 * planner then went through those of all triggers to find the last of another.
 */
export const alongTrigger = (db: Tag, id: number | ReturnType<Tag>) =>
  db`trigger_id >= ${id} and trigger_id <= ${id}`;

const withLastFiring = (db: Db) => db`
  left join lateral (
    select firings.state, firings.run_id
    from firings
    where firings.tenant_id = trigger.tenant_id and ${alongTrigger(db, db`trigger.id`)}
    order by firings.trigger_id desc, firings.id desc
    limit 1
  ) as latest on true
  left join lateral (
    select firings.decided_at
    from firings
    where firings.tenant_id = trigger.tenant_id and ${alongTrigger(db, db`trigger.id`)}
      and firings.state = 'fired'
    order by firings.trigger_id desc, firings.id desc
    limit 1
  ) as fired on true
  left join workflow_runs as run on run.tenant_id = trigger.tenant_id and run.id = latest.run_id
`;

const shownColumns = (db: Db) => db`
  ${triggerColumns(db)}, fired.decided_at as last_fired_at, coalesce(run.status, latest.state) as last_status
`;

type FromDatabase =
  | 'id'
  | 'revision'
  | 'refusals'
  | 'failures'
  | 'retry_at'
  | 'created_at'
  | 'updated_at'
  | 'off_reason';

/** What only triggers of one type have. */
export type TypeColumns =
  | ({ type: 'schedule' } & ScheduleColumns)
  | ({ type: 'webhook' } & WebhookColumns)
  | ({ type: 'folder' } & FolderColumns);

export type NewTriggerRow = Omit<CommonRow, FromDatabase> & TypeColumns;

export async function addTrigger(db: Db, trigger: NewTriggerRow): Promise<TriggerRow> {
  const of: AnyColumns = trigger;
  const [row] = await db<TriggerRow[]>`
    insert into triggers as trigger
      (tenant_id, name, type, workflow_id, workflow_version_id, cog_ids, extra_variables, enabled,
       run_as_user_id, created_by, cron, timezone, overlap, catch_up, dst_gap, dst_overlap,
       last_tick_at, next_fire_at, public_id, preset, mapping, folder_id, recursive, media_types,
       debounce_seconds)
    values
      (${trigger.tenant_id}, ${trigger.name}, ${trigger.type}, ${trigger.workflow_id},
       ${trigger.workflow_version_id ?? null}, ${trigger.cog_ids},
       ${db.json(trigger.extra_variables)}, ${trigger.enabled}, ${trigger.run_as_user_id},
       ${trigger.created_by}, ${of.cron ?? null}, ${of.timezone ?? null}, ${of.overlap ?? null},
       ${of.catch_up ?? null}, ${of.dst_gap ?? null}, ${of.dst_overlap ?? null},
       ${of.last_tick_at ?? null}, ${of.next_fire_at ?? null}, ${of.public_id ?? null},
       ${of.preset ?? null}, ${of.mapping ? db.json(of.mapping) : null}, ${of.folder_id ?? null},
       ${of.recursive ?? null}, ${of.media_types ?? null}, ${of.debounce_seconds ?? null})
    returning ${triggerColumns(db)}
  `;
  return row as TriggerRow;
}

/** The columns of all types. */
type AnyColumns = Partial<ScheduleColumns & WebhookColumns & Omit<FolderColumns, 'folder_id'>>;

export type TriggerFilter = {
  workflow_id?: number | undefined;
  folder_id?: number | undefined;
};

export async function listTriggerRows(
  db: Db,
  tenantId: number,
  { workflow_id, folder_id }: TriggerFilter,
  { after, offset, limit, with_total }: Page,
) {
  const [along, value, others] =
    folder_id !== undefined
      ? [db`folder_id`, folder_id, { tenant_id: tenantId, workflow_id }]
      : workflow_id !== undefined
        ? [db`workflow_id`, workflow_id, { tenant_id: tenantId }]
        : [db`tenant_id`, tenantId, {}];
  // The index to read along is named as in `alongTrigger`. A range of anything before it would have PostgreSQL
  // before 18 go through all triggers of the tenant.
  const matching = db`
    trigger.${along} >= ${value} and trigger.${along} <= ${value}
    ${others.tenant_id === undefined ? db`` : db`and trigger.tenant_id = ${others.tenant_id}`}
    ${others.workflow_id === undefined ? db`` : db`and trigger.workflow_id = ${others.workflow_id}`}
  `;
  const ordered = db`
    select trigger.*
    from triggers as trigger
    where ${matching}
      and (trigger.${along}, trigger.id) > (${value}, ${Number(after?.[0] ?? 0)})
    order by trigger.${along}, trigger.id
  `;
  // Variables of a trigger may take a megabyte, so a page ends when they reach `pageBytes`.
  const page = await db<(ShownTriggerRow & { found: number })[]>`
    with page as (${pageOf(db, { limit, offset }, ordered)}),
    sized as (
      select *, sum(bytes) over (order by id) - bytes as bytes_before, count(*) over () as found
      from page
      cross join lateral (
        select octet_length(extra_variables::text) + coalesce(octet_length(mapping::text), 0) as bytes
      ) as size
    )
    select ${shownColumns(db)}, found
    from (select * from sized where bytes_before < ${pageBytes}) as trigger
    ${withLastFiring(db)}
    order by trigger.id
  `;
  const more = (page[0]?.found ?? 0) > page.length;
  const rows = page.map(({ found: _, ...row }): ShownTriggerRow => row as ShownTriggerRow);
  if (!with_total) return { rows, more };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total from triggers as trigger where ${matching}
  `;
  return { rows, more, total: count?.total ?? 0 };
}

export async function findTrigger(db: Db, tenantId: number, id: number) {
  const [row] = await db<ShownTriggerRow[]>`
    select ${shownColumns(db)}
    from triggers as trigger
    ${withLastFiring(db)}
    where trigger.tenant_id = ${tenantId} and trigger.id = ${id}
  `;
  return row;
}

/** @param whenHeld another process decides about it: wait for it, or leave it to that. */
export async function lockTrigger<Row extends TriggerKey = TriggerRow>(
  tx: Db,
  { tenant_id, id }: Pick<Row, 'tenant_id' | 'id'>,
  whenHeld: 'wait' | 'skip' = 'wait',
): Promise<Row | undefined> {
  const [row] = await tx<Row[]>`
    select ${triggerColumns(tx)}
    from triggers as trigger
    where trigger.tenant_id = ${tenant_id} and trigger.id = ${id}
    for no key update ${whenHeld === 'skip' ? tx`skip locked` : tx``}
  `;
  return row;
}

/** Stores what may change. */
export async function updateTrigger(tx: Db, trigger: TriggerRow): Promise<void> {
  const of: AnyColumns = trigger;
  await tx`
    update triggers
    set name = ${trigger.name}, workflow_id = ${trigger.workflow_id},
        workflow_version_id = ${trigger.workflow_version_id ?? null}, cog_ids = ${trigger.cog_ids},
        extra_variables = ${tx.json(trigger.extra_variables)}, enabled = ${trigger.enabled},
        off_reason = ${trigger.off_reason ?? null}, refusals = ${trigger.refusals},
        run_as_user_id = ${trigger.run_as_user_id}, cron = ${of.cron ?? null},
        timezone = ${of.timezone ?? null}, overlap = ${of.overlap ?? null},
        catch_up = ${of.catch_up ?? null}, dst_gap = ${of.dst_gap ?? null},
        dst_overlap = ${of.dst_overlap ?? null}, last_tick_at = ${of.last_tick_at ?? null},
        next_fire_at = ${of.next_fire_at ?? null}, preset = ${of.preset ?? null},
        mapping = ${of.mapping ? tx.json(of.mapping) : null}, folder_id = ${of.folder_id ?? null},
        recursive = ${of.recursive ?? null}, media_types = ${of.media_types ?? null},
        debounce_seconds = ${of.debounce_seconds ?? null}, failures = ${trigger.failures},
        retry_at = ${trigger.retry_at ?? null}, revision = revision + 1, updated_at = now()
    where tenant_id = ${trigger.tenant_id} and id = ${trigger.id}
  `;
}

export const removeTrigger = (tx: Db, { tenant_id, id }: TriggerKey) =>
  tx`delete from triggers where tenant_id = ${tenant_id} and id = ${id}`;

/** Whether it is on, and how often it was refused in a row. */
export type Standing = Pick<TriggerRow, 'enabled' | 'off_reason' | 'refusals'>;

/** The revision stays. Whatever was decided, it did not fail. */
export const setStanding = (
  tx: Db,
  { tenant_id, id }: TriggerKey,
  { enabled, off_reason, refusals }: Standing,
) => tx`
  update triggers
  set enabled = ${enabled}, off_reason = ${off_reason ?? null}, refusals = ${refusals},
      failures = 0
  where tenant_id = ${tenant_id} and id = ${id}
`;

/** Seconds of the pause after the first failure in a row, and of the longest. */
const [firstPause_s, longestPause_s] = [2, 300];

/**
 * A firing has failed by a fault of the service: tried again after a pause, which doubles; once, if
 * several engines have tried it.
 */
export const postpone = (db: Db, { tenant_id, id, revision, failures }: TriggerRow) => db`
  update triggers
  set failures = failures + 1,
      retry_at = clock_timestamp()
        + least(${firstPause_s} * 2 ^ least(failures, 20), ${longestPause_s}) * interval '1 second'
  where tenant_id = ${tenant_id} and id = ${id} and revision = ${revision}
    and failures = ${failures}
`;

/** Whether its pause is over, if it has one. */
export const isRested = (db: Db) =>
  db`(trigger.retry_at is null or trigger.retry_at <= clock_timestamp())`;

/**
 * An order in which each tenant has the first of its triggers before any has a second: what is looked at in one go is
 * limited, and thousands of one tenant must not delay the few of the others.
 */
export const inTurns = (db: Db, oldest: ReturnType<Db>) =>
  db`row_number() over (partition by trigger.tenant_id order by ${oldest}), ${oldest}`;

/** What the database's clock shows, also in a long transaction. */
export async function readClock(db: Db): Promise<Date> {
  const [row] = await db<{ now: string }[]>`select clock_timestamp()::timestamptz(3) as now`;
  return new Date(row?.now ?? 0);
}

/** The user a trigger runs as, now. */
export async function findRunAs(db: Db, tenantId: number, userId: number) {
  const [user] = await db<
    { status: string; role: 'admin' | 'member'; is_platform_admin: boolean }[]
  >`
    select status, role, is_platform_admin from users where tenant_id = ${tenantId} and id = ${userId}
  `;
  return user;
}

export async function findPublishedVersion(db: Db, tenantId: number, workflowId: number) {
  const [row] = await db<{ published_version_id?: number }[]>`
    select published_version_id from workflows
    where tenant_id = ${tenantId} and id = ${workflowId} and deleted_at is null
  `;
  return row;
}

export const lockTriggersOf = (tx: Db, tenantId: number, userId: number) => tx`
  select from triggers
  where tenant_id = ${tenantId} and run_as_user_id = ${userId}
  order by id
  for no key update
`;

/**
 * Triggers that were turned off because this user was disabled. Locks all of the user, and so waits
 * for a tick that is about to turn one off; which are off is read afterwards.
 */
export async function lockTriggersOff(
  tx: Db,
  tenantId: number,
  userId: number,
): Promise<TriggerRow[]> {
  await lockTriggersOf(tx, tenantId, userId);
  return tx<TriggerRow[]>`
    select ${triggerColumns(tx)}
    from triggers as trigger
    where trigger.tenant_id = ${tenantId} and trigger.run_as_user_id = ${userId}
      and trigger.off_reason = 'run_as_disabled'
    order by trigger.id
  `;
}

export type TriggersTakenOver = {
  tenant_id: number;
  from: number;
  to: number;
  /** Whether those that are on stay on. */
  stay_on: boolean;
};

/** Whatever a user maintains: triggers that run as them, and that they have made. */
export const setTriggerUser = (tx: Db, { tenant_id, from, to, stay_on }: TriggersTakenOver) => tx<
  { id: number; enabled: boolean }[]
>`
  update triggers
  set run_as_user_id = case when run_as_user_id = ${from} then ${to} else run_as_user_id end,
      created_by = case when created_by = ${from} then ${to} else created_by end,
      enabled = enabled and (${stay_on} or run_as_user_id <> ${from}),
      off_reason = case
        when not ${stay_on} and run_as_user_id = ${from}
          and (enabled or off_reason = 'run_as_disabled') then 'taken_over'
        else off_reason
      end,
      revision = revision + 1, updated_at = now()
  where tenant_id = ${tenant_id} and (run_as_user_id = ${from} or created_by = ${from})
  returning id, enabled
`;
