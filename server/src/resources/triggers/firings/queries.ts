/** SQL of firings: what is due, and what became of it. */
import type { Db } from '../../../db/connection.ts';
import { pageOf } from '../../../db/page-of.ts';
import type { Page } from '../../../pages.ts';
import {
  alongTrigger,
  inTurns,
  isRested,
  type ScheduleRow,
  type TriggerKey,
  triggerColumns,
} from '../queries.ts';
import type { Firing } from '../schema.ts';

/** What a decided tick leaves in its trigger; the revision stays. */
export type Advance = Pick<ScheduleRow, 'last_tick_at' | 'next_fire_at'>;

export const advanceTrigger = (
  tx: Db,
  { tenant_id, id }: TriggerKey,
  { last_tick_at, next_fire_at }: Advance,
) => tx`
  update triggers
  set last_tick_at = ${last_tick_at}, next_fire_at = ${next_fire_at ?? null}
  where tenant_id = ${tenant_id} and id = ${id}
`;

/**
 * Triggers with a tick to decide about, by the database's clock, and those that are ahead of it,
 * because it was set back.
 */
export const findDue = (db: Db, limit: number) => db<(ScheduleRow & { now: string })[]>`
  select ${triggerColumns(db)}, clock_timestamp()::timestamptz(3) as now
  from (
    (
      select trigger.* from triggers as trigger
      where enabled and next_fire_at <= clock_timestamp() and ${isRested(db)}
      order by ${inTurns(db, db`next_fire_at`)}
      limit ${limit}
    )
    union all
    (
      select trigger.* from triggers as trigger
      where enabled and last_tick_at > clock_timestamp() + interval '1 second' and ${isRested(db)}
      order by ${inTurns(db, db`last_tick_at`)}
      limit ${limit}
    )
  ) as trigger
`;

/** Triggers whose tick waits for the end of a run that has ended. */
export const findReleased = (db: Db, limit: number) => db<(ScheduleRow & { firing_id: number })[]>`
  select ${triggerColumns(db)}, firings.id as firing_id
  from firings
  join triggers as trigger
    on trigger.tenant_id = firings.tenant_id and trigger.id = firings.trigger_id
  where firings.state = 'waiting' and trigger.enabled and ${isRested(db)}
    and not exists (${unfinished(db, db`trigger.tenant_id`, db`trigger.id`)})
  order by ${inTurns(db, db`firings.id`)}
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
    and run.status in ('queued', 'running') and ${isNotByHand(db)}
`;

/** Ticks do not mind what somebody has started by hand. */
const isNotByHand = (db: Db) => db`
  not exists (
    select from firings as hand
    where hand.tenant_id = run.tenant_id and hand.trigger_id = run.trigger_id
      and hand.run_id = run.id and hand.source = 'hand'
  )
`;

/** The runs of a trigger, but for those by hand, that have not ended, oldest first. */
export const findUnfinished = (db: Db, { tenant_id, id }: TriggerKey) =>
  db<{ id: number }[]>`${unfinished(db, tenant_id, id)} order by run.id`;

/** Triggers whose tick waits for the cancellation of runs, once for each such run. */
export const findToCancel = (db: Db, limit: number) => db<(ScheduleRow & { blocker_id: number })[]>`
  select ${triggerColumns(db)}, run.id as blocker_id
  from firings
  join triggers as trigger
    on trigger.tenant_id = firings.tenant_id and trigger.id = firings.trigger_id
    and trigger.overlap = 'cancel_running'
  join workflow_runs as run
    on run.tenant_id = trigger.tenant_id and run.trigger_id = trigger.id
    and run.status in ('queued', 'running') and run.cancel_requested_at is null
    and ${isNotByHand(db)}
  where firings.state = 'waiting' and trigger.enabled and ${isRested(db)}
  order by ${inTurns(db, db`firings.id`)}
  limit ${limit}
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
  { tenant_id, id }: TriggerKey,
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
  { tenant_id, id }: TriggerKey,
  { source, tick_at, state, reason, run_id, ticks = 1, until }: NewFiring,
) => tx`
  insert into firings (tenant_id, trigger_id, source, tick_at, state, reason, run_id, ticks, until)
  values (${tenant_id}, ${id}, ${source}, ${tick_at}, ${state}, ${reason ?? null},
          ${run_id ?? null}, ${ticks}, ${until ?? null})
`;

const supersededBy = {
  newer: 'A newer tick took its place.',
  changed: 'The trigger was changed while it waited.',
  off: 'The trigger was turned off while it waited.',
};

export const supersedeWaiting = (
  tx: Db,
  { tenant_id, id }: { tenant_id: number; id: number | readonly number[] },
  by: keyof typeof supersededBy,
) => tx`
  update firings
  set state = 'superseded', reason = ${supersededBy[by]}, decided_at = clock_timestamp()
  where tenant_id = ${tenant_id} and trigger_id = any(${[id].flat()}::bigint[])
    and state = 'waiting'
`;

/** Call with the trigger locked. */
export async function waitsStill(
  tx: Db,
  { tenant_id, id }: TriggerKey,
  firingId: number,
): Promise<boolean> {
  const rows = await tx`
    select from firings
    where tenant_id = ${tenant_id} and trigger_id = ${id} and id = ${firingId}
      and state = 'waiting'
    for update
  `;
  return rows.length > 0;
}

/** @throws Error if it does not wait: what was done for it must not be committed. */
export async function endWaiting(
  tx: Db,
  { tenant_id, id }: TriggerKey,
  firingId: number,
  { state, reason, run_id }: Pick<NewFiring, 'state' | 'reason' | 'run_id'>,
): Promise<void> {
  const ended = await tx`
    update firings
    set state = ${state}, reason = ${reason ?? null}, run_id = ${run_id ?? null},
        decided_at = clock_timestamp()
    where tenant_id = ${tenant_id} and trigger_id = ${id} and id = ${firingId}
      and state = 'waiting'
  `;
  if (ended.count !== 1) throw new Error(`Firing ${firingId} was decided meanwhile.`);
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
    where tenant_id = ${tenantId} and ${alongTrigger(db, triggerId)}
      ${after === undefined ? db`` : db`and (trigger_id, id) < (${triggerId}, ${Number(after[0])})`}
    order by trigger_id desc, id desc
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
