/** Everything that a decision made different. A value: `write` brings it to the database. */
import type { Resources } from '@cogworks/graph/resources';
import type { AttemptOutcome } from '@cogworks/graph/statuses';
import type { NodeRunRow, OutputRow } from '../records.ts';

/** A node run that can start, for whichever worker comes first. */
export type Ready = {
  row: NodeRunRow;
  needs: Resources & { egress: boolean };
  /** How long it waits before that, after a failed try. */
  delay_ms: number;
};

/** One try that begins: a worker holds a node run under a lease. */
export type NewAttempt = Resources & {
  id: number;
  node_run_id: number;
  number: number;
  /** Place of the node in topological order. */
  position: number;
  worker_id: number;
  lease_token: string;
};

/** How a try ended. */
export type EndedAttempt = {
  id: number;
  status: AttemptOutcome;
  exit_code?: number;
  error_class?: string;
  error_message?: string;
  /** Thousandths of a credit for a minute of its container; 0 for what was the platform's fault. */
  millicredits_per_minute: number;
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
  /** Counters, state or times of the run itself. */
  run: boolean;
  /** Node runs as they are now: new ones, and those that changed. */
  rows: Set<NodeRunRow>;
  /** Node runs that became ready and wait for a worker, in the order they do so. */
  ready: Ready[];
  /** Node runs that leave the queue for a worker. */
  unqueued: number[];
  started: NewAttempt[];
  ended: EndedAttempt[];
  outputs: NewOutput[];
  /** Uploads that became no output of an accepted report. */
  unused: number[];
  /** Node runs that take over the outputs of others. */
  copies: { id: number; source: number }[];
  /** Node runs of leaves whose outputs become files of the starter. */
  published: number[];
  /** The run was stopped: what is queued ends now, and workers are told to stop what runs. */
  stopped: boolean;
};

export const noChanges = (): Changes => ({
  run: false,
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
