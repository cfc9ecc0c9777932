/** Rows of runs as the engine keeps them; what clients see of them is in workflow-runs/schema.ts. */
import type { Resources } from '@cogworks/graph/resources';
import type { AttemptStatus, NodeRunStatus, RunStatus, SkipReason } from '@cogworks/graph/statuses';
import type { NodeCounts } from '@cogworks/graph/steps';
import type { Graph } from '@cogworks/graph/types';

export type RunRow = {
  id: number;
  tenant_id: number;
  workflow_id: number;
  workflow_version_id: number;
  status: RunStatus;
  error_message?: string;
  graph: Graph;
  extra_variables: Record<string, unknown>;
  started_by: number;
  trigger_id?: number;
  test_run: boolean;
  priority: 'low' | 'normal' | 'high';
  on_failure: 'continue' | 'abort';
  output_parent_id?: number;
  output_folder_id?: number;
  /** Why the outputs are not where `output_parent_id` says. */
  output_fallback?: 'no_right' | 'folder_gone';
  restarted_from_run_id?: number;
  superseded_by_run_id?: number;
  restart_mode?: 'failed' | 'all';
  restart_touched?: string[];
  cancel_requested_at?: string;
  progress_percentage: string;
  created_at: string;
  started_at?: string;
  finished_at?: string;
};

/** A run without its graph, which may be megabytes: all that most questions about it need. */
export type RunHead = Omit<RunRow, 'graph'>;

/** Counters of one node; `expected` is absent until its lanes are known. */
export type RunNodeRow = Omit<NodeCounts, 'expected'> & {
  node_key: string;
  position: number;
  node_definition_id: number;
  expected?: number;
  running: number;
  reused: number;
};

export type NodeRunRow = {
  id: number;
  tenant_id: number;
  run_id: number;
  node_key: string;
  shard_index?: number;
  cog_id?: number;
  status: NodeRunStatus;
  skip_reason?: SkipReason;
  attempt: number;
  max_attempts: number;
  system_faults: number;
  memory_mb: number;
  reused_from_node_run_id?: number;
  worker_id?: number;
  fraction: number;
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
  /** What the program called it, where that cannot be a name. */
  renamed_from?: string;
  media_type: string;
  object_id: number;
  size_bytes: number;
  checksum_sha256: string;
};

export type InputFileRow = {
  id: number;
  cog_id: number;
  input_name: string;
  position: number;
  name: string;
  media_type: string;
  object_id: number;
  size_bytes: number;
  checksum_sha256: string;
};

export type AttemptRow = Resources & {
  id: number;
  tenant_id: number;
  run_id: number;
  node_run_id: number;
  worker_id: number;
  lease_token: string;
  lease_expires_at: string;
  status: AttemptStatus;
  cancel_requested_at?: string;
  leased_at: string;
  started_at?: string;
  finished_at?: string;
};
