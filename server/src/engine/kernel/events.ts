/** The events sent to watchers of a run after a decision. Pure; their size is bounded. */
import type { NodeRunRow, RunRow } from '../records.ts';
import type { PlannedNode } from './plan.ts';
import { isUnderWay, type RunState } from './state.ts';

/** With more changed node runs than this, clients are told to read the list again. */
const mostNodeRuns = 100;
/** Length of an error message in an event; the full text is part of the node run. */
const longestMessage = 500;

export type RunDetail =
  | { event: 'node_run'; data: ToldNodeRun }
  /** The client has to read the run again. */
  | { event: 'reset'; data: { reason: 'many_changes' } };

export type RunEvents = {
  tenant_id: number;
  run_id: number;
  /** The run itself, if it changed. Counters are not included; clients fetch them when needed. */
  run: ToldRun | undefined;
  details: RunDetail[];
  /** No more events follow. */
  is_last: boolean;
};

/** @returns undefined when nothing changed. */
export function eventsOf(state: RunState, isNew: boolean): RunEvents | undefined {
  const { run, changes } = state;
  if (!isNew && !changes.run && changes.rows.size === 0) return undefined;
  const isChanged =
    isNew ||
    [run.started_at, run.finished_at, run.cancel_requested_at].includes(state.now) ||
    changes.stopped;
  return {
    tenant_id: run.tenant_id,
    run_id: run.id,
    run: isChanged ? toldRun(run) : undefined,
    details: detailsOf(state),
    is_last: !isUnderWay(run.status),
  };
}

function detailsOf({ plan, changes }: RunState): RunDetail[] {
  // Node runs that had not begun when the run was stopped end without rows of their own.
  if (changes.stopped || changes.rows.size > mostNodeRuns)
    return [{ event: 'reset', data: { reason: 'many_changes' } }];
  return [...changes.rows].map((row) => ({
    event: 'node_run',
    data: toldNodeRun(row, plan.byKey.get(row.node_key) as PlannedNode),
  }));
}

/** A run without fields that may be large or never change. */
export type ToldRun = ReturnType<typeof toldRun>;

export function toldRun(run: Omit<RunRow, 'graph_hash' | 'extra_variables'>) {
  const { id, workflow_id, workflow_version_id, status, started_by, test_run, priority } = run;
  const { created_at, started_at, finished_at, cancel_requested_at } = run;
  const { trigger_id, restarted_from_run_id, reuse_from_run_id, until } = run;
  return {
    ...{ id, workflow_id, workflow_version_id, status, started_by, test_run, priority },
    ...{ error_message: run.error_message, trigger_id, restarted_from_run_id },
    ...{ reuse_from_run_id, until, max_credits: run.max_credits },
    ...{ output_folder_id: run.output_folder_id, output_fallback: run.output_fallback },
    ...{ keep_results: run.keep_results, results_removed_at: run.results_removed_at },
    ...{ cancel_requested_at, created_at, started_at, finished_at },
  };
}

/** A node run as the API shows it, without its outputs and its queue reason. */
export type ToldNodeRun = ReturnType<typeof toldNodeRun>;

function toldNodeRun(row: NodeRunRow, { node, definition }: PlannedNode) {
  const { tenant_id, run_id, system_faults, memory_mb, ...told } = row;
  return {
    ...told,
    ...(row.error_message === undefined
      ? {}
      : { error_message: row.error_message.slice(0, longestMessage).toWellFormed() }),
    title: node.title ?? row.node_key,
    node_definition_id: node.node_definition_id,
    max_attempts: definition.retry.max_attempts,
    cached: row.reused_from_node_run_id !== undefined,
  };
}
