/** What of a round is traced: the runs and attempts that ended in it. Pure. */
import type { TracedAttempt, TracedRun } from '../traces/traces.ts';
import type { RunState } from './kernel/state.ts';
import type { AttemptRow } from './records.ts';

type Ended = { runs: TracedRun[]; attempts: TracedAttempt[] };

/** @param attempts as they were before the round. */
export function endedIn(
  states: readonly RunState[],
  attempts: ReadonlyMap<number, AttemptRow>,
): Ended {
  return {
    runs: states.flatMap(({ run, changes, now }) =>
      changes.run && run.finished_at === now ? [{ ...run, finished_at: now }] : [],
    ),
    attempts: states.flatMap((state) =>
      state.changes.ended.flatMap(({ id, status, error_class }) => {
        const attempt = attempts.get(id);
        const node_key = attempt && state.rows.get(attempt.node_run_id)?.node_key;
        if (!attempt || node_key === undefined) return [];
        return [{ ...attempt, node_key, status, error_class, finished_at: state.now }];
      }),
    ),
  };
}
