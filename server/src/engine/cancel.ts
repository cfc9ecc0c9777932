/** Stopping a run: what waits ends now, what runs is told to stop, and nothing wakes again. */
import { isTerminal } from '@cogworks/graph/statuses';
import type { Db } from '../db/connection.ts';
import { planOf } from './plans.ts';
import { endWaiting, lockRun, requestStop } from './queries.ts';
import type { RunRow } from './records.ts';
import { markCancelRequested } from './run-queries.ts';
import { beginSettling, countWithoutRows, settle } from './settle.ts';

/**
 * Cancels a run, unless it has ended. Whichever locks the run first wins: a result that was
 * accepted before stays.
 *
 * @returns the status it had, so that the caller can tell a late cancel from a repeated one.
 */
export async function cancelRun(
  tx: Db,
  runId: number,
  reason: string | undefined,
): Promise<RunRow['status'] | undefined> {
  const run = await lockRun(tx, runId);
  if (!run || isTerminal(run.status) || run.cancel_requested_at !== undefined) return run?.status;

  await markCancelRequested(tx, run.tenant_id, runId, reason);
  run.cancel_requested_at = new Date().toISOString();
  const ended = await endWaiting(tx, run.tenant_id, runId, 'cancelled', null);
  await requestStop(tx, run.tenant_id, runId);

  const settling = await beginSettling(tx, run, await planOf(tx, run));
  countWithoutRows(settling, ended, 'cancelled');
  await settle(settling);
  return run.status;
}
