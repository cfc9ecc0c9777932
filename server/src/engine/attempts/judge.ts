/**
 * How attempts end: the effect of a report, or of a lost worker, on an attempt and its node run.
 * Pure. A report counts only with the token of the current lease, so a worker that was away too
 * long changes nothing.
 */
import { factsOfError } from '@cogworks/graph/error-classes';
import type { AttemptOutcome, ReportStatus } from '@cogworks/graph/statuses';
import { exactRateOf } from '../../credits/prices.ts';
import { makeReady } from '../kernel/advance.ts';
import type { Asking } from '../kernel/asking.ts';
import { keepProgress } from '../kernel/end-run.ts';
import type { PlannedNode } from '../kernel/plan.ts';
import { countersOf, endRows, isPublished, type RunState } from '../kernel/state.ts';
import type { AttemptRow, NodeRunRow } from '../records.ts';
import { outputRows, problemOf, type ReportedOutput, type Upload } from './outputs.ts';
import { afterFailure, type Failure } from './retries.ts';

/** A worker's report. `exit_code` is absent if no container ran. */
export type Report = {
  lease_token: string;
  status: ReportStatus;
  exit_code?: number | undefined;
  error_class?: string | undefined;
  error_message?: string | undefined;
  outputs: readonly ReportedOutput[];
};

/** A live attempt, and the history of its node run. */
export type HeldAttempt = AttemptRow & {
  /** Workers that were lost in earlier attempts of its node run, each listed once. */
  lost_workers: readonly number[];
  /** How many of those attempts were stopped on purpose. */
  evictions: number;
  uploads: readonly Upload[];
};

type AttemptFailure = Failure & { error_message?: string };

const longestMessage = 2000;

/** The report for an attempt whose worker is lost, or did not stop when told to. */
export const lostReport = ({ lease_token }: AttemptRow): Report => ({
  lease_token,
  outputs: [],
  status: 'failure',
  error_class: 'lost_worker',
  error_message: 'The worker stopped answering.',
});

/** Ends a live attempt with a report. */
export function* judge(state: RunState, attempt: HeldAttempt, report: Report): Asking<void> {
  const row = state.rows.get(attempt.node_run_id);
  const node = row && state.plan.byKey.get(row.node_key);
  if (!row || !node) throw new Error(`Attempt ${attempt.id} has no node run.`);
  const failure = failureOf(node, attempt, report);
  if (failure && attempt.fraction > 0) yield* keepProgress(state);
  const said = state.saidByEnded.get(node.position) ?? 0;
  state.saidByEnded.set(node.position, said + attempt.fraction);
  countersOf(state, node).running -= 1;
  state.changes.run = true;

  if (!failure) succeed(state, node, row, attempt, report);
  else if (isUnpaid(state, attempt)) failUnpaid(state, node, row, attempt, failure);
  // A failure of an attempt that was told to stop is not retried.
  else if (isStopped(state, attempt)) stop(state, node, row, attempt);
  else fail(state, node, row, attempt, failure);
  const used = new Set(failure ? [] : report.outputs.map(({ object_id }) => object_id));
  for (const { object_id, state: is } of attempt.uploads)
    if (is === 'pending' && !used.has(object_id)) state.changes.unused.push(object_id);
}

/** Whether it was told to stop, possibly by a cancel in this round. */
const isStopped = ({ run }: RunState, { cancel_requested_at }: AttemptRow) =>
  cancel_requested_at !== undefined || run.waiting_ended_as !== undefined;

/** Whether it was told to stop for want of credits, and the run was not. */
const isUnpaid = ({ run }: RunState, { unpaid_at }: AttemptRow) =>
  unpaid_at !== undefined && run.waiting_ended_as === undefined;

/** Why the attempt failed; undefined if its outputs are accepted. */
function failureOf(
  node: PlannedNode,
  attempt: HeldAttempt,
  { status, exit_code, error_class = 'exit_nonzero', error_message, outputs }: Report,
): AttemptFailure | undefined {
  const code = exit_code === undefined ? {} : { exit_code };
  if (status === 'success') {
    const problem = problemOf(node, attempt.uploads, outputs);
    return problem && { ...problem, ...code };
  }
  // Nobody asked for a stop, so the worker itself gives the work back.
  if (status === 'cancelled') {
    return { error_class: 'evicted', error_message: 'The worker gave the work back.' };
  }
  const message =
    error_message === undefined ? {} : { error_message: error_message.slice(0, longestMessage) };
  return { error_class, ...code, ...message };
}

function succeed(
  state: RunState,
  node: PlannedNode,
  row: NodeRunRow,
  attempt: HeldAttempt,
  { exit_code, outputs }: Report,
) {
  const { changes, now } = state;
  const code = exit_code === undefined ? {} : { exit_code };
  endAttempt(state, attempt, 'success', code);
  changes.outputs.push(...outputRows(node, row.id, outputs));
  const counts = new Map<string, number>();
  for (const { port } of outputs) counts.set(port, (counts.get(port) ?? 0) + 1);
  state.outputCounts.set(row.id, counts);
  if (isPublished(state, node) && outputs.length > 0) changes.published.push(row.id);
  endRows(state, node, [{ ...withoutFailure(row), ...code, status: 'success', finished_at: now }]);
}

/** The failure of the previous attempt is stored with that attempt. */
function withoutFailure(row: NodeRunRow): NodeRunRow {
  const { exit_code: _, error_class: __, error_message: ___, ...rest } = row;
  return rest;
}

function stop(state: RunState, node: PlannedNode, row: NodeRunRow, attempt: HeldAttempt) {
  endAttempt(state, attempt, 'cancelled', {});
  // Stopped by `on_failure`, not by a user: it counts as skipped, and the run's outcome differs.
  const ended =
    state.run.cancel_requested_at !== undefined
      ? { status: 'cancelled' as const }
      : { status: 'skipped' as const, skip_reason: 'run_aborted' as const };
  endRows(state, node, [{ ...withoutFailure(row), ...ended, finished_at: state.now }]);
}

function fail(
  state: RunState,
  node: PlannedNode,
  row: NodeRunRow,
  attempt: HeldAttempt,
  failure: AttemptFailure,
) {
  const isLost = failure.error_class === 'lost_worker';
  const retry = afterFailure(
    failure,
    {
      attempt: row.attempt,
      max_attempts: node.definition.retry.max_attempts,
      system_faults: row.system_faults,
      retry_on: node.definition.retry.on,
      evictions: attempt.evictions,
      workers_lost: new Set([...attempt.lost_workers, ...(isLost ? [attempt.worker_id] : [])]).size,
    },
    Math.random(),
  );
  if (!retry.retry) {
    const ended = { ...failure, error_class: retry.error_class };
    endAttempt(state, attempt, isLost ? 'lost' : 'failure', failure, retry.error_class);
    return endRows(state, node, [
      { ...withoutFailure(row), ...ended, status: 'failure', finished_at: state.now },
    ]);
  }
  endAttempt(state, attempt, isLost ? 'lost' : 'failure', failure);
  const { worker_id: _, ...waiting } = withoutFailure(row);
  const memory_mb = memoryAfter(node, row, retry.memory_factor);
  makeReady(
    state,
    node,
    {
      ...waiting,
      ...(memory_mb === undefined ? {} : { memory_mb }),
      status: 'queued',
      queued_at: state.now,
      system_faults: row.system_faults + (retry.system ? 1 : 0),
    },
    // After a lost worker the retry is immediate: the lease has already taken its time.
    isLost ? 0 : retry.delay_ms,
  );
}

/** It is charged for what it ran, unless the platform was at fault meanwhile. */
function failUnpaid(
  state: RunState,
  node: PlannedNode,
  row: NodeRunRow,
  attempt: HeldAttempt,
  { error_class: reported }: AttemptFailure,
) {
  const failure = {
    error_class: 'insufficient_credits',
    error_message: 'It was stopped when there were no credits left for it.',
  };
  const isLost = reported === 'lost_worker';
  const charged = reported === 'evicted' ? failure.error_class : reported;
  endAttempt(state, attempt, isLost ? 'lost' : 'failure', failure, charged);
  endRows(state, node, [
    { ...withoutFailure(row), ...failure, status: 'failure', finished_at: state.now },
  ]);
}

function memoryAfter(node: PlannedNode, row: NodeRunRow, factor: number): number | undefined {
  if (factor === 1) return row.memory_mb;
  return Math.ceil((row.memory_mb ?? node.definition.resources.memory_mb) * factor);
}

/** Faults of the platform are free. */
function endAttempt(
  { changes }: RunState,
  { id, cpu, memory_mb, gpu, credits_held }: AttemptRow,
  status: AttemptOutcome,
  failure: Partial<AttemptFailure>,
  charged = failure.error_class,
) {
  const isFree = charged !== undefined && factsOfError(charged).fault === 'platform';
  const microcredits_per_minute = isFree ? 0 : exactRateOf({ cpu, memory_mb, gpu });
  const is_paid = credits_held !== undefined;
  changes.ended.push({ id, status, ...failure, microcredits_per_minute, is_paid });
}
