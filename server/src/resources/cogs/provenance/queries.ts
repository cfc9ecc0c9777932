/** SQL of provenance: contents, the runs that made or took them, and the files of these runs. */
import type { RunStatus } from '@cogworks/graph/statuses';
import type { Db } from '../../../db/connection.ts';
import { pageOf } from '../../../db/page-of.ts';
import { isVersionChanged } from '../../../engine/tables/runs.ts';
import type { Page } from '../../../pages.ts';
import type { InputRange, NodeRunRange } from './sources.ts';

export type ContentRow = {
  version: number;
  is_current: boolean;
  stored_by: number;
  stored_at: string;
  restored_from?: number;
  copied_from?: number;
  copied_from_version?: number;
  /** Whether an older file has the same bytes, and not as a recorded copy. */
  is_shared: boolean;
  /** Of the result file whose bytes these are, if a run made them. */
  made_cog_id?: number;
  run_id?: number;
  node_run_id?: number;
  node_key?: string;
};

/** A content of a file, and the run whose result its bytes are. Of several, the file's own first. */
export async function findContent(
  db: Db,
  tenantId: number,
  id: number,
  version: number | undefined,
): Promise<ContentRow | undefined> {
  const [row] = await db<ContentRow[]>`
    select
      content.version, content.is_current, content.stored_by, content.stored_at,
      content.restored_from, content.copied_from, content.copied_from_version,
      content.version = 1 and exists (
        select from cogs as older
        where older.tenant_id = ${tenantId} and older.object_id = content.object_id
          and older.id < ${id} and older.copied_from is null
      ) as is_shared,
      made.cog_id as made_cog_id, made.run_id, made.node_run_id, made.node_key
    from (
      select
        version, object_id, true as is_current, coalesce(stored_by, owner_id) as stored_by,
        coalesce(stored_at, created_at) as stored_at, restored_from, copied_from,
        copied_from_version
      from cogs
      where tenant_id = ${tenantId} and id = ${id}
      union all
      select
        version, object_id, false, stored_by, stored_at, restored_from, copied_from,
        copied_from_version
      from file_versions
      where tenant_id = ${tenantId} and cog_id = ${id}
    ) as content
    left join lateral (
      select *
      from (
        -- A range in the order of the index, whatever is known of the table: the runs that the
        -- bytes went into are not read. Each restart that took the result over has a row.
        select id, cog_id, run_id, node_run_id, node_key
        from run_files
        where (object_id, direction) >= (content.object_id, 'output')
          and (object_id, direction) <= (content.object_id, 'output')
          and tenant_id = ${tenantId}
        order by object_id, direction, id
        limit 1000
      ) as result
      order by cog_id = ${id} desc, id
      limit 1
    ) as made on true
    where ${version === undefined ? db`content.is_current` : db`content.version = ${version}`}
  `;
  return row;
}

/** What is told of a run, and what its plan is found by. */
export type RunRow = {
  workflow_run_id: number;
  is_deleted: boolean;
  status: RunStatus;
  test_run: boolean;
  started_by: number;
  trigger_id?: number;
  created_at: string;
  finished_at?: string;
  workflow_id: number;
  workflow_name: string;
  is_workflow_deleted: boolean;
  workflow_version_id: number;
  version_number: number;
  version_state: 'draft' | 'published' | 'archived';
  until?: string;
  tenant_id: number;
  graph_hash: Uint8Array;
};

/** Requires `run`, a row of workflow_runs, in scope. */
const runColumns = (db: Db) => db`
  run.id as workflow_run_id, run.deleted_at is not null as is_deleted, run.status, run.test_run,
  run.started_by, run.trigger_id, run.created_at, run.finished_at, run.workflow_id,
  workflow.name as workflow_name, workflow.deleted_at is not null as is_workflow_deleted,
  run.workflow_version_id, version.version_number, version.state as version_state, run.until,
  run.tenant_id, run.graph_hash
`;

/** By key ("offset 0"): as joins, planned while tables were small, they would be read in full. */
const withWorkflow = (db: Db) => db`
  cross join lateral (
    select name, deleted_at
    from workflows
    where workflows.tenant_id = run.tenant_id and workflows.id = run.workflow_id
    offset 0
  ) as workflow
  cross join lateral (
    select version_number, state, graph_hash
    from workflow_versions
    where workflow_versions.tenant_id = run.tenant_id
      and workflow_versions.id = run.workflow_version_id
    offset 0
  ) as version
`;

export type MakerRow = RunRow & {
  extra_variables: Record<string, unknown>;
  restarted_from_run_id?: number;
  is_version_changed?: boolean;
  /** See the view run_nodes. */
  first_ids: number[];
  shard_index?: number;
  computed_in_run_id?: number;
};

/** The run of a node run, deleted or not, and the run whose result that node run took over. */
export async function findMaker(
  db: Db,
  tenantId: number,
  runId: number,
  nodeRunId: number,
): Promise<MakerRow | undefined> {
  const [row] = await db<MakerRow[]>`
    with recursive reused as (
      select id, run_id, shard_index, reused_from_node_run_id, 0 as distance
      from begun_node_runs
      where id = ${nodeRunId} and tenant_id = ${tenantId}
      union all
      select earlier.id, earlier.run_id, earlier.shard_index, earlier.reused_from_node_run_id,
        reused.distance + 1
      from reused
      cross join lateral (
        select * from begun_node_runs where id = reused.reused_from_node_run_id offset 0
      ) as earlier
    )
    select
      ${runColumns(db)}, run.extra_variables, run.restarted_from_run_id, run.first_ids,
      ${isVersionChanged(db)} as is_version_changed,
      (select shard_index from reused where distance = 0) as shard_index,
      (select run_id from reused order by distance desc limit 1) as computed_in_run_id
    from workflow_runs as run
    ${withWorkflow(db)}
    where run.tenant_id = ${tenantId} and run.id = ${runId}
  `;
  return row;
}

/** A file as a run recorded it. */
type RecordedFile = {
  id: number;
  cog_id: number;
  name: string;
  media_type: string;
  size_bytes: number;
  checksum_sha256: string;
};

/** The version of an input; of one from before it was recorded, the newest with the same bytes. */
const pinnedVersion = (db: Db) => db`
  coalesce(
    file.version,
    (
      select cogs.version from cogs
      where cogs.tenant_id = file.tenant_id and cogs.id = file.cog_id
        and cogs.object_id = file.object_id
    ),
    (
      select max(earlier.version) from file_versions as earlier
      where earlier.tenant_id = file.tenant_id and earlier.cog_id = file.cog_id
        and earlier.object_id = file.object_id
    )
  ) as version
`;

export type InputRow = RecordedFile & {
  input_name: string;
  position: number;
  version?: number;
  is_stored: boolean;
};

type RunName = { tenant_id: number; id: number };

/** Input files of a run in these ranges, by input and position, from the start of the page. */
export async function findInputs(
  db: Db,
  { tenant_id, id }: RunName,
  ranges: readonly InputRange[],
  { after, offset, limit, with_total }: Page,
) {
  const [input = '', place = -1] = after ?? [];
  const wanted = db`
    unnest(
      ${ranges.map(({ input_name }) => input_name)}::text[],
      ${ranges.map(({ first }) => first)}::int[], ${ranges.map(({ last }) => last)}::int[]
    ) as wanted (input_name, first, last)
  `;
  const ordered = db`
    select file.id, file.cog_id, file.input_name, file.position, file.name, file.media_type,
      file.size_bytes, file.checksum_sha256, file.object_id is not null as is_stored,
      ${pinnedVersion(db)}
    from ${wanted}
    cross join lateral (
      select *
      from run_files
      where run_files.tenant_id = ${tenant_id} and run_files.run_id = ${id}
        and run_files.direction = 'input' and run_files.input_name = wanted.input_name
        and run_files.position between wanted.first and wanted.last
        and (run_files.input_name, run_files.position) > (${input}::text, ${place}::int)
      order by run_files.position
      limit ${limit + offset}
    ) as file
    order by file.input_name, file.position
  `;
  const rows = await db<InputRow[]>`${pageOf(db, { limit, offset }, ordered)}`;
  if (!with_total) return { rows };
  // The positions of an input have no gaps, so that the last one tells how many there are.
  const [count] = await db<{ total: number }[]>`
    select coalesce(sum(last.position - wanted.first + 1), 0) as total
    from ${wanted}
    cross join lateral (
      select position
      from run_files
      where run_files.tenant_id = ${tenant_id} and run_files.run_id = ${id}
        and run_files.direction = 'input' and run_files.input_name = wanted.input_name
        and run_files.position between wanted.first and wanted.last
      order by run_files.position desc
      limit 1
    ) as last
  `;
  return { rows, total: count?.total ?? 0 };
}

export type UseRow = RunRow & { input_name: string; position: number; version?: number };

/**
 * The runs that a file went into, newest first.
 *
 * @param runId only this one.
 */
export async function findUses(
  db: Db,
  tenantId: number,
  cogId: number,
  { after, offset, limit, with_total }: Page,
  runId?: number,
) {
  const uses = db`
    run_files.tenant_id = ${tenantId} and run_files.cog_id = ${cogId}
    and run_files.direction = 'input'
    ${runId === undefined ? db`` : db`and run_files.run_id = ${runId}`}
  `;
  const ordered = db`
    select run_files.*
    from run_files
    where ${uses} ${after === undefined ? db`` : db`and run_files.run_id < ${Number(after[0])}`}
    order by run_files.run_id desc
  `;
  const rows = await db<UseRow[]>`
    with file as materialized (${pageOf(db, { limit, offset }, ordered)})
    select ${runColumns(db)}, file.input_name, file.position, ${pinnedVersion(db)}
    from file
    cross join lateral (
      select *
      from workflow_runs
      where workflow_runs.tenant_id = file.tenant_id and workflow_runs.id = file.run_id
      offset 0
    ) as run
    ${withWorkflow(db)}
    order by run.id desc
  `;
  if (!with_total) return { rows };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total from run_files where ${uses}
  `;
  return { rows, total: count?.total ?? 0 };
}

export type MadeRow = RecordedFile & { run_id: number; node_run_id: number; node_key: string };

/** SQL fragment: results of the node runs of `range`, from the start of a page. */
const resultsOf = (db: Db, tenantId: number, after: Page['after'], limit: number) => db`
  select id, run_id, node_run_id, node_key, cog_id, name, media_type, size_bytes, checksum_sha256
  from run_files
  where run_files.tenant_id = ${tenantId} and run_files.direction = 'output'
    and run_files.node_run_id between range.first and range.last
    and (run_files.node_run_id, run_files.id)
      > (${Number(after?.[0] ?? 0)}::bigint, ${Number(after?.[1] ?? 0)}::bigint)
  order by run_files.node_run_id, run_files.id
  limit ${limit}
`;

const rangesAs = (db: Db, ranges: readonly NodeRunRange[]) => db`
  unnest(
    ${ranges.map(({ first }) => first)}::bigint[], ${ranges.map(({ last }) => last)}::bigint[]
  ) as range (first, last)
`;

/** Results of these node runs. */
export async function findMadeFiles(
  db: Db,
  tenantId: number,
  ranges: readonly NodeRunRange[],
  { after, offset, limit, with_total }: Page,
) {
  const ordered = db`
    select made.*
    from ${rangesAs(db, ranges)}
    cross join lateral (${resultsOf(db, tenantId, after, limit + offset)}) as made
    order by made.node_run_id, made.id
  `;
  const rows = await db<MadeRow[]>`${pageOf(db, { limit, offset }, ordered)}`;
  if (!with_total) return { rows };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total
    from ${rangesAs(db, ranges)}
    cross join lateral (
      select from run_files
      where run_files.tenant_id = ${tenantId} and run_files.direction = 'output'
        and run_files.node_run_id between range.first and range.last
    ) as made
  `;
  return { rows, total: count?.total ?? 0 };
}

/** The first results of these node runs, at most `most` for each run. */
export const findFirstMadeFiles = (
  db: Db,
  tenantId: number,
  ranges: readonly NodeRunRange[],
  most: number,
) => db<MadeRow[]>`
  select id, run_id, node_run_id, node_key, cog_id, name, media_type, size_bytes, checksum_sha256
  from (
    select made.*, row_number() over (
      partition by made.run_id order by made.node_run_id, made.id
    ) as place
    from ${rangesAs(db, ranges)}
    cross join lateral (${resultsOf(db, tenantId, undefined, most)}) as made
  ) as made
  where place <= ${most}
  order by run_id, node_run_id, id
`;
