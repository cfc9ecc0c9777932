/** The tasks of rounds, and their results. */
import type { Resources } from '@cogworks/graph/resources';
import type { RunStatus } from '@cogworks/graph/statuses';
import { conflict } from '../../errors.ts';
import type { ObjectName } from '../../objects/objects.ts';
import type { Report } from '../attempts/judge.ts';
import type { Lease, Order } from '../attempts/orders.ts';
import type { AttemptRow, RunRow } from '../records.ts';
import type { RunToBegin } from '../starting.ts';

/** A task for a round. */
export type Task =
  /** A worker's report on an attempt. `looked`: the storage has verified its uploads. */
  | { do: 'report'; worker_id: number; attempt_id: number; report: Report; looked: boolean }
  /**
   * Ends an attempt whose worker is lost, if `isLost` still holds under the lock. If the run stays
   * locked for longer than `wait_ms`, the attempt is left as it is.
   */
  | {
      do: 'give up';
      attempt: AttemptRow;
      isLost: (now: AttemptRow) => boolean;
      wait_ms: number;
    }
  | { do: 'cancel'; run_id: number; reason: string | undefined }
  | ({ do: 'end unpaid' } & Unpayable)
  | { do: 'start'; start: RunToBegin };

/** A run, and queued node runs of it for which its account can never pay. */
export type Unpayable = { tenant_id: number; run_id: number; node_run_ids: number[] };

/** The result of a task. */
export type TaskResult =
  | { of: 'report'; look_at: ObjectName[] | undefined }
  | { of: 'give up'; is_given: boolean }
  /** The status the run had. */
  | { of: 'cancel'; status: RunStatus | undefined }
  | { of: 'end unpaid'; has_more: boolean }
  | { of: 'start'; run: RunRow };

export type TaskOutcome =
  | { result: TaskResult }
  | { error: unknown }
  /** Another transaction holds the lock of the run: try again. */
  | 'locked'
  /**
   * The task publishes files of this tenant, which may take long. Nothing was done; it needs a
   * separate round.
   */
  | { apart: number };

/** A worker's request for work: at most `free` in total, and at most `max` node runs. */
export type Ask = {
  worker_id: number;
  /** The epoch of the worker process; see resources/workers/standing.ts. */
  epoch: number | undefined;
  free: Resources;
  max: number;
  /** Whether the worker reads the inputs of an order in pages. */
  takes_pages?: boolean;
};

/** A lease. `order` is set if the round composed it, which it does if it names few files. */
export type HandedOut = Lease & { order?: Order | Error };

/** The result of a request for work. `away`: the worker is deleted, or may take no more work. */
export type AskOutcome = { leases: HandedOut[]; standing: 'open' | 'away' | 'superseded' };

export type RoundResult<A extends Ask> = {
  outcomes: TaskOutcome[];
  asks: Map<A, AskOutcome>;
  /** Node runs that were queued, and the pause before each may start, in milliseconds. */
  queued: { pause_ms: number }[];
  /**
   * What is left of the part of the queue that was read: `nothing`; `some` that no asking worker
   * could take; or all of it was taken, and there may be `more`.
   */
  left: 'nothing' | 'some' | 'more';
  /** Runs whose work could not be handed out, because another transaction holds their locks. */
  locked_runs: number[];
  /** Runs whose own accounts cannot pay for more of their work until something of them ends. */
  unpaid_runs: number[];
  /** What of long queues can never be paid for. It is ended beside the rounds. */
  unpayable: Unpayable[];
  /** Whether work may have been passed over, because another transaction leases under its cap. */
  is_held: boolean;
  /** Whether slots under a cap or credits became free, for which others may wait. */
  has_freed: boolean;
  /** The runs that have ended. */
  ended: { status: string; seconds: number }[];
};

export const leaseLost = () =>
  conflict('lease_lost', 'This attempt is not yours any more: stop it and report nothing.');
