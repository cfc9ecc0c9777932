/** Rows of runs as the engine stores them; what clients see is in workflow-runs/schema.ts. */
import type { Resources } from '@cogworks/graph/resources';
import type { AttemptStatus, NodeRunStatus, RunStatus, SkipReason } from '@cogworks/graph/statuses';

export type RunRow = {
  id: number;
  tenant_id: number;
  workflow_id: number;
  workflow_version_id: number;
  status: RunStatus;
  error_message?: string;
  graph_hash: Uint8Array;
  extra_variables: Record<string, unknown>;
  started_by: number;
  trigger_id?: number;
  test_run: boolean;
  priority: 'low' | 'normal' | 'high';
  on_failure: 'continue' | 'abort';
  output_parent_id?: number;
  output_folder_id?: number;
  /** Why the outputs are not in the folder `output_parent_id`. */
  output_fallback?: 'no_right' | 'folder_gone';
  /** Whether its results become files of its starter that stay. Those of a test do not. */
  keep_results: boolean;
  results_removed_at?: string;
  restarted_from_run_id?: number;
  superseded_by_run_id?: number;
  /** Whose results it took over where they are the same, if it is no restart. */
  reuse_from_run_id?: number;
  restart_mode?: 'failed' | 'all';
  restart_touched?: string[];
  /** What runs again, if not all that did not succeed. */
  restart_only?: ChosenNodeRun[];
  /** How many failures were taken over from the earlier run. */
  restart_failures?: number;
  /** The node it ends with, if its graph is only a part of its version's. */
  until?: string;
  cancel_requested_at?: string;
  cancel_reason?: string;
  /** How node runs ended that had not begun when the run was stopped. */
  waiting_ended_as?: 'cancelled' | 'run_aborted';
  progress_percentage: number;
  created_at: string;
  started_at?: string;
  finished_at?: string;
  /** What it may spend, in credits, and the account that holds it; absent without a limit. */
  max_credits?: number;
  credit_account_id?: number;
};

/** A node run chosen to run again: in one lane, or all of the node's. */
export type ChosenNodeRun = { node_key: string; shard_index?: number };

/** A node run. A `pending` one has not begun and has no row in the database. */
export type NodeRunRow = {
  id: number;
  tenant_id: number;
  run_id: number;
  node_key: string;
  shard_index?: number;
  status: NodeRunStatus;
  skip_reason?: SkipReason;
  attempt: number;
  system_faults: number;
  /** Raised after a failure for lack of memory; undefined: as in the definition. */
  memory_mb?: number;
  reused_from_node_run_id?: number;
  worker_id?: number;
  exit_code?: number;
  error_class?: string;
  error_message?: string;
  queued_at?: string;
  started_at?: string;
  finished_at?: string;
};

export type OutputRow = {
  node_run_id: number;
  node_key: string;
  shard_index?: number;
  port: string;
  position: number;
  name: string;
  /** The file name the program used, if it is not a valid name. */
  renamed_from?: string;
  media_type: string;
  object_id: number;
  size_bytes: number;
  checksum_sha256: string;
};

export type InputFileRow = {
  id: number;
  cog_id: number;
  /** Of the file; absent in runs from before it was recorded. */
  version?: number;
  input_name: string;
  position: number;
  name: string;
  media_type: string;
  /** Absent if the bytes were removed for ever. */
  object_id?: number;
  size_bytes: number;
  checksum_sha256: string;
};

export type AttemptRow = Resources & {
  id: number;
  tenant_id: number;
  run_id: number;
  node_run_id: number;
  /** Number of the attempt within its node run, from 1. */
  number: number;
  worker_id: number;
  lease_token: string;
  lease_expires_at: string;
  status: AttemptStatus;
  cancel_requested_at?: string;
  /** The progress last reported by the container, 0 to 1. */
  fraction: number;
  leased_at: string;
  started_at?: string;
  finished_at?: string;
  /** Thousandths of credits that are held for it; absent where nothing limits them. */
  credits_held?: number;
  /** When it was told to stop for want of credits. */
  unpaid_at?: string;
};
