/** The end of a run: whether it is complete, its outcome, its message and its progress. */
import type { RunOutcome } from '@cogworks/graph/statuses';
import { errorMessage, failureCause, progressOf, runOutcome } from '@cogworks/graph/steps';
import type { Asking } from './asking.ts';
import { type Counters, endedOf, isUnderWay, type RunState } from './state.ts';

export function* endWhenDone(state: RunState): Asking<void> {
  const { run, counts } = state;
  if (!isUnderWay(run.status)) return;
  if (!counts.every((counters) => endedOf(counters) === counters.expected)) return;

  const nodes = nodesOf(state, counts);
  const stopped = run.cancel_requested_at !== undefined && counts.some((one) => one.cancelled > 0);
  const outcome = runOutcome({ nodes }, stopped);
  if (outcome === 'failure' || outcome === 'partial_success') {
    yield { of: 'failures' };
    const message = messageOf(state);
    if (message !== null) run.error_message = message;
  }
  // All node runs that were running have ended in this decision, so only their fractions count.
  if (outcome === 'failure' || outcome === 'cancelled') raiseProgress(state, state.saidByEnded);
  const { progress_percentage } = progressOf(nodes, outcome, run.progress_percentage);
  run.progress_percentage = Math.max(run.progress_percentage, progress_percentage);
  run.status = outcome satisfies RunOutcome;
  // A run whose nodes were all skipped or reused still passes through `running`.
  run.started_at ??= state.now;
  run.finished_at = state.now;
  state.changes.run = true;
}

/** The nodes of a run, in the form that outcome and progress need. */
function nodesOf(
  { plan }: RunState,
  counts: readonly Counters[],
  said: ReadonlyMap<number, number> = new Map(),
) {
  return plan.nodes.map(({ key, leaf, position }) => {
    const counters = counts[position] as Counters;
    const reported = said.get(position) ?? 0;
    return { key, leaf, counts: counters, running: counters.running, reported };
  });
}

/**
 * Reported progress must never fall. Keeps the progress from before this decision, which may
 * discard fractions that containers reported, or count stopped node runs as not done.
 */
export function* keepProgress(state: RunState): Asking<void> {
  if (!state.fractions) yield { of: 'fractions' };
  raiseProgress(state, state.fractions ?? new Map());
}

function raiseProgress(state: RunState, said: ReadonlyMap<number, number>) {
  const { run } = state;
  const nodes = nodesOf(state, state.countsBefore, said);
  const { progress_percentage } = progressOf(nodes, null, run.progress_percentage);
  if (progress_percentage <= run.progress_percentage) return;
  run.progress_percentage = progress_percentage;
  state.changes.run = true;
}

function messageOf({ plan, counts, failures, rows }: RunState) {
  const first = new Map(failures);
  // Failures of this decision are not stored yet.
  for (const row of rows.values())
    if (row.status === 'failure' && !first.has(row.node_key)) first.set(row.node_key, row);
  return errorMessage(
    plan.nodes.map(({ key, node, position }) => ({
      key,
      map: node.map ?? false,
      counts: counts[position] as Counters,
      cause: failureCause(first.get(key) ?? {}),
    })),
  );
}
