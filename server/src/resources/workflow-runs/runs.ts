/** Runs as clients see them: what they are, how far they are, and stopping them. */
import { isTerminal } from '@cogworks/graph/statuses';
import { progressOf } from '@cogworks/graph/steps';
import type { Caller } from '../../callers.ts';
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
  findProgress,
  findRunHead,
  listRunRows,
  markRunDeleted,
  type RunFilter,
  type RunHead,
} from './queries.ts';
import { filesOfRun } from './run-files.ts';

/** Of a run's node runs, how many come with it. */
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
  const [files, node_runs] = await Promise.all([
    rounds.ground.plans.planOf(db, run).then((plan) => filesOfRun(db, run, plan)),
    shownNodeRuns(services, run, page).then(({ rows }) => rows),
  ]);
  return { ...run, ...files, node_runs };
}

/** @throws DomainError 404 for another tenant's, a deleted or an unknown run. */
export async function requireRunRow(db: Db, caller: Caller, id: number): Promise<RunRow> {
  const run = await findRun(db, caller.tenant_id, id);
  if (!run) throw notFound('Workflow run');
  return run;
}

/** The same without what only the engine needs. @throws DomainError 404. */
export async function requireRun(db: Tag, caller: Caller, id: number): Promise<RunHead> {
  const run = await findRunHead(db, caller.tenant_id, id);
  if (!run) throw notFound('Workflow run');
  return run;
}

/** @throws DomainError 403 for those who neither started the run nor are admins. */
export async function requireStarter(db: Db, caller: Caller, id: number): Promise<RunHead> {
  const run = await requireRun(db, caller, id);
  if (run.started_by !== caller.user_id && caller.role !== 'admin') {
    throw forbidden('Only whoever started this run, or an administrator, may do this.');
  }
  return run;
}

/** The four fields of progress. What was shown once never falls: the kernel sees to that. */
export async function getProgress(db: Db, caller: Caller, id: number) {
  const run = await findProgress(db, caller.tenant_id, id);
  if (!run) throw notFound('Workflow run');
  return shownProgress(run, readCounters(run.node_counts));
}

/** The progress of a run whose nodes have these counters. */
export function shownProgress(
  run: Pick<RunRow, 'status' | 'progress_percentage'> & {
    node_keys: readonly string[];
    /** What the running node runs of each node say of themselves, added up, by place. */
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
 * Stops a run: what waits ends at once, what runs within seconds. Cancelling twice is fine.
 *
 * @throws DomainError 409 `run_already_finished` for a run that ended otherwise.
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

/** The run disappears from lists; its outputs and what it was charged stay. */
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
