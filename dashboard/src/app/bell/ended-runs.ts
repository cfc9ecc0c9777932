/** The runs that a user started and that have ended, newest first. Pure. */
import type { WorkflowRunSummary } from '@cogworks/sdk/contract.gen';
import type { RunsEvent, ToldRun } from '@cogworks/sdk/run-events';

export type EndedRun = Pick<
  WorkflowRunSummary,
  'id' | 'workflow_id' | 'status' | 'error_message' | 'test_run'
> & { finished_at: string };

export const mostKept = 20;

export function endedOf(runs: readonly ToldRun[]): EndedRun[] {
  return runs
    .flatMap((run) =>
      run.finished_at === undefined ? [] : { ...run, finished_at: run.finished_at },
    )
    .toSorted((a, b) => Date.parse(b.finished_at) - Date.parse(a.finished_at))
    .slice(0, mostKept);
}

/** A run of the user that has just ended, if that is what an event tells. */
export function endedIn({ event, data }: RunsEvent, userId: number): EndedRun | undefined {
  if (event !== 'run' || 'deleted' in data || data.started_by !== userId) return undefined;
  return endedOf([data])[0];
}

/** The list with one more; a run that is there already stays once. */
export const withEnded = (runs: readonly EndedRun[], run: EndedRun): EndedRun[] =>
  endedOf([run, ...runs.filter(({ id }) => id !== run.id)] as ToldRun[]);

/**
 * Until when the list is seen once it was opened: by the clock of the service, since that of this
 * machine may be wrong.
 */
export const seenUntil = (runs: readonly EndedRun[], before_ms: number): number =>
  runs.length === 0 ? before_ms : Math.max(...runs.map((run) => Date.parse(run.finished_at)));

export const unreadOf = (runs: readonly EndedRun[], seen_ms: number): number =>
  runs.filter(({ finished_at }) => Date.parse(finished_at) > seen_ms).length;
