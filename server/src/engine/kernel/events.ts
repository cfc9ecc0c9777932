/** What watchers of a run are told after a decision. Pure, and bounded however much was decided. */
import type { NodeRunRow, RunRow } from '../records.ts';
import type { PlannedNode } from './plan.ts';
import { isUnderWay, type RunState } from './state.ts';

/** More than this are not told one by one: whoever shows them reads the list again. */
const mostNodeRuns = 100;
/** What is told of an error; the whole text is read with the node run. */
const longestMessage = 500;

export type RunDetail =
  | { event: 'node_run'; data: ToldNodeRun }
  /** What was read of the run before is to be read again. */
  | { event: 'reset'; data: { reason: 'many_changes' } };

export type RunEvents = {
  tenant_id: number;
  run_id: number;
  /** The run itself, where that changed; its counters are read by who needs them. */
  run: ToldRun | undefined;
  details: RunDetail[];
  /** Nothing follows. */
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
  // What had not begun when a run was stopped ends without a row of its own.
  if (changes.stopped || changes.rows.size > mostNodeRuns)
    return [{ event: 'reset', data: { reason: 'many_changes' } }];
  return [...changes.rows].map((row) => ({
    event: 'node_run',
    data: toldNodeRun(row, plan.byKey.get(row.node_key) as PlannedNode),
  }));
}

/** A run without what may be large or does not change. */
export type ToldRun = ReturnType<typeof toldRun>;

export function toldRun(run: Omit<RunRow, 'graph_hash' | 'extra_variables'>) {
  const { id, workflow_id, workflow_version_id, status, started_by, test_run, priority } = run;
  const { created_at, started_at, finished_at, cancel_requested_at } = run;
  const { trigger_id, restarted_from_run_id, output_folder_id, output_fallback } = run;
  return {
    ...{ id, workflow_id, workflow_version_id, status, started_by, test_run, priority },
    ...{ error_message: run.error_message, trigger_id, restarted_from_run_id },
    ...{ output_folder_id, output_fallback },
    ...{ cancel_requested_at, created_at, started_at, finished_at },
  };
}

/** A node run as the API shows it, without its outputs and the reason why it waits. */
export type ToldNodeRun = ReturnType<typeof toldNodeRun>;

function toldNodeRun(row: NodeRunRow, { node, definition }: PlannedNode) {
  const { tenant_id, run_id, system_faults, memory_mb, reused_from_node_run_id, ...told } = row;
  return {
    ...told,
    ...(row.error_message === undefined
      ? {}
      : { error_message: row.error_message.slice(0, longestMessage).toWellFormed() }),
    title: node.title ?? row.node_key,
    node_definition_id: node.node_definition_id,
    max_attempts: definition.retry.max_attempts,
    cached: reused_from_node_run_id !== undefined,
  };
}
