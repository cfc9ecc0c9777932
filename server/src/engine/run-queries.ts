/** SQL of runs as a whole: accepting and cancelling. */
import type { Graph } from '@cogworks/graph/types';
import type { Db } from '../db/connection.ts';
import type { RunRow } from './records.ts';

export type NewRun = {
  tenant_id: number;
  workflow_id: number;
  workflow_version_id: number;
  graph: Graph;
  extra_variables: Record<string, unknown>;
  started_by: number;
  test_run: boolean;
  priority: RunRow['priority'];
  on_failure: RunRow['on_failure'];
  output_parent_id?: number | undefined;
  restarted_from_run_id?: number;
  restart_mode?: 'failed' | 'all';
  restart_touched?: string[];
};

export async function addRun(tx: Db, run: NewRun): Promise<RunRow> {
  const [row] = await tx<RunRow[]>`
    insert into workflow_runs
      (tenant_id, workflow_id, workflow_version_id, graph, extra_variables, started_by, test_run,
       priority, on_failure, output_parent_id, restarted_from_run_id, restart_mode, restart_touched)
    values
      (${run.tenant_id}, ${run.workflow_id}, ${run.workflow_version_id}, ${tx.json(run.graph)},
       ${tx.json(run.extra_variables)}, ${run.started_by}, ${run.test_run}, ${run.priority},
       ${run.on_failure}, ${run.output_parent_id ?? null}, ${run.restarted_from_run_id ?? null},
       ${run.restart_mode ?? null}, ${run.restart_touched ?? null})
    returning id, tenant_id, workflow_id, workflow_version_id, status, extra_variables, started_by,
      test_run, priority, on_failure, output_parent_id, restarted_from_run_id, restart_mode,
      restart_touched, progress_percentage, created_at
  `;
  if (!row) throw new Error('The run was not added.');
  // As it went in: to read megabytes back would hold up everybody.
  return { ...row, graph: run.graph };
}

export type NewInputFile = {
  cog_id: number;
  input_name: string;
  position: number;
  name: string;
  media_type: string;
  object_id: number;
  size_bytes: number;
  checksum_sha256: string;
};

/** Pins the files of a run to the bytes they have now. */
export function addInputFiles(tx: Db, tenantId: number, runId: number, files: NewInputFile[]) {
  return tx`
    insert into run_files
      (tenant_id, run_id, direction, status, cog_id, input_name, position, name, media_type,
       object_id, size_bytes, checksum_sha256)
    select ${tenantId}, ${runId}, 'input', 'pending', *
    from unnest(
      ${files.map((file) => file.cog_id)}::bigint[],
      ${files.map((file) => file.input_name)}::text[],
      ${files.map((file) => file.position)}::int[],
      ${files.map((file) => file.name)}::text[],
      ${files.map((file) => file.media_type)}::text[],
      ${files.map((file) => file.object_id)}::bigint[],
      ${files.map((file) => file.size_bytes)}::bigint[],
      ${files.map((file) => file.checksum_sha256)}::text[]
    )
  `;
}

export function markCancelRequested(
  tx: Db,
  tenantId: number,
  runId: number,
  reason: string | undefined,
) {
  return tx`
    update workflow_runs
    set cancel_requested_at = now(), cancel_reason = ${reason ?? null}
    where tenant_id = ${tenantId} and id = ${runId}
  `;
}

export function markSuperseded(tx: Db, tenantId: number, runId: number, by: number) {
  return tx`
    update workflow_runs
    set superseded_by_run_id = ${by}
    where tenant_id = ${tenantId} and id = ${runId}
  `;
}
