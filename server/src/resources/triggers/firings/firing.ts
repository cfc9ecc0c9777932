/**
 * Firing: what becomes of the ticks of triggers. Each is decided in one transaction that locks its
 * trigger, and is kept under its nominal instant; so it fires once, with any number of processes,
 * whichever of them is killed, and whatever their clocks show.
 */
import type { Db } from '../../../db/connection.ts';
import type { Effect } from '../../../effects.ts';
import { DomainError, notFound } from '../../../errors.ts';
import type { Metrics } from '../../../metrics.ts';
import { nextTick } from '../../../schedules/ticks.ts';
import { lockTrigger, readClock, type ScheduleRow, type TriggerRow } from '../queries.ts';
import { scheduleOf } from '../schedule.ts';
import { asRefusal, type FiringServices, fireEach, noteFiring, prepareRun } from '../starting.ts';
import { dueTicks, mostCounted, stillDue } from './missed.ts';
import {
  type Advance,
  addFiring,
  advanceTrigger,
  endWaiting,
  findDue,
  findReleased,
  findToCancel,
  findUnfinished,
  isDecided,
  type NewFiring,
  removeOldFirings,
  supersedeWaiting,
  waitsStill,
} from './queries.ts';

/** What becomes of a tick. */
type Outcome = Omit<NewFiring, 'source' | 'tick_at'> & {
  /** Of the refusal. */
  code?: string | undefined;
};

const keptDays = 90;

/** Decides about the ticks that are due. @returns how many triggers it worked on. */
export async function fireDueTriggers(services: FiringServices, limit = 100): Promise<number> {
  const due = await findDue(services.db, limit);
  await fireEach(services, due, ({ now, ...trigger }) => fireDue(services, trigger, new Date(now)));
  return due.length;
}

/** Cancels what stands in the way of waiting ticks, and starts those that nothing holds up. */
export async function fireWaiting(services: FiringServices, limit = 100): Promise<number> {
  const inTheWay = await findToCancel(services.db, limit);
  const reason = 'The next run of its trigger is due.';
  await fireEach(services, inTheWay, ({ blocker_id }) =>
    services.rounds.do({ do: 'cancel', run_id: blocker_id, reason }),
  );
  const released = await findReleased(services.db, limit);
  await fireEach(services, released, ({ firing_id, ...trigger }) =>
    fireReleased(services, trigger, firing_id),
  );
  return released.length;
}

export const forgetOldFirings = (db: Db, limit: number) => removeOldFirings(db, keptDays, limit);

/** Starts a run now, whatever runs already. @throws DomainError what a start throws */
export async function prepareByHand(
  services: FiringServices,
  trigger: TriggerRow,
): Promise<Effect<{ workflow_run_id: number }>> {
  const { extra_variables } = trigger;
  // By hand it takes all that is in its folder now.
  const folder = trigger.type === 'folder' ? [trigger.folder_id] : [];
  const cog_ids = [...new Set([...trigger.cog_ids, ...folder])];
  const start = await prepareRun(services, trigger, { cog_ids, extra_variables });
  return (db, way) =>
    db.transaction(async (tx) => {
      if (!(await lockTrigger(tx, trigger))) throw notFound('Trigger');
      const { workflow_run_id: run_id } = await start(tx, { ...way, isAlone: false });
      const tick_at = await readClock(tx);
      await addFiring(tx, trigger, { source: 'hand', tick_at, state: 'fired', run_id });
      services.metrics.firings.inc({ source: 'hand', state: 'fired' });
      return { workflow_run_id: run_id };
    });
}

async function fireDue(services: FiringServices, trigger: ScheduleRow, now: Date): Promise<void> {
  const schedule = scheduleOf(trigger);
  const last = new Date(trigger.last_tick_at);
  if (last > now) return followClock(services, trigger, now);
  const { fire, dropped } = stillDue(dueTicks(schedule, last, now), now, trigger.catch_up);
  if (dropped) {
    const { count, ...range } = dropped;
    const ticks = Math.min(count, mostCounted);
    const reason = 'No server ran when it was due.';
    await decide(services, trigger, range, async () => ({
      ...{ state: 'dropped', reason, ticks, until: range.until },
    }));
  }
  for (const [at, tick] of fire.entries()) {
    const isDecided = await fireTick(services, trigger, tick, fire.length - 1 - at);
    if (!isDecided) return;
  }
}

/**
 * The clock was set back: without this, nothing would fire until it is where it was. Ticks that are
 * decided stay so. Also one whose next tick is after that counts from now: as long as it is ahead of
 * the clock it is looked at each second, before others that are ahead.
 */
async function followClock({ db, log }: FiringServices, trigger: ScheduleRow, now: Date) {
  log.warn({ trigger_id: trigger.id }, 'the clock of the database was set back');
  await db.transaction(async (tx) => {
    const locked = await lockTrigger<ScheduleRow>(tx, trigger, 'skip');
    if (locked?.last_tick_at !== trigger.last_tick_at) return;
    await advanceTrigger(tx, trigger, advanceTo(locked, now));
  });
}

/** @param newer how many later ticks are due as well. @returns whether it is decided. */
async function fireTick(
  services: FiringServices,
  trigger: ScheduleRow,
  tick: Date,
  newer: number,
): Promise<boolean> {
  const prepared = await prepareRun(services, trigger).catch(asRefusal);
  const outcome = (work: (tx: Db) => Promise<Outcome>) =>
    decide(services, trigger, { from: tick }, work);
  const refused = ({ message, code }: DomainError) =>
    outcome(async () => ({ state: 'refused', reason: message, code }));
  if (prepared instanceof DomainError) return refused(prepared);
  try {
    return await outcome(async (tx) => {
      const [blocker] = trigger.overlap === 'allow' ? [] : await findUnfinished(tx, trigger);
      if (blocker) return heldUp(tx, trigger, blocker.id, newer);
      if (trigger.overlap !== 'allow') await supersedeWaiting(tx, trigger, 'newer');
      const { workflow_run_id } = await prepared(tx, { isAlone: false, hasTurn: true });
      return { state: 'fired', run_id: workflow_run_id };
    });
  } catch (error) {
    return refused(asRefusal(error));
  }
}

/** What becomes of a tick while a run of its trigger has not ended. */
async function heldUp(
  tx: Db,
  trigger: ScheduleRow,
  runId: number,
  newer: number,
): Promise<Outcome> {
  if (trigger.overlap === 'skip')
    return { state: 'skipped', reason: `Run ${runId} had not ended.` };
  if (newer > 0) return { state: 'superseded', reason: 'A newer tick took its place.' };
  await supersedeWaiting(tx, trigger, 'newer');
  return { state: 'waiting', reason: `Until run ${runId} has ended.` };
}

async function fireReleased(services: FiringServices, trigger: ScheduleRow, firingId: number) {
  const { db } = services;
  const end = (work: (tx: Db) => Promise<Pick<Outcome, 'state' | 'reason' | 'run_id' | 'code'>>) =>
    db.transaction(async (tx) => {
      const locked = await lockTrigger<ScheduleRow>(tx, trigger, 'skip');
      if (!locked?.enabled || locked.revision !== trigger.revision) return;
      // Another engine may have decided it meanwhile; that changes no revision.
      if (!(await waitsStill(tx, locked, firingId))) return;
      const [blocker] = await findUnfinished(tx, trigger);
      if (blocker) return;
      const outcome = await work(tx);
      await endWaiting(tx, locked, firingId, outcome);
      await noteFiring(tx, locked, outcome.state, outcome.code);
      services.metrics.firings.inc({ source: 'tick', state: outcome.state });
    });
  const prepared = await prepareRun(services, trigger).catch(asRefusal);
  const refused = ({ message, code }: DomainError) =>
    end(async () => ({ state: 'refused', reason: message, code }));
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
async function decide(
  { db, metrics }: FiringServices,
  trigger: ScheduleRow,
  { from, until = from }: { from: Date; until?: Date },
  work: (tx: Db) => Promise<Outcome>,
): Promise<boolean> {
  let decided: Outcome | undefined;
  const isDone = await db.transaction(async (tx) => {
    const locked = await lockTrigger<ScheduleRow>(tx, trigger, 'skip');
    if (!locked?.enabled || locked.revision !== trigger.revision) return false;
    if (new Date(locked.last_tick_at) >= until) return false;
    await advanceTrigger(tx, locked, advanceTo(locked, until));
    // It was decided about before the clock was set back.
    if (await isDecided(tx, trigger, from)) return true;
    const firing = await work(tx);
    await addFiring(tx, trigger, { source: 'tick', tick_at: from, ...firing });
    await noteFiring(tx, locked, firing.state, firing.code);
    decided = firing;
    return true;
  });
  if (decided) countTick(metrics, from, decided);
  return isDone;
}

function countTick(
  { firings, firingLateness }: Metrics,
  tick: Date,
  { state, ticks = 1 }: Outcome,
): void {
  firings.inc({ source: 'tick', state }, ticks);
  if (state === 'fired') firingLateness.observe(Math.max(0, Date.now() - tick.getTime()) / 1000);
}

function advanceTo(trigger: ScheduleRow, until: Date): Advance {
  return {
    last_tick_at: until.toISOString(),
    next_fire_at: nextTick(scheduleOf(trigger), until)?.toISOString(),
  };
}
