/** SQL of runs and of their graphs. */
import type { Graph } from '@cogworks/graph/types';
import type { Db } from '../../db/connection.ts';
import { writtenCounters } from '../kernel/counters.ts';
import type { RunState } from '../kernel/state.ts';
import type { ChosenNodeRun, RunRow } from '../records.ts';
import { tenantAccount } from './credits.ts';

export type StoredRun = RunRow & {
  /** See kernel/counters.ts. */
  node_counts: number[];
  first_ids: number[];
  /** The database's time. */
  now: string;
};

const columns = (db: Db) => db`
  id, tenant_id, workflow_id, workflow_version_id, status, error_message, graph_hash,
  extra_variables, started_by, trigger_id, test_run, priority, on_failure, output_parent_id,
  output_folder_id, output_fallback, keep_results, results_removed_at, restarted_from_run_id,
  superseded_by_run_id, restart_mode, restart_touched, restart_only, restart_failures, until, reuse_from_run_id,
  cancel_requested_at, cancel_reason, waiting_ended_as,
  progress_percentage::float8 as progress_percentage, created_at, started_at, finished_at,
  max_credits::float8 as max_credits, credit_account_id
`;

const withCounters = (db: Db) => db`${columns(db)}, node_counts, first_ids, now() as now`;

/**
 * Locks these runs and those of these attempts. Every change of a run happens under this lock. Runs
 * already locked are skipped: no transaction waits for a run, so there are no deadlocks.
 */
export const lockRuns = (tx: Db, runIds: readonly number[], attemptIds: readonly number[]) =>
  tx<StoredRun[]>`
    select ${withCounters(tx)}
    from workflow_runs
    where id = any(
      ${runIds}::bigint[] || array(select run_id from attempts where id = any(${attemptIds}::bigint[]))
    )
    order by id
    for update skip locked
  `;

/** Reads runs without locking them; a run that is being restarted no longer changes. */
export const findStoredRuns = (db: Db, runIds: readonly number[]) =>
  db<StoredRun[]>`
    select ${withCounters(db)} from workflow_runs where id = any(${runIds}::bigint[])
  `;

export async function findRun(db: Db, tenantId: number, id: number): Promise<RunRow | undefined> {
  const [run] = await db<RunRow[]>`
    select ${columns(db)}
    from workflow_runs
    where tenant_id = ${tenantId} and id = ${id} and deleted_at is null
  `;
  return run;
}

/**
 * SQL fragment: whether the version of a run does something else by now than what ran; null for a
 * part, whose graph is another one. Requires `run` and `version`, rows of workflow_runs and
 * workflow_versions, in scope.
 */
export const isVersionChanged = (db: Db) => db`
  case
    -- Only drafts are edited.
    when not run.test_run then false
    when run.until is null then version.graph_hash <> encode(run.graph_hash, 'hex') and (
      select logic_of(ran.graph) <> logic_of(edited.graph)
      from run_graphs as ran, workflow_versions as edited
      where ran.tenant_id = run.tenant_id and ran.hash = run.graph_hash
        and edited.tenant_id = run.tenant_id and edited.id = run.workflow_version_id
    )
  end
`;

/** Takes the lock of one run, waiting for it. */
export async function lockRun(tx: Db, id: number): Promise<RunRow | undefined> {
  const [run] = await tx<RunRow[]>`
    select ${columns(tx)} from workflow_runs where id = ${id} for update
  `;
  return run;
}

export type NewRun = Pick<
  RunRow,
  | 'tenant_id'
  | 'workflow_id'
  | 'workflow_version_id'
  | 'graph_hash'
  | 'extra_variables'
  | 'started_by'
  | 'test_run'
  | 'keep_results'
  | 'priority'
  | 'on_failure'
> & {
  output_parent_id?: number | undefined;
  trigger_id?: number;
  restarted_from_run_id?: number;
  restart_mode?: 'failed' | 'all';
  restart_touched?: string[];
  restart_only?: ChosenNodeRun[];
  max_credits?: number | undefined;
  until?: string | undefined;
  reuse_from_run_id?: number | undefined;
};

/**
 * For the new runs of these tenants: an id each, the database's time, and the credits that the tenant
 * has left, if it has a limit.
 */
export const reserveRuns = (tx: Db, tenants: readonly number[]) =>
  tx<{ id: number; now: string; tenant_id: number; credits?: number }[]>`
    select nextval(pg_get_serial_sequence('workflow_runs', 'id')) as id, now() as now, tenant_id,
      credits_left(${tenantAccount(tx)}) as credits
    from unnest(${tenants}::bigint[]) as work (tenant_id)
  `;

/** Adds new runs in their state after the first decision. */
export function addRuns(tx: Db, states: readonly RunState[]) {
  const rows = states.map(({ run, counts, firstIds }) => ({
    ...run,
    graph_hash: `\\x${Buffer.from(run.graph_hash).toString('hex')}`,
    node_counts: writtenCounters(counts),
    first_ids: firstIds,
  }));
  return tx`
    insert into workflow_runs
      (id, tenant_id, workflow_id, workflow_version_id, status, error_message, graph_hash,
       extra_variables, started_by, test_run, keep_results, priority, on_failure, output_parent_id,
       trigger_id, restarted_from_run_id, restart_mode, restart_touched, restart_only,
       restart_failures, until, reuse_from_run_id, waiting_ended_as, progress_percentage, created_at, started_at, finished_at, node_counts, first_ids, max_credits,
       credit_account_id)
    overriding system value
    select
      id, tenant_id, workflow_id, workflow_version_id, status, error_message, graph_hash,
      extra_variables, started_by, test_run, keep_results, priority, on_failure, output_parent_id,
      trigger_id, restarted_from_run_id, restart_mode, restart_touched, restart_only,
      restart_failures, until, reuse_from_run_id, waiting_ended_as, progress_percentage, created_at, started_at, finished_at, node_counts, first_ids, max_credits,
      credit_account_id
    from jsonb_populate_recordset(null::workflow_runs, ${tx.json(rows)})
  `;
}

/**
 * Writes changed runs: state, times and counters. The first ids of nodes only if lanes were opened:
 * with 2,000 nodes, writing them took half of the statement.
 */
export function updateRuns(tx: Db, states: readonly RunState[]) {
  const column = <Name extends keyof RunRow>(name: Name) =>
    states.map(({ run }) => (run[name] ?? null) as string | null);
  return tx`
    update workflow_runs
    set status = changed.status,
        error_message = changed.error_message,
        cancel_requested_at = changed.cancel_requested_at,
        cancel_reason = changed.cancel_reason,
        waiting_ended_as = changed.waiting_ended_as,
        progress_percentage = greatest(workflow_runs.progress_percentage, changed.progress_percentage),
        started_at = changed.started_at,
        finished_at = changed.finished_at,
        node_counts = changed.node_counts::int[],
        first_ids = coalesce(changed.first_ids::bigint[], workflow_runs.first_ids)
    from unnest(
      ${states.map(({ run }) => run.id)}::bigint[],
      ${column('status')}::text[],
      ${column('error_message')}::text[],
      ${column('cancel_requested_at')}::timestamptz[],
      ${column('cancel_reason')}::text[],
      ${column('waiting_ended_as')}::text[],
      ${states.map(({ run }) => run.progress_percentage)}::numeric[],
      ${column('started_at')}::timestamptz[],
      ${column('finished_at')}::timestamptz[],
      ${states.map(({ counts }) => `{${writtenCounters(counts).join()}}`)}::text[],
      ${states.map(({ changes, firstIds }) => (changes.opened ? `{${firstIds.join()}}` : null))}::text[]
    ) as changed (id, status, error_message, cancel_requested_at, cancel_reason, waiting_ended_as,
                  progress_percentage, started_at, finished_at, node_counts, first_ids)
    where workflow_runs.id = changed.id
  `;
}

export function markSuperseded(tx: Db, tenantId: number, runId: number, by: number) {
  return tx`
    update workflow_runs
    set superseded_by_run_id = ${by}
    where tenant_id = ${tenantId} and id = ${runId}
  `;
}

export type StoredGraph = {
  tenant_id: number;
  hash: Uint8Array;
  graph: Graph;
  definition_ids: number[];
};

export const findGraphs = (
  db: Db,
  wanted: readonly { tenant_id: number; graph_hash: Uint8Array }[],
) => db<StoredGraph[]>`
  select graph.tenant_id, hash, graph, definition_ids
  from unnest(
    ${wanted.map(({ tenant_id }) => tenant_id)}::bigint[],
    ${wanted.map(({ graph_hash }) => graph_hash)}::bytea[]
  ) as wanted (tenant_id, graph_hash)
  join run_graphs as graph
    on graph.tenant_id = wanted.tenant_id and graph.hash = wanted.graph_hash
`;

/** Stores a graph, unless the tenant has it already. */
export function addGraph(
  tx: Db,
  {
    tenant_id,
    hash,
    text,
    nodes,
  }: {
    tenant_id: number;
    hash: Uint8Array;
    /** The graph as JSON text. */
    text: string;
    /** In topological order. `lane_input`: the input of the graph whose files its lanes are. */
    nodes: readonly { key: string; definition_id: number; mapped: boolean; lane_input?: string }[];
  },
) {
  return tx`
    insert into run_graphs (tenant_id, hash, graph, node_keys, definition_ids, mapped, lane_inputs)
    values (
      ${tenant_id}, ${hash}, ${text}::text::jsonb,
      ${nodes.map(({ key }) => key)}::text[],
      ${nodes.map(({ definition_id }) => definition_id)}::bigint[],
      ${nodes.map(({ mapped }) => mapped)}::boolean[],
      ${nodes.map(({ lane_input }) => lane_input ?? null)}::text[]
    )
    on conflict do nothing
  `;
}
