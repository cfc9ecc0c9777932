/** Checks of an earlier run before its results are used again. */
import { isTerminal } from '@cogworks/graph/statuses';
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { readCounters } from '../../engine/kernel/counters.ts';
import { type Matched, matchOf } from '../../engine/kernel/match.ts';
import type { Earlier } from '../../engine/kernel/state.ts';
import type { Plans } from '../../engine/plans.ts';
import type { RunRow } from '../../engine/records.ts';
import { findInputFiles } from '../../engine/tables/outputs.ts';
import { findStoredRuns, lockRun } from '../../engine/tables/runs.ts';
import { badField, conflict, DomainError, forbidden } from '../../errors.ts';
import { reach } from '../permissions/access.ts';
import { allows } from '../permissions/rules.ts';
import { requireStarter } from './runs.ts';

/** A run that has ended, locked, and its input files. */
export async function lockEarlier(tx: Db, caller: Caller, id: number) {
  await requireStarter(tx, caller, id);
  const run = requireEnded(await lockRun(tx, id));
  // Read again: it may have been deleted before it was locked, and then loses its results.
  await requireStarter(tx, caller, id);
  const files = await findInputFiles(tx, caller.tenant_id, id);
  await requireInputs(
    tx,
    caller,
    files.map((file) => file.cog_id),
  );
  return { run, files };
}

export function requireEnded<Run extends Pick<RunRow, 'status'>>(run: Run | undefined): Run {
  if (run && isTerminal(run.status)) return run;
  throw conflict(
    'run_not_finished',
    'This run has not ended yet. Wait for it, or cancel it first.',
  );
}

/**
 * As for a start: the run has pinned the bytes, but only users who may read the files now may use
 * them again. Deleted files may not be used.
 */
async function requireInputs(tx: Db, caller: Caller, cogIds: number[]) {
  const cogs = await reach(tx, caller, cogIds);
  if (cogs.some(({ access }) => !allows(access, 'view'))) {
    throw forbidden('You no longer have access to a file of this run.');
  }
  if (cogs.length < new Set(cogIds).size) {
    throw new DomainError('not_found', 'A file of this run was deleted, so it cannot run again.');
  }
}

/** Of a test whose results were removed. */
const nothingToTakeOver = (): Earlier => ({
  ...{ counts: [], firstIds: [], rows: new Map() },
  match: { positions: [], lanes: new Map(), sameInputs: new Set() },
});

/**
 * What a new run of a workflow may take over from an earlier one.
 *
 * @throws DomainError as a restart of that run, and 422 if it is of another workflow.
 */
export async function findEarlier(
  tx: Db,
  plans: Plans,
  caller: Caller,
  id: number,
  now: Matched & { workflow_id: number },
): Promise<Earlier> {
  const { run, files } = await lockEarlier(tx, caller, id);
  if (run.workflow_id !== now.workflow_id)
    throw badField('reuse_from_run_id', 'That is a run of another workflow.', 'other_workflow');
  const [stored] = await findStoredRuns(tx, [id]);
  const plan = await plans.planOf(tx, run);
  if (run.results_removed_at !== undefined) return nothingToTakeOver();
  const then = { plan, variables: run.extra_variables, files };
  return {
    counts: readCounters(stored?.node_counts ?? []),
    firstIds: stored?.first_ids ?? [],
    rows: new Map(),
    match: matchOf(now, then),
  };
}
