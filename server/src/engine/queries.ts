/** The kernel's SQL. Everything about a run happens under the lock of its row, taken first. */
import type { Resources } from '@cogworks/graph/resources';
import type { RunOutcome, SkipReason } from '@cogworks/graph/statuses';
import { type Db, sqlState } from '../db/connection.ts';
import type { InputFileRow, NodeRunRow, OutputRow, RunNodeRow, RunRow } from './records.ts';

/** Takes the one lock under which everything about the run happens. */
export async function lockRun(tx: Db, runId: number): Promise<RunRow | undefined> {
  const [run] = await tx<RunRow[]>`select * from workflow_runs where id = ${runId} for update`;
  return run;
}

/** The same without waiting: undefined as well while somebody has it. */
export async function lockFreeRun(tx: Db, runId: number): Promise<RunRow | undefined> {
  const [run] = await tx<RunRow[]>`
    select * from workflow_runs where id = ${runId} for update skip locked
  `;
  return run;
}

/** From now on the transaction waits so long at most for a lock; 55P03 ends it then. */
export async function limitWaits(tx: Db, wait_ms: number): Promise<void> {
  await tx`select set_config('lock_timeout', ${String(wait_ms)}, true)`;
}

/** Whether it was ended for such a wait, or by the usual limit of its pool. */
export const waitedTooLong = (error: unknown): boolean => sqlState(error) === '55P03';

export async function findRun(db: Db, tenantId: number, id: number): Promise<RunRow | undefined> {
  const [run] = await db<RunRow[]>`
    select *
    from workflow_runs
    where tenant_id = ${tenantId} and id = ${id} and deleted_at is null
  `;
  return run;
}

export function findRunNodes(db: Db, tenantId: number, runId: number) {
  return db<RunNodeRow[]>`
    select *
    from run_nodes
    where tenant_id = ${tenantId} and run_id = ${runId}
    order by position
  `;
}

export function addRunNodes(
  tx: Db,
  tenantId: number,
  runId: number,
  nodes: {
    node_key: string;
    position: number;
    node_definition_id: number;
    expected: number | null;
  }[],
) {
  return tx`
    insert into run_nodes (tenant_id, run_id, node_key, position, node_definition_id, expected)
    select ${tenantId}, ${runId}, *
    from unnest(
      ${nodes.map((node) => node.node_key)}::text[],
      ${nodes.map((node) => node.position)}::int[],
      ${nodes.map((node) => node.node_definition_id)}::bigint[],
      ${nodes.map((node) => node.expected)}::int[]
    )
  `;
}

export type NewNodeRun = {
  node_key: string;
  shard_index: number | null;
  cog_id: number | null;
  max_attempts: number;
  memory_mb: number;
};

export function addNodeRuns(tx: Db, tenantId: number, runId: number, nodeRuns: NewNodeRun[]) {
  return tx`
    insert into node_runs (tenant_id, run_id, node_key, shard_index, cog_id, max_attempts, memory_mb)
    select ${tenantId}, ${runId}, *
    from unnest(
      ${nodeRuns.map((row) => row.node_key)}::text[],
      ${nodeRuns.map((row) => row.shard_index)}::int[],
      ${nodeRuns.map((row) => row.cog_id)}::bigint[],
      ${nodeRuns.map((row) => row.max_attempts)}::int[],
      ${nodeRuns.map((row) => row.memory_mb)}::int[]
    )
  `;
}

/** Writes what a step changed of the counters; the whole row, since the run is locked. */
export function writeRunNodes(tx: Db, tenantId: number, runId: number, nodes: RunNodeRow[]) {
  const column = (name: keyof RunNodeRow) => nodes.map((node) => node[name] ?? null) as number[];
  return tx`
    update run_nodes
    set expected = changed.expected,
        running = changed.running,
        success = changed.success,
        failure = changed.failure,
        cancelled = changed.cancelled,
        skipped_by_condition = changed.skipped_by_condition,
        skipped_upstream = changed.skipped_upstream,
        reused = changed.reused
    from unnest(
      ${nodes.map((node) => node.node_key)}::text[],
      ${column('expected')}::int[],
      ${column('running')}::int[],
      ${column('success')}::int[],
      ${column('failure')}::int[],
      ${column('cancelled')}::int[],
      ${column('skipped_by_condition')}::int[],
      ${column('skipped_upstream')}::int[],
      ${column('reused')}::int[]
    ) as changed (node_key, expected, running, success, failure, cancelled,
                  skipped_by_condition, skipped_upstream, reused)
    where run_nodes.tenant_id = ${tenantId}
      and run_nodes.run_id = ${runId}
      and run_nodes.node_key = changed.node_key
  `;
}

/** Node runs of these nodes; with `shards`, of those lanes only. */
export function findNodeRuns(
  db: Db,
  tenantId: number,
  runId: number,
  keys: string[],
  shards?: number[],
) {
  return db<NodeRunRow[]>`
    select *
    from node_runs
    where tenant_id = ${tenantId} and run_id = ${runId} and node_key = any(${keys})
      and (${shards ?? null}::int[] is null or shard_index = any(${shards ?? null}))
    order by node_key, shard_index
  `;
}

export async function findNodeRun(
  db: Db,
  tenantId: number,
  id: number,
): Promise<NodeRunRow | undefined> {
  const [row] = await db<NodeRunRow[]>`
    select * from node_runs where tenant_id = ${tenantId} and id = ${id}
  `;
  return row;
}

export function skipNodeRuns(tx: Db, tenantId: number, ids: number[], reasons: SkipReason[]) {
  return tx`
    update node_runs
    set status = 'skipped', skip_reason = skipped.reason, finished_at = now()
    from unnest(${ids}::bigint[], ${reasons}::text[]) as skipped (id, reason)
    where node_runs.tenant_id = ${tenantId} and node_runs.id = skipped.id
  `;
}

export function failNodeRuns(
  tx: Db,
  tenantId: number,
  ids: number[],
  errorClass: string,
  messages: string[],
) {
  return tx`
    update node_runs
    set status = 'failure', error_class = ${errorClass}, error_message = failed.message, finished_at = now()
    from unnest(${ids}::bigint[], ${messages}::text[]) as failed (id, message)
    where node_runs.tenant_id = ${tenantId} and node_runs.id = failed.id
  `;
}

export function reuseNodeRuns(tx: Db, tenantId: number, ids: number[], sources: number[]) {
  return tx`
    update node_runs
    set status = 'success', reused_from_node_run_id = reused.source, finished_at = now()
    from unnest(${ids}::bigint[], ${sources}::bigint[]) as reused (id, source)
    where node_runs.tenant_id = ${tenantId} and node_runs.id = reused.id
  `;
}

/** Copies the outputs of node runs to those that take them over. No byte moves. */
export function copyOutputs(
  tx: Db,
  tenantId: number,
  runId: number,
  ids: number[],
  sources: number[],
) {
  return tx`
    insert into node_run_outputs
      (tenant_id, run_id, node_run_id, port, position, name, renamed_from, media_type, object_id,
       size_bytes, checksum_sha256)
    select tenant_id, ${runId}, reused.id, port, position, name, renamed_from, media_type, object_id,
      size_bytes, checksum_sha256
    from node_run_outputs
    join unnest(${ids}::bigint[], ${sources}::bigint[]) as reused (id, source)
      on reused.source = node_run_outputs.node_run_id
    where tenant_id = ${tenantId}
  `;
}

/** Puts node runs in the queue that workers read, and marks them queued. */
export function queueNodeRuns(
  tx: Db,
  tenantId: number,
  runId: number,
  band: number,
  rows: (Resources & { id: number })[],
) {
  return tx`
    with queued as (
      insert into ready_queue
        (node_run_id, tenant_id, run_id, band, cpu, memory_mb, gpu, disk_mb, egress)
      select new.id, ${tenantId}, ${runId}, ${band}, new.cpu, new.memory_mb, new.gpu, new.disk_mb,
             network = 'egress'
      from unnest(
        ${rows.map((row) => row.id)}::bigint[],
        ${rows.map((row) => row.cpu)}::real[],
        ${rows.map((row) => row.memory_mb)}::int[],
        ${rows.map((row) => row.gpu)}::int[],
        ${rows.map((row) => row.disk_mb)}::int[]
      ) as new (id, cpu, memory_mb, gpu, disk_mb)
      join node_runs on node_runs.id = new.id
      join run_nodes using (tenant_id, run_id, node_key)
      join node_definitions on node_definitions.id = run_nodes.node_definition_id
      returning node_run_id
    )
    update node_runs
    set status = 'queued', queued_at = now()
    from queued
    where node_runs.id = queued.node_run_id
  `;
}

/** Outputs of node runs by node; with `shards`, of those lanes only. In lane order. */
export function findOutputs(
  db: Db,
  tenantId: number,
  runId: number,
  keys: string[],
  shards?: number[],
) {
  return db<OutputRow[]>`
    select node_run_id, node_key, shard_index, port, node_run_outputs.position, name, media_type,
           object_id, size_bytes, checksum_sha256
    from node_run_outputs
    join node_runs on node_runs.tenant_id = node_run_outputs.tenant_id
      and node_runs.id = node_run_outputs.node_run_id
    where node_run_outputs.tenant_id = ${tenantId}
      and node_run_outputs.run_id = ${runId}
      and node_key = any(${keys})
      and (${shards ?? null}::int[] is null or shard_index = any(${shards ?? null}))
    order by shard_index nulls first, port, node_run_outputs.position
  `;
}

export function findOutputsOf(db: Db, tenantId: number, nodeRunIds: number[]) {
  return db<Omit<OutputRow, 'node_key' | 'shard_index'>[]>`
    select node_run_id, port, position, name, renamed_from, media_type, object_id, size_bytes,
      checksum_sha256
    from node_run_outputs
    where tenant_id = ${tenantId} and node_run_id = any(${nodeRunIds})
    order by node_run_id, port, position
  `;
}

export function findInputFiles(db: Db, tenantId: number, runId: number) {
  return db<InputFileRow[]>`
    select id, cog_id, input_name, position, name, media_type, object_id, size_bytes, checksum_sha256
    from run_files
    where tenant_id = ${tenantId} and run_id = ${runId} and direction = 'input'
    order by input_name, position
  `;
}

export function endRun(
  tx: Db,
  tenantId: number,
  runId: number,
  status: RunOutcome,
  progress: number,
  errorMessage: string | null,
) {
  // A run whose nodes were all skipped or reused still passes through `running`.
  return tx`
    update workflow_runs
    set status = ${status},
        progress_percentage = greatest(progress_percentage, ${progress}),
        error_message = ${errorMessage},
        started_at = coalesce(started_at, now()),
        finished_at = now()
    where tenant_id = ${tenantId} and id = ${runId}
  `;
}

/** The failures that a run's message speaks of: the first of each node. */
export function findFirstFailures(db: Db, tenantId: number, runId: number) {
  return db<NodeRunRow[]>`
    select distinct on (node_key) *
    from node_runs
    where tenant_id = ${tenantId} and run_id = ${runId} and status = 'failure'
    order by node_key, finished_at, shard_index
  `;
}

/** Ends everything of the run that has not started. @returns the node and number of each. */
export async function endWaiting(
  tx: Db,
  tenantId: number,
  runId: number,
  status: 'cancelled' | 'skipped',
  reason: SkipReason | null,
) {
  await tx`delete from ready_queue where tenant_id = ${tenantId} and run_id = ${runId}`;
  return tx<{ node_key: string; count: number }[]>`
    with ended as (
      update node_runs
      set status = ${status}, skip_reason = ${reason}, finished_at = now()
      where tenant_id = ${tenantId} and run_id = ${runId} and status in ('pending', 'queued')
      returning node_key
    )
    select node_key, count(*) as count from ended group by node_key
  `;
}

/** Asks the workers to stop what they run of it; they learn with their next heartbeat. */
export function requestStop(tx: Db, tenantId: number, runId: number) {
  return tx`
    with live as (
      select id
      from attempts
      where tenant_id = ${tenantId} and run_id = ${runId} and status in ('leased', 'running')
      order by id
      for update
    )
    update attempts
    set cancel_requested_at = coalesce(cancel_requested_at, now())
    from live
    where attempts.id = live.id
  `;
}
