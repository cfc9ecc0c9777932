/** SQL of outputs and result files. */
import type { Db } from '../db/connection.ts';
import type { OutputRow, RunHead } from './records.ts';

type NewOutput = Pick<
  OutputRow,
  'port' | 'position' | 'name' | 'media_type' | 'object_id' | 'size_bytes' | 'checksum_sha256'
> & { renamed_from?: string | undefined };

export function addOutputs(
  tx: Db,
  tenantId: number,
  runId: number,
  nodeRunId: number,
  outputs: NewOutput[],
) {
  return tx`
    insert into node_run_outputs
      (tenant_id, run_id, node_run_id, port, position, name, renamed_from, media_type, object_id,
       size_bytes, checksum_sha256)
    select ${tenantId}, ${runId}, ${nodeRunId}, *
    from unnest(
      ${outputs.map((output) => output.port)}::text[],
      ${outputs.map((output) => output.position)}::int[],
      ${outputs.map((output) => output.name)}::text[],
      ${outputs.map((output) => output.renamed_from ?? null)}::text[],
      ${outputs.map((output) => output.media_type)}::text[],
      ${outputs.map((output) => output.object_id)}::bigint[],
      ${outputs.map((output) => output.size_bytes)}::bigint[],
      ${outputs.map((output) => output.checksum_sha256)}::text[]
    )
  `;
}

type ResultFile = Omit<NewOutput, 'port' | 'position' | 'renamed_from'> & {
  cog_id: number;
  node_run_id: number;
};

export function addResultFiles(
  tx: Db,
  tenantId: number,
  runId: number,
  nodeKey: string,
  files: ResultFile[],
) {
  return tx`
    insert into run_files
      (tenant_id, run_id, direction, node_key, status, cog_id, node_run_id, name, media_type,
       object_id, size_bytes, checksum_sha256)
    select ${tenantId}, ${runId}, 'output', ${nodeKey}, 'success', *
    from unnest(
      ${files.map((file) => file.cog_id)}::bigint[],
      ${files.map((file) => file.node_run_id)}::bigint[],
      ${files.map((file) => file.name)}::text[],
      ${files.map((file) => file.media_type)}::text[],
      ${files.map((file) => file.object_id)}::bigint[],
      ${files.map((file) => file.size_bytes)}::bigint[],
      ${files.map((file) => file.checksum_sha256)}::text[]
    )
  `;
}

export async function findWorkflowName(
  db: Db,
  tenantId: number,
  workflowId: number,
): Promise<string> {
  const [row] = await db<{ name: string }[]>`
    select name from workflows where tenant_id = ${tenantId} and id = ${workflowId}
  `;
  return row?.name ?? 'Workflow';
}

export function setOutputFolder(
  tx: Db,
  tenantId: number,
  runId: number,
  folderId: number,
  fallback: RunHead['output_fallback'],
) {
  return tx`
    update workflow_runs
    set output_folder_id = ${folderId},
        output_fallback = coalesce(${fallback ?? null}, output_fallback)
    where tenant_id = ${tenantId} and id = ${runId}
  `;
}

/** Where the bytes of objects are. */
export async function findObjectKeys(
  db: Db,
  tenantId: number,
  ids: number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db<{ id: number; key: string }[]>`
    select id, key from objects where tenant_id = ${tenantId} and id = any(${ids})
  `;
  return new Map(rows.map((row) => [row.id, row.key]));
}
