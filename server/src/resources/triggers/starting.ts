/** Starts of runs by triggers: with the rights that their user has at that moment. */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import type { Effect } from '../../effects.ts';
import { DomainError, forbidden } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { prepareStart } from '../workflow-runs/start.ts';
import type { GraphThreads } from '../workflows/graph-bodies.ts';
import { type NewFiring, supersedeWaiting } from './firings/queries.ts';
import {
  findPublishedVersion,
  findRunAs,
  postpone,
  type Standing,
  setStanding,
  type TriggerRow,
} from './queries.ts';

export type FiringServices = Pick<Services, 'db' | 'rounds' | 'largeWrites' | 'log' | 'metrics'> & {
  threads: GraphThreads;
};

/** It is turned off after so many refused ticks in a row. */
const mostRefusals = 10;

/** Checks a start as the user that the trigger runs as. @throws DomainError what a start throws */
export async function prepareRun(
  { db, rounds, largeWrites, threads }: FiringServices,
  trigger: TriggerRow,
  { cog_ids, extra_variables }: Inputs = trigger,
): Promise<Effect<{ workflow_run_id: number }>> {
  const caller = await userOf(db, trigger);
  const { id: trigger_id } = trigger;
  const version = await versionOf(db, trigger);
  const request = { cog_ids, extra_variables, trigger_id };
  return prepareStart({ db, rounds, largeWrites }, threads, caller, version, request);
}

/** What a run begins with. */
export type Inputs = Pick<TriggerRow, 'cog_ids' | 'extra_variables'>;

/** Its user as a caller. @throws DomainError 403 if the user is disabled. */
export async function userOf(
  db: Db,
  { tenant_id, run_as_user_id: user_id }: TriggerRow,
): Promise<Caller> {
  const user = await findRunAs(db, tenant_id, user_id);
  if (user?.status !== 'active') {
    throw forbidden('The user that this trigger runs as is disabled.', 'run_as_disabled');
  }
  const { role, is_platform_admin } = user;
  return { user_id, tenant_id, role, is_platform_admin };
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
export function asRefusal(error: unknown): DomainError {
  if (error instanceof DomainError && !ofOurs.has(error.problem)) return error;
  throw error;
}

/**
 * Fires triggers one after the other. One whose firing fails in the service is logged and pauses; it
 * holds up no other, and what was due stays due.
 */
export async function fireEach<Trigger extends TriggerRow>(
  { db, log, metrics }: FiringServices,
  triggers: readonly Trigger[],
  fire: (trigger: Trigger) => Promise<unknown>,
): Promise<void> {
  for (const trigger of triggers) {
    const { id: trigger_id, failures } = trigger;
    await fire(trigger).catch(async (err: unknown) => {
      log.error({ err, trigger_id, failures: failures + 1 }, 'could not fire a trigger');
      metrics.firingFailures.inc();
      await postpone(db, trigger);
    });
  }
}

/**
 * Counts refusals in a row, and turns a trigger off that starts nothing any more. Refusals for want of
 * credits do not count: it goes on by itself when there are some again.
 *
 * @param code of the refusal.
 */
export async function noteFiring(
  tx: Db,
  trigger: TriggerRow,
  state: NewFiring['state'],
  code?: string,
): Promise<void> {
  const counts = code === 'insufficient_credits' ? 0 : 1;
  const refusals =
    { refused: trigger.refusals + counts, fired: 0 }[state as string] ?? trigger.refusals;
  const off_reason = await offReason(tx, trigger, state, refusals);
  if (off_reason) return turnOff(tx, trigger, off_reason);
  if (refusals !== trigger.refusals || trigger.failures > 0)
    await setStanding(tx, trigger, { ...trigger, refusals });
}

/** It turns itself off, and says why. */
export async function turnOff(
  tx: Db,
  trigger: TriggerRow,
  off_reason: NonNullable<Standing['off_reason']>,
): Promise<void> {
  await setStanding(tx, trigger, { enabled: false, off_reason, refusals: trigger.refusals });
  await supersedeWaiting(tx, trigger, 'off');
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
