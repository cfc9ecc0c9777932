/** SQL of node runs' inputs and outputs: pinned inputs, outputs, result files. */
import type { Db } from '../../db/connection.ts';
import type { NewOutput } from '../kernel/changes.ts';
import { toldRun } from '../kernel/events.ts';
import type { InputFileRow, OutputRow, RunRow } from '../records.ts';

export type NewInputFile = Omit<InputFileRow, 'id'>;

/** Pins the files of runs to their current bytes. */
export function addInputFiles(
  tx: Db,
  files: readonly (NewInputFile & { tenant_id: number; run_id: number })[],
) {
  const column = <Name extends keyof (typeof files)[number]>(name: Name) =>
    files.map((file) => file[name] ?? null);
  return tx`
    insert into run_files
      (tenant_id, run_id, direction, status, cog_id, input_name, position, name, media_type,
       object_id, size_bytes, checksum_sha256, version)
    select tenant_id, run_id, 'input', 'pending', cog_id, input_name, position, name, media_type,
           object_id, size_bytes, checksum_sha256, version
    from unnest(
      ${column('tenant_id')}::bigint[], ${column('run_id')}::bigint[],
      ${column('cog_id')}::bigint[], ${column('input_name')}::text[], ${column('position')}::int[],
      ${column('name')}::text[], ${column('media_type')}::text[], ${column('object_id')}::bigint[],
      ${column('size_bytes')}::bigint[], ${column('checksum_sha256')}::text[],
      ${column('version')}::int[]
    ) as new (tenant_id, run_id, cog_id, input_name, position, name, media_type, object_id,
              size_bytes, checksum_sha256, version)
  `;
}

export const findInputFiles = (db: Db, tenantId: number, runId: number) =>
  db<InputFileRow[]>`
    select id, cog_id, version, input_name, position, name, media_type, object_id, size_bytes,
      checksum_sha256
    from run_files
    where tenant_id = ${tenantId} and run_id = ${runId} and direction = 'input'
    order by input_name, position
  `;

/** Files of an input of a run, by lane: for these lanes, or all. */
export const findLaneInputs = (
  tx: Db,
  { tenant_id, id }: { tenant_id: number; id: number },
  input: string,
  lanes: readonly number[] | undefined,
) => tx<{ lane: number; name: string; media_type: string; size_bytes: number }[]>`
  select position as lane, name, media_type, size_bytes
  from run_files
  where tenant_id = ${tenant_id} and run_id = ${id} and direction = 'input'
    and input_name = ${input}
    and ${lanes ? tx`position = any(${lanes}::int[])` : tx`true`}
`;

/** The same for one port of a node run. */
export const findLaneOutputs = (
  tx: Db,
  tenantId: number,
  nodeRunId: number,
  port: string,
  lanes: readonly number[] | undefined,
) => tx<{ lane: number; name: string; media_type: string; size_bytes: number }[]>`
  select position as lane, name, media_type, size_bytes
  from node_run_outputs
  where tenant_id = ${tenantId} and node_run_id = ${nodeRunId} and port = ${port}
    and ${lanes ? tx`position = any(${lanes}::int[])` : tx`true`}
`;

/** How many files these node runs have on each port. */
export const countOutputs = (tx: Db, tenantId: number, nodeRunIds: readonly number[]) =>
  tx<{ node_run_id: number; port: string; count: number }[]>`
    select node_run_id, port, count(*) as count
    from node_run_outputs
    where tenant_id = ${tenantId} and node_run_id = any(${nodeRunIds}::bigint[])
    group by node_run_id, port
  `;

export const findOutputsOf = (db: Db, tenantId: number, nodeRunIds: readonly number[]) =>
  db<Omit<OutputRow, 'node_key' | 'shard_index'>[]>`
    select node_run_id, port, position, name, renamed_from, media_type, object_id, size_bytes,
      checksum_sha256
    from node_run_outputs
    where tenant_id = ${tenantId} and node_run_id = any(${nodeRunIds}::bigint[])
    order by node_run_id, port, position
  `;

export function addOutputs(
  tx: Db,
  outputs: readonly (NewOutput & { tenant_id: number; run_id: number })[],
) {
  const column = <Name extends keyof (typeof outputs)[number]>(name: Name) =>
    outputs.map((output) => (output[name] ?? null) as string | null);
  return tx`
    insert into node_run_outputs
      (tenant_id, run_id, node_run_id, port, position, name, renamed_from, media_type, object_id,
       size_bytes, checksum_sha256)
    select * from unnest(
      ${column('tenant_id')}::bigint[], ${column('run_id')}::bigint[],
      ${column('node_run_id')}::bigint[], ${column('port')}::text[], ${column('position')}::int[],
      ${column('name')}::text[], ${column('renamed_from')}::text[], ${column('media_type')}::text[],
      ${column('object_id')}::bigint[], ${column('size_bytes')}::bigint[],
      ${column('checksum_sha256')}::text[]
    )
  `;
}

/** Copies outputs to the node runs that reuse them. No bytes are copied. */
export const copyOutputs = (
  tx: Db,
  copies: readonly { tenant_id: number; run_id: number; id: number; source: number }[],
) => tx`
  insert into node_run_outputs
    (tenant_id, run_id, node_run_id, port, position, name, renamed_from, media_type, object_id,
     size_bytes, checksum_sha256)
  select output.tenant_id, copy.run_id, copy.id, port, position, name, renamed_from, media_type,
    object_id, size_bytes, checksum_sha256
  from unnest(
    ${copies.map(({ tenant_id }) => tenant_id)}::bigint[],
    ${copies.map(({ run_id }) => run_id)}::bigint[],
    ${copies.map(({ id }) => id)}::bigint[],
    ${copies.map(({ source }) => source)}::bigint[]
  ) as copy (tenant_id, run_id, id, source)
  join node_run_outputs as output
    on output.tenant_id = copy.tenant_id and output.node_run_id = copy.source
`;

export type ResultFile = Pick<
  OutputRow,
  'name' | 'media_type' | 'object_id' | 'size_bytes' | 'checksum_sha256' | 'node_run_id'
> & { cog_id: number; node_key: string };

/** With more files than this, clients are told to read the list again. */
const mostFiles = 100;

/** Adds files to a run's results, and an event for its watchers. */
export function addResultFiles(tx: Db, run: RunRow, files: readonly ResultFile[]) {
  const column = <Name extends keyof ResultFile>(name: Name) => files.map((file) => file[name]);
  return tx`
    with added as (
      insert into run_files
        (tenant_id, run_id, direction, status, node_key, cog_id, node_run_id, name, media_type,
         object_id, size_bytes, checksum_sha256)
      select ${run.tenant_id}, ${run.id}, 'output', 'success', *
      from unnest(
        ${column('node_key')}::text[], ${column('cog_id')}::bigint[],
        ${column('node_run_id')}::bigint[], ${column('name')}::text[],
        ${column('media_type')}::text[], ${column('object_id')}::bigint[],
        ${column('size_bytes')}::bigint[], ${column('checksum_sha256')}::text[]
      )
      returning id, cog_id, direction, node_key, name, size_bytes, checksum_sha256, status
    )
    insert into run_events (tenant_id, run_id, run, details)
    select ${run.tenant_id}::bigint, ${run.id}::bigint, ${JSON.stringify(toldRun(run))},
      case
        when count(*) > ${mostFiles} then 'reset {"reason":"many_changes"}'
        else string_agg('run_file ' || row_to_json(added)::text, E'\\n' order by id)
      end
    from added
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

export const setOutputFolder = (
  tx: Db,
  tenantId: number,
  runId: number,
  folderId: number,
  fallback: 'no_right' | 'folder_gone' | undefined,
) => tx`
  update workflow_runs
  set output_folder_id = ${folderId},
      output_fallback = coalesce(${fallback ?? null}, output_fallback)
  where tenant_id = ${tenantId} and id = ${runId}
`;
