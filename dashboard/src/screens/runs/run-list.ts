/** Updates a list of runs with an event. Pure. */
import type { Operations, WorkflowRunSummary } from '@cogworks/sdk/contract.gen';
import type { RunsEvent } from '@cogworks/sdk/run-events';

export type Filter = NonNullable<Operations['listRuns']['args']['query']>;
type Told = Extract<RunsEvent, { event: 'run' }>['data'];

/** The row updated by the event, if it is about that run. */
export function withTold(row: WorkflowRunSummary, told: Told): WorkflowRunSummary {
  return row.id === told.id && 'status' in told ? { ...row, ...told } : row;
}

/** Whether the list may now contain other rows, so that it has to be read again. */
export function hasOtherRows(
  rows: readonly WorkflowRunSummary[],
  { status, workflow_id }: Filter,
  told: Told,
): boolean {
  const before = rows.find(({ id }) => id === told.id);
  if (!('status' in told)) return before !== undefined;
  if (workflow_id !== undefined && told.workflow_id !== workflow_id) return false;
  if (status !== undefined) return (told.status === status) !== (before !== undefined);
  // Newest first: an older run that is missing is on a later page.
  return before === undefined && told.id > Math.max(0, ...rows.map(({ id }) => id));
}
