/** SQL of runs as clients read them. Only the engine writes them. */
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { Tag } from '../../db/statement.ts';
import type { NodeRunRow, RunRow } from '../../engine/records.ts';
import { reportedOfRun } from '../../engine/tables/attempts.ts';
import { isVersionChanged } from '../../engine/tables/runs.ts';
import { type Page, pageBytes } from '../../pages.ts';
import type { ByteRange } from '../../storage/storage.ts';
import type { Waiting } from './queue-reason.ts';
import type { Attempt } from './schema.ts';

export type RunFilter = {
  status?: string;
  workflow_id?: number;
  trigger_id?: number;
  started_by?: number;
};

/** The columns of a run, apart from its contents. */
const head = (db: Tag) => db`
  id, tenant_id, workflow_id, workflow_version_id, status, error_message, extra_variables,
  started_by, trigger_id, test_run, priority, on_failure, output_parent_id, output_folder_id,
  output_fallback, keep_results, results_removed_at, restarted_from_run_id, superseded_by_run_id,
  restart_mode, restart_touched, until, reuse_from_run_id,
  cancel_requested_at, created_at, started_at, finished_at, max_credits::float8 as max_credits
`;

export type RunHead = Omit<RunRow, 'graph_hash' | 'progress_percentage'>;

export async function findRunHead(
  db: Tag,
  tenantId: number,
  id: number,
): Promise<RunHead | undefined> {
  const [run] = await db<RunHead[]>`
    select ${head(db)}
    from workflow_runs
    where tenant_id = ${tenantId} and id = ${id} and deleted_at is null
  `;
  return run;
}

/** @returns undefined where that is not known, see `isVersionChanged`. */
export async function findIsVersionChanged(
  db: Db,
  tenantId: number,
  runId: number,
): Promise<boolean | undefined> {
  const [row] = await db<{ is_changed?: boolean }[]>`
    select ${isVersionChanged(db)} as is_changed
    from workflow_runs as run
    join workflow_versions as version
      on version.tenant_id = run.tenant_id and version.id = run.workflow_version_id
    where run.tenant_id = ${tenantId} and run.id = ${runId}
  `;
  return row?.is_changed;
}

/** The graph of a run as JSON text, and the ids of the definitions it uses. */
export async function findRunGraph(db: Db, tenantId: number, runId: number) {
  const [row] = await db<{ json: string; definition_ids: number[] }[]>`
    select graph::text as json, definition_ids
    from workflow_runs as run
    join run_graphs as stored on stored.tenant_id = run.tenant_id and stored.hash = run.graph_hash
    where run.tenant_id = ${tenantId} and run.id = ${runId}
  `;
  if (!row) throw new Error(`Run ${runId} is gone; nothing removes one.`);
  return row;
}

export async function listRunRows(
  db: Db,
  tenantId: number,
  { status, workflow_id, trigger_id, started_by }: RunFilter,
  { after, offset, limit, with_total }: Page,
) {
  const whole = { column: db`tenant_id`, asked: tenantId };
  const filters = [
    { column: db`trigger_id`, asked: trigger_id },
    { column: db`workflow_id`, asked: workflow_id },
    { column: db`started_by`, asked: started_by },
  ].flatMap(({ column, asked }) => (asked === undefined ? [] : [{ column, asked }]));
  const [{ column: key, asked: value } = whole, ...others] = [...filters, whole];
  // The index to read along is named by a range of one value and an order that begins with it. For
  // equal values the planner knows that the order is that of the ids alone; then, for a tenant or
  // workflow without runs of late, it went through the runs of all tenants.
  const wanted = db`
    ${key} >= ${value} and ${key} <= ${value} and deleted_at is null
    ${others.reduce((sql, { column, asked }) => db`${sql} and ${column} = ${asked}`, db``)}
    ${status === undefined ? db`` : db`and status = ${status} ${amongFew(db, status)}`}
  `;
  // Newest first, because users nearly always look for recent runs.
  const ordered = db`
    select ${head(db)}, octet_length(extra_variables::text) as bytes
    from workflow_runs
    where ${wanted}
      ${after === undefined ? db`` : db`and (${key}, id) < (${value}, ${Number(after[0])})`}
    order by ${key} desc, id desc
  `;
  // Variables of a run may take a megabyte, so a page ends when they reach `pageBytes`.
  const page = await db<(RunHead & { found: number })[]>`
    with page as (${pageOf(db, { limit, offset }, ordered)}),
    sized as (
      select *, sum(bytes) over (order by id desc) - bytes as bytes_before, count(*) over () as found
      from page
    )
    select ${head(db)}, found
    from sized
    where bytes_before < ${pageBytes}
    order by id desc
  `;
  const more = (page[0]?.found ?? 0) > page.length;
  const rows = page.map(({ found: _, ...row }): RunHead => row);
  if (!with_total) return { rows, more };
  const [count] = await db<
    { total: number }[]
  >`select count(*) as total from workflow_runs where ${wanted}`;
  return { rows, more, total: count?.total ?? 0 };
}

/** The condition of the partial index that holds runs of that status. Most runs succeed, and need none. */
function amongFew(db: Db, status: string) {
  if (status === 'success') return db``;
  return status === 'queued' || status === 'running'
    ? db`and status in ('queued', 'running')`
    : db`and status in ('failure', 'partial_success', 'cancelled')`;
}

export type NodeRunWithReason = NodeRunRow &
  Waiting & {
    node_definition_id: number;
    position: number;
    max_attempts: number;
    cog_id?: number;
  };

/** Only node runs of one node, or in one lane. */
export type NodeRunFilter = { node_key?: string; shard_index?: number };

/**
 * Node runs in topological order, then by lane, with the data queue-reason.ts needs. `page` has
 * the columns of the view `run_lanes`. The view `node_runs` would be computed in full for each page.
 */
export async function listNodeRunRows(
  db: Db,
  tenantId: number,
  runId: number,
  { node_key, shard_index }: NodeRunFilter,
  { after, offset, limit, with_total }: Page,
) {
  const [position = -1, , id = 0] = (after ?? []) as number[];
  const ofNode = node_key === undefined ? db`` : db`and node.node_key = ${node_key}`;
  const from = db`
    case when node.position = ${position}::int then ${id}::bigint - node.first_id + 1 else 0 end
  `;
  const lanes =
    shard_index === undefined
      ? db`select generate_series(${from}, node.expected - 1) as lane limit ${limit + offset}`
      : db`
        select lane from (values (${shard_index}::bigint)) as one (lane)
        where node.mapped and lane between ${from} and node.expected - 1
      `;
  const ordered = db`
    select node.*, lane
    from run_nodes as node
    cross join lateral (${lanes}) as lanes
    where node.tenant_id = ${tenantId} and node.run_id = ${runId} and node.first_id > 0
      and node.position >= ${position}::int ${ofNode}
    order by node.position, lane
  `;
  const rows = await db<NodeRunWithReason[]>`
    with page as materialized (${pageOf(db, { limit, offset }, ordered)}),
    node_runs as (
      select node_run.*
      from page
      cross join lateral node_run_of(page::run_lanes) as node_run
    )
    select node_runs.*,
      case
        when node_runs.status = 'pending' then 'an earlier step is not done yet'
        when node_runs.status <> 'queued' then null
        when ready_queue.not_before > now() then null
        when not exists (
          select from workers
          where deleted_at is null and desired_state = 'active'
            and (tenant_id is null or tenant_id = node_runs.tenant_id)
            and stopped_at is null and last_heartbeat_at > now() - interval '60 seconds'
        ) then 'no worker is online'
        when ready_queue.egress and not exists (
          select from workers
          where deleted_at is null and desired_state = 'active'
            and (tenant_id is null or tenant_id = node_runs.tenant_id)
            and stopped_at is null and last_heartbeat_at > now() - interval '60 seconds'
            and features ? 'egress'
        ) then 'no worker online offers network egress'
        when not exists (
          select from workers
          where deleted_at is null and desired_state = 'active'
            and (tenant_id is null or tenant_id = node_runs.tenant_id)
            and stopped_at is null and last_heartbeat_at > now() - interval '60 seconds'
            and (not ready_queue.egress or features ? 'egress')
            and (capacity->>'cpu')::real >= ready_queue.cpu
            and (capacity->>'memory_mb')::int >= ready_queue.memory_mb
            and (capacity->>'gpu')::int >= ready_queue.gpu
            and (capacity->>'disk_mb')::int >= ready_queue.disk_mb
        ) then format(
          'no worker is big enough: needs %s cpu, %s MB memory, %s gpu, %s MB disk',
          ready_queue.cpu, ready_queue.memory_mb, ready_queue.gpu, ready_queue.disk_mb
        )
        else ${reachedCap(db, tenantId, runId)}
      end as queue_reason,
      ready_queue.cpu as needs_cpu, ready_queue.memory_mb as needs_memory_mb,
      ready_queue.gpu as needs_gpu,
      (select credits_left(credit_account_id) from tenants where id = ${tenantId}) as tenant_credits,
      (
        select credits_left(credit_account_id) from workflow_runs
        where tenant_id = ${tenantId} and id = ${runId}
      ) as run_credits,
      case when ready_queue.not_before > now()
        then extract(epoch from ready_queue.not_before - now())::float8
      end as retry_in_seconds,
      last.error_class as last_error_class, last.exit_code as last_exit_code,
      last.error_message as last_error_message
    from node_runs
    left join lateral (
      select * from ready_queue where node_run_id = node_runs.id offset 0
    ) as ready_queue on true
    left join lateral (
      select error_class, exit_code, left(error_message, 1000) as error_message
      from attempts
      where node_run_id = node_runs.id
      order by number desc
      limit 1
    ) as last on node_runs.status = 'queued' and node_runs.attempt > 0
    order by node_runs.position, node_runs.id
  `;
  if (!with_total) return { rows };
  const [count] = await db<{ total: number }[]>`
    select ${shard_index === undefined ? db`sum(expected)` : db`count(*) filter (where mapped and expected > ${shard_index})`} as total
    from run_nodes as node
    where tenant_id = ${tenantId} and run_id = ${runId} and first_id > 0 ${ofNode}
  `;
  return { rows, total: count?.total ?? 0 };
}

/**
 * SQL fragment: which cap the run's work waits for; null if none. It names no other table of the
 * statement, so that it is computed once, not for each row.
 */
const reachedCap = (db: Db, tenantId: number, runId: number) => db`
  coalesce(
    (
      select format('the workflow limit is reached: %s at once', max_running)
      from workflow_runs as run
      join workflows on workflows.tenant_id = run.tenant_id and workflows.id = run.workflow_id
      where run.tenant_id = ${tenantId} and run.id = ${runId} and max_running <= (
        select count(*) from attempts
        where attempts.tenant_id = run.tenant_id and attempts.workflow_id = run.workflow_id
          and attempts.status in ('leased', 'running')
      )
    ),
    (
      select format('the tenant limit is reached: %s at once', max_running_node_runs)
      from tenants
      where id = ${tenantId} and max_running_node_runs <= (
        select count(*) from attempts
        where tenant_id = tenants.id and status in ('leased', 'running')
      )
    )
  )
`;

/** The files that became of outputs. The bytes tell which: each output has an object of its own. */
export const findResultsOf = (db: Db, tenantId: number, nodeRunIds: readonly number[]) =>
  db<{ node_run_id: number; object_id: number; cog_id: number }[]>`
    select node_run_id, object_id, cog_id
    from run_files
    where tenant_id = ${tenantId} and direction = 'output'
      and node_run_id = any(${nodeRunIds}::bigint[]) and object_id is not null
  `;

/** Attempts of each node run that are told. */
const mostAttempts = 20;

/** The newest attempts of node runs, in their order. */
export const findAttempts = (db: Db, tenantId: number, nodeRunIds: readonly number[]) =>
  db<(Attempt & { node_run_id: number })[]>`
    select attempt.*
    from unnest(${nodeRunIds}::bigint[]) as ids (id)
    cross join lateral (
      select node_run_id, number, status, worker_id, leased_at, started_at, finished_at, exit_code,
        error_class, left(error_message, 300) as error_message
      from attempts
      where tenant_id = ${tenantId} and node_run_id = ids.id
      order by number desc
      limit ${mostAttempts}
    ) as attempt
    order by attempt.node_run_id, attempt.number
  `;

export type RunProgress = Pick<RunRow, 'status' | 'progress_percentage'> & {
  node_keys: string[];
  node_counts: number[];
  /** The sum of the fractions that a node's running node runs reported, by position. */
  reported: Record<string, number>;
};

/** Everything progress is computed from, in one statement. */
export async function findProgress(
  db: Db,
  tenantId: number,
  runId: number,
): Promise<RunProgress | undefined> {
  const [row] = await db<RunProgress[]>`
    select run.status, run.progress_percentage::float8 as progress_percentage, graph.node_keys,
      run.node_counts,
      ${reportedOfRun(db)} as reported
    from workflow_runs as run
    join run_graphs as graph on graph.tenant_id = run.tenant_id and graph.hash = run.graph_hash
    where run.tenant_id = ${tenantId} and run.id = ${runId} and run.deleted_at is null
  `;
  return row;
}

export function markRunDeleted(db: Db, tenantId: number, runId: number) {
  return db`
    with deleted as (
      update workflow_runs
      -- Of a test whose results are gone already, what is known of them is still there.
      set deleted_at = now(), outputs_removed_at = null
      where tenant_id = ${tenantId} and id = ${runId}
      returning tenant_id, id
    ),
    told as (
      insert into run_events (tenant_id, run_id, run, is_last)
      select tenant_id, id, jsonb_build_object('id', id, 'deleted', true)::text, true from deleted
    )
    select tell('run_events', '')
  `;
}

/** Whether the run has this node run, begun or not. */
export async function hasNodeRun(db: Db, tenantId: number, runId: number, nodeRunId: number) {
  const found = await db`
    select from run_nodes
    where tenant_id = ${tenantId} and run_id = ${runId}
      and ${nodeRunId} between first_id and first_id + expected - 1
  `;
  return found.length > 0;
}

/** The newest attempt of a node run. */
export async function findNewestAttempt(db: Db, tenantId: number, nodeRunId: number) {
  const [row] = await db<{ id: number; finished_at?: string; logs_removed_at?: string }[]>`
    select id, finished_at, logs_removed_at
    from attempts
    where tenant_id = ${tenantId} and node_run_id = ${nodeRunId}
    order by number desc
    limit 1
  `;
  return row;
}

/** How many bytes of a log there are by now; pieces follow each other without gaps. */
export async function findLogSize(db: Db, tenantId: number, attemptId: number): Promise<number> {
  const [last] = await db<{ size: number }[]>`
    select start_offset + length(bytes) as size
    from attempt_logs
    where tenant_id = ${tenantId} and attempt_id = ${attemptId}
    order by start_offset desc
    limit 1
  `;
  return last?.size ?? 0;
}

/** The first pieces of a log that have bytes of this range. */
export function findLogPieces(
  db: Db,
  { tenant_id, id }: { tenant_id: number; id: number },
  { start, end }: ByteRange,
  limit: number,
) {
  const ofLog = db`tenant_id = ${tenant_id} and attempt_id = ${id}`;
  return db<{ start_offset: number; bytes: Uint8Array }[]>`
    select start_offset, bytes
    from attempt_logs
    where ${ofLog} and start_offset <= ${end} and start_offset >= (
      select start_offset
      from attempt_logs
      where ${ofLog} and start_offset <= ${start}
      order by start_offset desc
      limit 1
    )
    order by start_offset
    limit ${limit}
  `;
}
