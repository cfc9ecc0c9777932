/**
 * Firing: what becomes of the ticks of triggers. Each is decided in one transaction that locks its
 * trigger, and is kept under its nominal instant; so it fires once, with any number of processes,
 * whichever of them is killed, and whatever their clocks show.
 */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import type { Effect } from '../../effects.ts';
import { DomainError, forbidden, notFound } from '../../errors.ts';
import { nextTick, ticksBetween } from '../../schedules/ticks.ts';
import type { Services } from '../../services.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { prepareStart } from '../workflow-runs/start.ts';
import type { GraphThreads } from '../workflows/graph-bodies.ts';
import { countedFrom, stillDue } from './missed.ts';
import {
  type Advance,
  addFiring,
  advanceTrigger,
  endWaiting,
  findDue,
  findPublishedVersion,
  findReleased,
  findRunAs,
  findToCancel,
  findUnfinished,
  isDecided,
  lockTrigger,
  type NewFiring,
  readClock,
  removeOldFirings,
  supersedeWaiting,
  type TriggerRow,
} from './queries.ts';
import { scheduleOf } from './schedule.ts';

export type FiringServices = Pick<Services, 'db' | 'rounds' | 'largeWrites' | 'log'> & {
  threads: GraphThreads;
};

/** What becomes of a tick. */
type Outcome = Omit<NewFiring, 'source' | 'tick_at'>;

/** It is turned off after so many refusals in a row. */
const mostRefusals = 10;
const keptDays = 90;

/**
 * Decides about the ticks that are due. A fault of one trigger is logged and does not hold up
 * others: its tick stays due.
 *
 * @returns how many triggers it worked on.
 */
export async function fireDueTriggers(services: FiringServices, limit = 100): Promise<number> {
  const due = await findDue(services.db, limit);
  for (const { now, ...trigger } of due) {
    await fireDue(services, trigger, new Date(now)).catch((err: unknown) =>
      services.log.error({ err, trigger_id: trigger.id }, 'could not fire a trigger'),
    );
  }
  return due.length;
}

/** Cancels what stands in the way of waiting ticks, and starts those that nothing holds up. */
export async function fireWaiting(services: FiringServices, limit = 100): Promise<number> {
  for (const { id } of await findToCancel(services.db)) {
    const reason = 'The next run of its trigger is due.';
    await services.rounds.do({ do: 'cancel', run_id: id, reason });
  }
  const released = await findReleased(services.db, limit);
  for (const { firing_id, tick_at, ...trigger } of released) {
    await fireReleased(services, trigger, firing_id).catch((err: unknown) =>
      services.log.error({ err, trigger_id: trigger.id, tick_at }, 'could not fire a trigger'),
    );
  }
  return released.length;
}

export const forgetOldFirings = (db: Db, limit: number) => removeOldFirings(db, keptDays, limit);

/** Starts a run now, whatever runs already. @throws DomainError what a start throws */
export async function prepareByHand(
  services: FiringServices,
  trigger: TriggerRow,
): Promise<Effect<{ workflow_run_id: number }>> {
  const start = await preparing(services, trigger);
  return (db, way) =>
    db.transaction(async (tx) => {
      if (!(await lockTrigger(tx, trigger.tenant_id, trigger.id))) throw notFound('Trigger');
      const { workflow_run_id: run_id } = await start(tx, { ...way, isAlone: false });
      const tick_at = await readClock(tx);
      await addFiring(tx, trigger, { source: 'hand', tick_at, state: 'fired', run_id });
      return { workflow_run_id: run_id };
    });
}

async function fireDue(services: FiringServices, trigger: TriggerRow, now: Date): Promise<void> {
  const schedule = scheduleOf(trigger);
  const last = new Date(trigger.last_tick_at);
  if (last > now) return followClock(services, trigger, now);
  const ticks = ticksBetween(schedule, new Date(Math.max(+last, +countedFrom(now))), now);
  const { fire, dropped } = stillDue(ticks, now, trigger.catch_up);
  if (dropped) {
    const { count: ticks, ...range } = dropped;
    const reason = 'No server ran when it was due.';
    await decide(services.db, trigger, range, async () => ({
      ...{ state: 'dropped', reason, ticks, until: range.until },
    }));
  }
  for (const [at, tick] of fire.entries()) {
    const isDecided = await fireTick(services, trigger, tick, fire.length - 1 - at);
    if (!isDecided) return;
  }
}

/**
 * The clock was set back by more than one tick: without this, nothing would fire until it is where
 * it was. Ticks that are decided stay so.
 */
async function followClock({ db, log }: FiringServices, trigger: TriggerRow, now: Date) {
  const next = nextTick(scheduleOf(trigger), now);
  if (next === undefined || next > new Date(trigger.last_tick_at)) return;
  log.warn({ trigger_id: trigger.id }, 'the clock of the database was set back');
  await db.transaction(async (tx) => {
    const locked = await lockTrigger(tx, trigger.tenant_id, trigger.id, 'skip');
    if (locked?.last_tick_at !== trigger.last_tick_at) return;
    await advanceTrigger(tx, trigger, advanceTo(locked, now));
  });
}

/** @param newer how many later ticks are due as well. @returns whether it is decided. */
async function fireTick(
  services: FiringServices,
  trigger: TriggerRow,
  tick: Date,
  newer: number,
): Promise<boolean> {
  const { db } = services;
  const prepared = await preparing(services, trigger).catch(asRefusal);
  const outcome = (work: (tx: Db) => Promise<Outcome>) => decide(db, trigger, { from: tick }, work);
  const refused = ({ message }: DomainError) =>
    outcome(async () => ({ state: 'refused', reason: message }));
  if (prepared instanceof DomainError) return refused(prepared);
  try {
    return await outcome(async (tx) => {
      const [blocker] = trigger.overlap === 'allow' ? [] : await findUnfinished(tx, trigger);
      if (blocker) return heldUp(tx, trigger, blocker.id, newer);
      const { workflow_run_id } = await prepared(tx, { isAlone: false, hasTurn: true });
      return { state: 'fired', run_id: workflow_run_id };
    });
  } catch (error) {
    return refused(asRefusal(error));
  }
}

/** What becomes of a tick while a run of its trigger has not ended. */
async function heldUp(tx: Db, trigger: TriggerRow, runId: number, newer: number): Promise<Outcome> {
  if (trigger.overlap === 'skip')
    return { state: 'skipped', reason: `Run ${runId} had not ended.` };
  if (newer > 0) return { state: 'superseded', reason: 'A newer tick took its place.' };
  await supersedeWaiting(tx, trigger, 'newer');
  return { state: 'waiting', reason: `Until run ${runId} has ended.` };
}

async function fireReleased(services: FiringServices, trigger: TriggerRow, firingId: number) {
  const { db } = services;
  const end = (work: (tx: Db) => Promise<Pick<NewFiring, 'state' | 'reason' | 'run_id'>>) =>
    db.transaction(async (tx) => {
      const locked = await lockTrigger(tx, trigger.tenant_id, trigger.id, 'skip');
      if (!locked || locked.revision !== trigger.revision) return;
      const [blocker] = await findUnfinished(tx, trigger);
      if (blocker) return;
      const outcome = await work(tx);
      if (await endWaiting(tx, firingId, outcome)) await note(tx, locked, outcome.state, {});
    });
  const prepared = await preparing(services, trigger).catch(asRefusal);
  const refused = ({ message }: DomainError) =>
    end(async () => ({ state: 'refused', reason: message }));
  if (prepared instanceof DomainError) return refused(prepared);
  try {
    await end(async (tx) => {
      const { workflow_run_id } = await prepared(tx, { isAlone: false, hasTurn: true });
      return { state: 'fired', run_id: workflow_run_id };
    });
  } catch (error) {
    await refused(asRefusal(error));
  }
}

/**
 * Decides about the ticks up to one, in a transaction with what `work` does.
 *
 * @returns false if somebody else does, or has changed the trigger.
 */
function decide(
  db: Db,
  trigger: TriggerRow,
  { from, until = from }: { from: Date; until?: Date },
  work: (tx: Db) => Promise<Outcome>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const locked = await lockTrigger(tx, trigger.tenant_id, trigger.id, 'skip');
    if (!locked?.enabled || locked.revision !== trigger.revision) return false;
    if (new Date(locked.last_tick_at) >= until) return false;
    const advance = advanceTo(locked, until);
    // It was decided about before the clock was set back.
    if (await isDecided(tx, trigger, from)) await advanceTrigger(tx, trigger, advance);
    else {
      const firing = await work(tx);
      await addFiring(tx, trigger, { source: 'tick', tick_at: from, ...firing });
      await note(tx, locked, firing.state, advance);
    }
    return true;
  });
}

/** Moves on, and counts refusals. */
async function note(
  tx: Db,
  trigger: TriggerRow,
  state: NewFiring['state'],
  advance: Partial<Advance>,
): Promise<void> {
  const refusals = { refused: trigger.refusals + 1, fired: 0 }[state as string] ?? trigger.refusals;
  const off_reason = await offReason(tx, trigger, state, refusals);
  await advanceTrigger(tx, trigger, {
    ...trigger,
    ...advance,
    refusals,
    ...(off_reason && { enabled: false, off_reason }),
  });
  if (!off_reason) return;
  const event = { action: 'trigger.paused', target_type: 'trigger', target_id: trigger.id };
  await recordEvent(tx, { tenant_id: trigger.tenant_id }, { ...event, details: { off_reason } });
}

async function offReason(
  tx: Db,
  { tenant_id, run_as_user_id }: TriggerRow,
  state: NewFiring['state'],
  refusals: number,
): Promise<TriggerRow['off_reason']> {
  if (state !== 'refused') return undefined;
  const user = await findRunAs(tx, tenant_id, run_as_user_id);
  if (user?.status !== 'active') return 'run_as_disabled';
  return refusals >= mostRefusals ? 'refused_repeatedly' : undefined;
}

function advanceTo(trigger: TriggerRow, until: Date): Advance {
  return {
    ...trigger,
    last_tick_at: until.toISOString(),
    next_fire_at: nextTick(scheduleOf(trigger), until)?.toISOString(),
  };
}

/** Checks a start as the user that the trigger runs as. @throws DomainError what a start throws */
async function preparing(
  { db, rounds, largeWrites, threads }: FiringServices,
  trigger: TriggerRow,
): Promise<Effect<{ workflow_run_id: number }>> {
  const { tenant_id, run_as_user_id: user_id } = trigger;
  const user = await findRunAs(db, tenant_id, user_id);
  if (user?.status !== 'active') {
    throw forbidden('The user that this trigger runs as is disabled.');
  }
  const { role, is_platform_admin } = user;
  const caller: Caller = { user_id, tenant_id, role, is_platform_admin };
  const { cog_ids, extra_variables, id: trigger_id } = trigger;
  const version = await versionOf(db, trigger);
  const request = { cog_ids, extra_variables, trigger_id };
  return prepareStart({ db, rounds, largeWrites }, threads, caller, version, request);
}

async function versionOf(
  db: Db,
  { tenant_id, workflow_id, workflow_version_id }: TriggerRow,
): Promise<number> {
  const workflow = await findPublishedVersion(db, tenant_id, workflow_id);
  if (!workflow) throw forbidden('The workflow was deleted.');
  const id = workflow_version_id ?? workflow.published_version_id;
  if (id === undefined) throw forbidden('No version of the workflow is published.');
  return id;
}

/** What a user can mend is a refusal. Anything else is ours, and the tick stays due. */
const ofOurs: ReadonlySet<string> = new Set([
  'unavailable',
  'storage_full',
  'too_many_requests',
  'bad_gateway',
  'damaged',
]);
function asRefusal(error: unknown): DomainError {
  if (error instanceof DomainError && !ofOurs.has(error.problem)) return error;
  throw error;
}
