/**
 * Stopping a run: on a user's request, or on its first failure. Waiting node runs end at once,
 * without rows of their own; workers are told to stop running ones.
 */
import type { PlannedNode } from './plan.ts';
import { countersOf, endedOf, type RunState } from './state.ts';

/** How node runs end that had not begun when their run was stopped. */
const endings = {
  cancelled: { status: 'cancelled' },
  run_aborted: { status: 'skipped', skip_reason: 'run_aborted' },
} as const;

/** `on_failure: abort`: the first failure skips whatever has not started, and stops the rest. */
export function stopWhenAborted(state: RunState): void {
  const { run, counts } = state;
  if (run.on_failure !== 'abort' || run.waiting_ended_as !== undefined) return;
  const failures = counts.reduce((sum, { failure }) => sum + failure, 0);
  if (failures > (run.restart_failures ?? 0)) stopWaiting(state, 'run_aborted');
}

/** Cancels the run. A result whose report locked the run first stays accepted. */
export function cancel(state: RunState, reason: string | undefined): void {
  const { run } = state;
  run.cancel_requested_at = state.now;
  if (reason !== undefined) run.cancel_reason = reason;
  if (run.waiting_ended_as === undefined) stopWaiting(state, 'cancelled');
  state.changes.run = true;
  // After an abort this tells the workers again, in case they have not received the first request.
  state.changes.stopped = true;
}

/** Ends everything of the run that has not started. */
function stopWaiting(state: RunState, endedAs: 'cancelled' | 'run_aborted') {
  const { run, plan, counts, changes, rows } = state;
  const column = endedAs === 'cancelled' ? 'cancelled' : 'skipped_upstream';
  for (const counters of counts) {
    // Lanes that are not yet known will never be opened.
    counters.expected ??= 0;
    counters[column] += counters.expected - endedOf(counters) - counters.running;
  }
  // Node runs made ready in this decision are not queued. A row stays only if an attempt was made.
  for (const { row } of changes.ready) {
    changes.rows.delete(row);
    rows.delete(row.id);
    if (row.attempt > 0) changes.rows.add({ ...row, ...endings[endedAs], finished_at: state.now });
    else countersOf(state, plan.byKey.get(row.node_key) as PlannedNode).begun -= 1;
  }
  changes.ready.length = 0;
  run.waiting_ended_as = endedAs;
  changes.run = true;
  changes.stopped = true;
  state.todo.clear();
}
