/** SQL of triggers and their firings. */
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { Page } from '../../pages.ts';
import type { Firing, Trigger } from './schema.ts';

/** A trigger as it is stored. */
export type TriggerRow = Omit<
  Trigger,
  'dst' | 'last_fired_at' | 'last_status' | 'next_fire_at' | 'workflow_version_id'
> & {
  tenant_id: number;
  workflow_version_id?: number | undefined;
  /** Undefined: never again. */
  next_fire_at?: string | undefined;
  dst_gap: Trigger['dst']['gap'];
  dst_overlap: Trigger['dst']['overlap'];
  revision: number;
  refusals: number;
  last_tick_at: string;
};

/** With what its last firing came to. */
export type ShownTriggerRow = TriggerRow & Pick<Trigger, 'last_fired_at' | 'last_status'>;

const columns = (db: Db) => db`
  trigger.id, trigger.tenant_id, trigger.name, trigger.type, trigger.workflow_id,
  trigger.workflow_version_id, trigger.cog_ids, trigger.extra_variables, trigger.enabled,
  trigger.off_reason, trigger.revision, trigger.refusals, trigger.run_as_user_id, trigger.created_by,
  trigger.created_at, trigger.updated_at, trigger.cron, trigger.timezone, trigger.overlap,
  trigger.catch_up, trigger.dst_gap, trigger.dst_overlap, trigger.last_tick_at,
  trigger.next_fire_at
`;

const withLastFiring = (db: Db) => db`
  left join lateral (
    select firings.state, firings.run_id
    from firings
    where firings.tenant_id = trigger.tenant_id and firings.trigger_id = trigger.id
    order by firings.id desc
    limit 1
  ) as latest on true
  left join lateral (
    select firings.decided_at
    from firings
    where firings.tenant_id = trigger.tenant_id and firings.trigger_id = trigger.id
      and firings.state = 'fired'
    order by firings.id desc
    limit 1
  ) as fired on true
  left join workflow_runs as run on run.tenant_id = trigger.tenant_id and run.id = latest.run_id
`;

const shownColumns = (db: Db) => db`
  ${columns(db)}, fired.decided_at as last_fired_at, coalesce(run.status, latest.state) as last_status
`;

export type NewTriggerRow = Omit<
  TriggerRow,
  'id' | 'revision' | 'refusals' | 'created_at' | 'updated_at' | 'off_reason'
>;

export async function addTrigger(db: Db, trigger: NewTriggerRow): Promise<TriggerRow> {
  const [row] = await db<TriggerRow[]>`
    insert into triggers as trigger
      (tenant_id, name, type, workflow_id, workflow_version_id, cog_ids, extra_variables, enabled,
       run_as_user_id, created_by, cron, timezone, overlap, catch_up, dst_gap, dst_overlap,
       last_tick_at, next_fire_at)
    values
      (${trigger.tenant_id}, ${trigger.name}, ${trigger.type}, ${trigger.workflow_id},
       ${trigger.workflow_version_id ?? null}, ${trigger.cog_ids},
       ${db.json(trigger.extra_variables)}, ${trigger.enabled}, ${trigger.run_as_user_id},
       ${trigger.created_by}, ${trigger.cron}, ${trigger.timezone}, ${trigger.overlap},
       ${trigger.catch_up}, ${trigger.dst_gap}, ${trigger.dst_overlap}, ${trigger.last_tick_at},
       ${trigger.next_fire_at ?? null})
    returning ${columns(db)}
  `;
  return row as TriggerRow;
}

export async function listTriggerRows(
  db: Db,
  tenantId: number,
  workflowId: number | undefined,
  { after, offset, limit, with_total }: Page,
) {
  const matching = db`
    trigger.tenant_id = ${tenantId}
    ${workflowId === undefined ? db`` : db`and trigger.workflow_id = ${workflowId}`}
  `;
  const ordered = db`
    select ${shownColumns(db)}
    from triggers as trigger
    ${withLastFiring(db)}
    where ${matching} and trigger.id > ${after?.[0] ?? 0}
    order by trigger.id
  `;
  const rows = await db<ShownTriggerRow[]>`${pageOf(db, { limit, offset }, ordered)}`;
  if (!with_total) return { rows };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total from triggers as trigger where ${matching}
  `;
  return { rows, total: count?.total ?? 0 };
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
export async function lockTrigger(
  tx: Db,
  tenantId: number,
  id: number,
  whenHeld: 'wait' | 'skip' = 'wait',
) {
  const [row] = await tx<TriggerRow[]>`
    select ${columns(tx)}
    from triggers as trigger
    where trigger.tenant_id = ${tenantId} and trigger.id = ${id}
    for no key update ${whenHeld === 'skip' ? tx`skip locked` : tx``}
  `;
  return row;
}

/** Stores what may change. */
export async function updateTrigger(tx: Db, trigger: TriggerRow): Promise<void> {
  await tx`
    update triggers
    set name = ${trigger.name}, workflow_id = ${trigger.workflow_id},
        workflow_version_id = ${trigger.workflow_version_id ?? null}, cog_ids = ${trigger.cog_ids},
        extra_variables = ${tx.json(trigger.extra_variables)}, enabled = ${trigger.enabled},
        off_reason = ${trigger.off_reason ?? null}, refusals = ${trigger.refusals},
        run_as_user_id = ${trigger.run_as_user_id}, cron = ${trigger.cron},
        timezone = ${trigger.timezone}, overlap = ${trigger.overlap}, catch_up = ${trigger.catch_up},
        dst_gap = ${trigger.dst_gap}, dst_overlap = ${trigger.dst_overlap},
        last_tick_at = ${trigger.last_tick_at}, next_fire_at = ${trigger.next_fire_at ?? null},
        revision = revision + 1, updated_at = now()
    where tenant_id = ${trigger.tenant_id} and id = ${trigger.id}
  `;
}

export const removeTrigger = (tx: Db, tenantId: number, id: number) =>
  tx`delete from triggers where tenant_id = ${tenantId} and id = ${id}`;

/** What a firing leaves in its trigger; the revision stays. */
export type Advance = Pick<
  TriggerRow,
  'last_tick_at' | 'next_fire_at' | 'enabled' | 'off_reason' | 'refusals'
>;

export const advanceTrigger = (
  tx: Db,
  { tenant_id, id }: Pick<TriggerRow, 'tenant_id' | 'id'>,
  advance: Advance,
) => tx`
  update triggers
  set last_tick_at = ${advance.last_tick_at}, next_fire_at = ${advance.next_fire_at ?? null},
      enabled = ${advance.enabled}, off_reason = ${advance.off_reason ?? null},
      refusals = ${advance.refusals}
  where tenant_id = ${tenant_id} and id = ${id}
`;

/**
 * Triggers with a tick to decide about, by the database's clock, and those that are ahead of it,
 * because it was set back.
 */
export const findDue = (db: Db, limit: number) => db<(TriggerRow & { now: string })[]>`
  select ${columns(db)}, clock_timestamp()::timestamptz(3) as now
  from (
    (
      select triggers.* from triggers
      where enabled and next_fire_at <= clock_timestamp()
      order by next_fire_at
      limit ${limit}
    )
    union all
    (
      select triggers.* from triggers
      where enabled and last_tick_at > clock_timestamp() + interval '1 second'
      limit ${limit}
    )
  ) as trigger
`;

/** Triggers whose tick waits for the end of a run that has ended. */
export const findReleased = (db: Db, limit: number) => db<
  (TriggerRow & { firing_id: number; tick_at: string })[]
>`
  select ${columns(db)}, firings.id as firing_id, firings.tick_at
  from firings
  join triggers as trigger
    on trigger.tenant_id = firings.tenant_id and trigger.id = firings.trigger_id
  where firings.state = 'waiting'
    and not exists (${unfinished(db, db`trigger.tenant_id`, db`trigger.id`)})
  order by firings.id
  limit ${limit}
`;

const unfinished = (
  db: Db,
  tenantId: number | ReturnType<Db>,
  triggerId: number | ReturnType<Db>,
) => db`
  select run.id
  from workflow_runs as run
  where run.tenant_id = ${tenantId} and run.trigger_id = ${triggerId}
    and run.status in ('queued', 'running')
`;

/** The runs of a trigger that have not ended, oldest first. */
export const findUnfinished = (db: Db, { tenant_id, id }: Pick<TriggerRow, 'tenant_id' | 'id'>) =>
  db<{ id: number }[]>`${unfinished(db, tenant_id, id)} order by run.id`;

/** Runs that stand in the way of a tick that waits for their cancellation. */
export const findToCancel = (db: Db) => db<{ id: number }[]>`
  select run.id
  from firings
  join triggers as trigger
    on trigger.tenant_id = firings.tenant_id and trigger.id = firings.trigger_id
    and trigger.overlap = 'cancel_running'
  join workflow_runs as run
    on run.tenant_id = trigger.tenant_id and run.trigger_id = trigger.id
    and run.status in ('queued', 'running') and run.cancel_requested_at is null
  where firings.state = 'waiting'
`;

export type NewFiring = Pick<Firing, 'source' | 'state'> & {
  tick_at: Date;
  reason?: string | undefined;
  run_id?: number | undefined;
  ticks?: number;
  until?: Date | undefined;
};

export async function isDecided(
  tx: Db,
  { tenant_id, id }: Pick<TriggerRow, 'tenant_id' | 'id'>,
  tick: Date,
): Promise<boolean> {
  const rows = await tx`
    select from firings
    where tenant_id = ${tenant_id} and trigger_id = ${id} and tick_at = ${tick} and source = 'tick'
  `;
  return rows.length > 0;
}

export const addFiring = (
  tx: Db,
  { tenant_id, id }: Pick<TriggerRow, 'tenant_id' | 'id'>,
  { source, tick_at, state, reason, run_id, ticks = 1, until }: NewFiring,
) => tx`
  insert into firings (tenant_id, trigger_id, source, tick_at, state, reason, run_id, ticks, until)
  values (${tenant_id}, ${id}, ${source}, ${tick_at}, ${state}, ${reason ?? null},
          ${run_id ?? null}, ${ticks}, ${until ?? null})
`;

const supersededBy = {
  newer: 'A newer tick took its place.',
  changed: 'The trigger was changed while it waited.',
};

export const supersedeWaiting = (
  tx: Db,
  { tenant_id, id }: Pick<TriggerRow, 'tenant_id' | 'id'>,
  by: keyof typeof supersededBy,
) => tx`
  update firings
  set state = 'superseded', reason = ${supersededBy[by]}, decided_at = clock_timestamp()
  where tenant_id = ${tenant_id} and trigger_id = ${id} and state = 'waiting'
`;

/** @returns whether it still waited. */
export async function endWaiting(
  tx: Db,
  firingId: number,
  { state, reason, run_id }: Pick<NewFiring, 'state' | 'reason' | 'run_id'>,
): Promise<boolean> {
  const ended = await tx`
    update firings
    set state = ${state}, reason = ${reason ?? null}, run_id = ${run_id ?? null},
        decided_at = clock_timestamp()
    where id = ${firingId} and state = 'waiting'
  `;
  return ended.count > 0;
}

export async function listFiringRows(
  db: Db,
  tenantId: number,
  triggerId: number,
  { after, offset, limit, with_total }: Page,
) {
  const ordered = db`
    select id, source, tick_at, state, reason, ticks, until, run_id as workflow_run_id, decided_at
    from firings
    where tenant_id = ${tenantId} and trigger_id = ${triggerId}
      ${after === undefined ? db`` : db`and id < ${after[0] ?? 0}`}
    order by id desc
  `;
  const rows = await db<Firing[]>`${pageOf(db, { limit, offset }, ordered)}`;
  if (!with_total) return { rows };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total from firings
    where tenant_id = ${tenantId} and trigger_id = ${triggerId}
  `;
  return { rows, total: count?.total ?? 0 };
}

/** @returns how many. */
export async function removeOldFirings(db: Db, days: number, limit: number): Promise<number> {
  const removed = await db`
    delete from firings
    where id in (
      select id from firings
      where decided_at < now() - ${days} * interval '1 day' and state <> 'waiting'
      order by decided_at
      limit ${limit}
    )
  `;
  return removed.count;
}

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

/** Triggers that were turned off because this user was disabled. */
export const lockTriggersOff = (tx: Db, tenantId: number, userId: number) => tx<TriggerRow[]>`
  select ${columns(tx)}
  from triggers as trigger
  where trigger.tenant_id = ${tenantId} and trigger.run_as_user_id = ${userId}
    and trigger.off_reason = 'run_as_disabled'
  order by trigger.id
  for no key update
`;
