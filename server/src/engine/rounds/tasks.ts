/** What rounds are asked to do, and what they answer. */
import type { Resources } from '@cogworks/graph/resources';
import type { RunStatus } from '@cogworks/graph/statuses';
import { conflict } from '../../errors.ts';
import type { ObjectName } from '../../objects/objects.ts';
import type { Report } from '../attempts/judge.ts';
import type { Lease, Order } from '../attempts/orders.ts';
import type { AttemptRow, RunRow } from '../records.ts';
import type { RunToBegin } from '../starting.ts';

/** What a round is asked to do. */
export type Task =
  /** A worker's report on an attempt. `looked`: the storage was asked what it holds of its uploads. */
  | { do: 'report'; worker_id: number; attempt_id: number; report: Report; looked: boolean }
  /**
   * The end of an attempt whose worker is gone, if that is still so under the lock. For so long it
   * waits while somebody has locked its run; then it is left as it is.
   */
  | {
      do: 'give up';
      attempt: AttemptRow;
      isLost: (now: AttemptRow) => boolean;
      wait_ms: number;
    }
  | { do: 'cancel'; run_id: number; reason: string | undefined }
  | { do: 'start'; start: RunToBegin };

/** What became of a task. */
export type TaskResult =
  | { of: 'report'; look_at: ObjectName[] | undefined }
  | { of: 'give up'; is_given: boolean }
  /** The state the run had. */
  | { of: 'cancel'; status: RunStatus | undefined }
  | { of: 'start'; run: RunRow };

export type TaskOutcome =
  | { result: TaskResult }
  | { error: unknown }
  /** Somebody else has locked the run: try again. */
  | 'locked'
  /** It makes files of a tenant's, which may take long: nothing was done, it has a round apart. */
  | { apart: number };

/** A worker that asks for work: at most so much in all, and so many node runs. */
export type Ask = {
  worker_id: number;
  /** Of the process that asks; see resources/workers/standing.ts. */
  epoch: number | undefined;
  free: Resources;
  max: number;
  /** It reads the inputs of an order in pages. */
  takes_pages?: boolean;
};

/** What was handed out. `order`: put together by the round, where it names few files. */
export type HandedOut = Lease & { order?: Order | Error };

/** What a round did for an ask. `away`: the worker is gone, or is to take no more. */
export type AskOutcome = { leases: HandedOut[]; standing: 'open' | 'away' | 'superseded' };

export type RoundResult<A extends Ask> = {
  outcomes: TaskOutcome[];
  asks: Map<A, AskOutcome>;
  /** What was queued, and for how long it is not handed out, in milliseconds. */
  queued: { pause_ms: number }[];
  /**
   * What was looked at of the queue holds `nothing` now; `some` is left that nobody who asked
   * could take; all of it was taken, and there may be `more`.
   */
  left: 'nothing' | 'some' | 'more';
  /** Runs whose work could not be handed out, because somebody has locked them. */
  locked_runs: number[];
};

export const leaseLost = () =>
  conflict('lease_lost', 'This attempt is not yours any more: stop it and report nothing.');
