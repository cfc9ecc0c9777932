/** All changes made by a decision. A plain value: `write` stores it in the database. */
import type { Resources } from '@cogworks/graph/resources';
import type { AttemptOutcome } from '@cogworks/graph/statuses';
import type { NodeRunRow, OutputRow } from '../records.ts';

/** A node run that is ready to start on any suitable worker. */
export type Ready = {
  row: NodeRunRow;
  needs: Resources & { egress: boolean };
  /** Delay before it may start, after a failed attempt. */
  delay_ms: number;
};

/** What pays for an attempt. */
export type Payment = {
  tenant_account_id?: number;
  run_account_id?: number;
  /** Thousandths of credits for `slice_ms` of it. */
  credit_slice: number;
};

/** A new attempt: a worker holds a node run under a lease. */
export type NewAttempt = Resources & {
  id: number;
  node_run_id: number;
  number: number;
  /** Position of the node in topological order. */
  position: number;
  worker_id: number;
  lease_token: string;
  /** Absent where neither its tenant nor its run has a limit. */
  payment?: Payment;
};

/** How an attempt ended. */
export type EndedAttempt = {
  id: number;
  status: AttemptOutcome;
  exit_code?: number;
  error_class?: string;
  error_message?: string;
  /** Millionths of a credit per minute of its container; 0 if the platform was at fault. */
  microcredits_per_minute: number;
  /** Whether credits are held for it. */
  is_paid: boolean;
};

export type NewOutput = Pick<
  OutputRow,
  | 'node_run_id'
  | 'port'
  | 'position'
  | 'name'
  | 'media_type'
  | 'object_id'
  | 'size_bytes'
  | 'checksum_sha256'
> & { renamed_from?: string };

export type Changes = {
  /** Whether counters, state or times of the run itself changed. */
  run: boolean;
  /** Whether lanes were opened: ids were assigned to their node runs. */
  opened: boolean;
  /** New and changed node runs, with their current values. */
  rows: Set<NodeRunRow>;
  /** Node runs that became ready and wait for a worker, in queue order. */
  ready: Ready[];
  /** Queued node runs that were leased to a worker. */
  unqueued: number[];
  started: NewAttempt[];
  ended: EndedAttempt[];
  outputs: NewOutput[];
  /** Uploads that an accepted report did not use as outputs. */
  unused: number[];
  /** Node runs that reuse the outputs of a node run of the earlier run. */
  copies: { id: number; source: number }[];
  /** Node runs whose outputs become files of the user who started the run (`isPublished`). */
  published: number[];
  /** The run was stopped: queued node runs end now, and workers are told to stop running ones. */
  stopped: boolean;
};

export const noChanges = (): Changes => ({
  run: false,
  opened: false,
  rows: new Set(),
  ready: [],
  unqueued: [],
  started: [],
  ended: [],
  outputs: [],
  unused: [],
  copies: [],
  published: [],
  stopped: false,
});
