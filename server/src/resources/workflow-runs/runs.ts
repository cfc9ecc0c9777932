/** Runs as clients see them: reading, progress, and cancelling. */
import { isTerminal } from '@cogworks/graph/statuses';
import { progressOf } from '@cogworks/graph/steps';
import type { Caller } from '../../callers.ts';
import { readSpent } from '../../credits/accounts.ts';
import type { Db } from '../../db/connection.ts';
import type { Tag } from '../../db/statement.ts';
import { readCounters } from '../../engine/kernel/counters.ts';
import type { Counters } from '../../engine/kernel/state.ts';
import type { RunRow } from '../../engine/records.ts';
import { findRun } from '../../engine/tables/runs.ts';
import { conflict, forbidden, notFound } from '../../errors.ts';
import type { Page } from '../../pages.ts';
import type { Services } from '../../services.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { shownNodeRuns } from './node-runs.ts';
import {
  findIsVersionChanged,
  findProgress,
  findRunHead,
  listRunRows,
  markRunDeleted,
  type RunFilter,
  type RunHead,
} from './queries.ts';
import { filesOfRun } from './run-files.ts';

/** Node runs that are included in a run. */
const inlineNodeRuns = 1000;

export function listRuns(db: Db, caller: Caller, filter: RunFilter, page: Page) {
  return listRunRows(db, caller.tenant_id, filter, page);
}

export async function getRun(
  services: Pick<Services, 'db' | 'storage' | 'rounds'>,
  caller: Caller,
  id: number,
) {
  const { db, rounds } = services;
  const run = await requireRunRow(db, caller, id);
  const page = { offset: 0, limit: inlineNodeRuns, with_total: false };
  const { credit_account_id: account } = run;
  const [files, node_runs, credits_used, is_version_changed] = await Promise.all([
    rounds.ground.plans.planOf(db, run).then((plan) => filesOfRun(db, run, plan)),
    shownNodeRuns(services, run, page).then(({ rows }) => rows),
    account === undefined ? undefined : readSpent(db, account),
    // Only drafts are edited; all other runs need no statement more.
    run.test_run ? findIsVersionChanged(db, run.tenant_id, id) : false,
  ]);
  return {
    ...{ ...run, ...files, node_runs },
    ...(credits_used !== undefined && { credits_used }),
    ...(is_version_changed !== undefined && { is_version_changed }),
  };
}

/** @throws DomainError 404 if the run is deleted, unknown or another tenant's. */
export async function requireRunRow(db: Db, caller: Caller, id: number): Promise<RunRow> {
  const run = await findRun(db, caller.tenant_id, id);
  if (!run) throw notFound('Workflow run');
  return run;
}

/** The same without the engine's columns. @throws DomainError 404. */
export async function requireRun(db: Tag, caller: Caller, id: number): Promise<RunHead> {
  const run = await findRunHead(db, caller.tenant_id, id);
  if (!run) throw notFound('Workflow run');
  return run;
}

/** @throws DomainError 403 unless the caller started the run or is an admin. */
export async function requireStarter(db: Db, caller: Caller, id: number): Promise<RunHead> {
  const run = await requireRun(db, caller, id);
  if (run.started_by !== caller.user_id && caller.role !== 'admin') {
    throw forbidden('Only whoever started this run, or an administrator, may do this.');
  }
  return run;
}

/** The four fields of progress. It never falls: the kernel ensures that. */
export async function getProgress(db: Db, caller: Caller, id: number) {
  const run = await findProgress(db, caller.tenant_id, id);
  if (!run) throw notFound('Workflow run');
  return shownProgress(run, readCounters(run.node_counts));
}

/** The progress of a run whose nodes have these counters. */
export function shownProgress(
  run: Pick<RunRow, 'status' | 'progress_percentage'> & {
    node_keys: readonly string[];
    /** The sum of the fractions that each node's running node runs reported, by position. */
    reported: Readonly<Record<number, number>>;
  },
  counts: readonly Counters[],
) {
  return progressOf(
    run.node_keys.map((key, position) => {
      const counters = counts[position];
      if (!counters) throw new Error(`Node ${key} is not counted.`);
      const reported = run.reported[position] ?? 0;
      return { key, counts: counters, running: counters.running, reported };
    }),
    isTerminal(run.status) ? run.status : null,
    run.progress_percentage,
  );
}

/**
 * Cancels a run: waiting node runs end at once, running ones within seconds. Repeating it is
 * allowed.
 *
 * @throws DomainError 409 `run_already_finished` if the run ended otherwise.
 */
export async function cancelRun(
  services: Pick<Services, 'db' | 'storage' | 'rounds'>,
  caller: Caller,
  id: number,
  reason: string | undefined,
) {
  const { db, rounds } = services;
  await requireStarter(db, caller, id);
  const { status } = await rounds.do({ do: 'cancel', run_id: id, reason });
  if (status !== undefined && status !== 'cancelled' && isTerminal(status)) {
    throw conflict('run_already_finished', 'This run has already ended.');
  }
  return getRun(services, caller, id);
}

/**
 * Removes the run from lists; its result files and its usage stay. A duty removes the results between
 * nodes.
 */
export async function deleteRun(db: Db, caller: Caller, id: number): Promise<void> {
  await db.transaction(async (tx) => {
    const run = await requireStarter(tx, caller, id);
    if (!isTerminal(run.status)) {
      throw conflict(
        'run_not_finished',
        'This run has not ended yet. Wait for it, or cancel it first.',
      );
    }
    await markRunDeleted(tx, caller.tenant_id, id);
    await recordEvent(tx, caller, {
      action: 'workflow_run.deleted',
      target_type: 'workflow_run',
      target_id: id,
    });
  });
}
