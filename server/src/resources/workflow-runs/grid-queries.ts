/** SQL of the grid of a run. Node runs are found by their ids, which are known without rows. */
import { cellCodes, type NodeRunStatus } from '@cogworks/graph/statuses';
import type { Db } from '../../db/connection.ts';
import { partOfText } from '../../db/part-of-text.ts';
import type { GraphName } from '../../engine/plans.ts';
import type { StoredRun } from '../../engine/tables/runs.ts';

export type GridRun = GraphName &
  Pick<StoredRun, 'id' | 'node_counts' | 'first_ids' | 'waiting_ended_as'>;

type RunName = { tenant_id: number; id: number };

export async function findGridRun(
  db: Db,
  tenantId: number,
  id: number,
): Promise<GridRun | undefined> {
  const [run] = await db<GridRun[]>`
    select id, tenant_id, graph_hash, node_counts, first_ids, waiting_ended_as
    from workflow_runs
    where tenant_id = ${tenantId} and id = ${id} and deleted_at is null
  `;
  return run;
}

/** How many files these inputs of a run have: they are numbered from 0. */
export const countInputFiles = (db: Db, { tenant_id, id }: RunName, inputs: readonly string[]) =>
  db<{ input: string; count: number }[]>`
    select input, coalesce(last.position + 1, 0) as count
    from unnest(${inputs}::text[]) as input
    left join lateral (
      select position
      from run_files
      where tenant_id = ${tenant_id} and run_id = ${id} and direction = 'input'
        and input_name = input
      order by position desc
      limit 1
    ) as last on true
  `;

/** The files that lanes are: of an input of the run, or of one output of a node run. */
export type LaneFiles = { input: string } | { node_run_id: number; port: string };

const filesOf = (db: Db, { tenant_id, id }: RunName, files: LaneFiles) =>
  'input' in files
    ? db`
      select position, cog_id, name
      from run_files
      where tenant_id = ${tenant_id} and run_id = ${id} and direction = 'input'
        and input_name = ${files.input}
    `
    : db`
      select position, null::bigint as cog_id, name
      from node_run_outputs
      where tenant_id = ${tenant_id} and node_run_id = ${files.node_run_id}
        and port = ${files.port}
    `;

export const findLaneNames = (
  db: Db,
  run: RunName,
  files: LaneFiles,
  lanes: readonly number[],
) => db<{ position: number; cog_id?: number; name: string }[]>`
  select * from (${filesOf(db, run, files)}) as file where position = any(${lanes}::int[])
`;

/** With the first ids of the nodes that may have it; `waits`: also node runs without a row. */
export type WantedStatus = { is: NodeRunStatus; waits: boolean; first_ids: readonly number[] };

/** A text in the names of these files. */
export type WantedName = { part: string; files: LaneFiles };

export type LaneFilter =
  | { status: WantedStatus; name: WantedName | undefined }
  | { status: undefined; name: WantedName };

/** Lanes from `first` to `last`, and of those that are wanted the first `most`. */
type Stretch = { first: number; last: number; most: number };

/** The lanes that the filter wants, in order. */
export async function findLanes(
  db: Db,
  run: RunName,
  { status, name }: LaneFilter,
  { first, last, most }: Stretch,
): Promise<number[]> {
  const lanes =
    status === undefined
      ? db`
        select position as lane
        from (${filesOf(db, run, name.files)}) as file
        where position between ${first}::int and ${last}::int
          and name ilike ${partOfText(name.part)}
      `
      : db`
        select lane
        from (${withStatus(db, status, { first, last, most: name ? null : most })}) as found
        ${name === undefined ? db`` : db`where ${isNamed(db, run, name)}`}
      `;
  const rows = await db<{ lane: number }[]>`${lanes} order by lane limit ${most}`;
  return rows.map(({ lane }) => lane);
}

const isNamed = (db: Db, run: RunName, { part, files }: WantedName) => db`
  exists (
    select from (${filesOf(db, run, files)}) as file
    where position = lane and name ilike ${partOfText(part)}
    offset 0
  )
`;

/**
 * Lanes of these nodes with a node run of that status; of each node the first `most`. "offset 0"
 * has each row looked up by key, so that no more is read than that takes.
 */
const withStatus = (
  db: Db,
  { is, waits, first_ids }: WantedStatus,
  { first, last, most }: Omit<Stretch, 'most'> & { most: number | null },
) => db`
  select distinct lane
  from unnest(${first_ids}::bigint[]) as node (first_id)
  cross join lateral (
    (
      select id - node.first_id as lane
      from begun_node_runs
      where id between node.first_id + ${first}::int and node.first_id + ${last}::int
        and status = ${is}
      order by id
      limit ${most}::int
    )
    union all
    (
      select lane
      from (select generate_series(${first}::bigint, ${last}::bigint) as lane) as series
      where ${waits}::boolean and not exists (
        select from begun_node_runs where id = node.first_id + lane offset 0
      )
      limit ${most}::int
    )
  ) as lanes
`;

export type Cells = Pick<StoredRun, 'node_counts' | 'waiting_ended_as'> & { cells: string[] };

/**
 * The counters of a run and the cells of these rows, at one moment: a letter for each of `nodes`
 * that is of the row's group, in their order.
 */
export async function findCells(
  db: Db,
  { tenant_id, id }: RunName,
  nodes: readonly { group: number; first_id: number }[],
  rows: readonly { group: number; lane: number }[],
): Promise<Cells> {
  const [found] = await db<Cells[]>`
    select node_counts, waiting_ended_as,
      array(
        select (
          select coalesce(string_agg(coalesce(begun.code, ${codeOfWaiting(db)}), '' order by place), '')
          from unnest(
            ${nodes.map(({ group }) => group)}::int[],
            ${nodes.map(({ first_id }) => first_id)}::bigint[]
          ) with ordinality as node (of_group, first_id, place)
          left join lateral (
            select ${codeOfBegun(db)} as code
            from begun_node_runs
            where begun_node_runs.id = node.first_id + grid_row.lane
            offset 0
          ) as begun on true
          where node.of_group = grid_row.of_group
        )
        from unnest(
          ${rows.map(({ group }) => group)}::int[], ${rows.map(({ lane }) => lane)}::int[]
        ) with ordinality as grid_row (of_group, lane, number)
        order by number
      ) as cells
    from workflow_runs as run
    where run.tenant_id = ${tenant_id} and run.id = ${id}
  `;
  if (!found) throw new Error(`Run ${id} is gone; nothing removes one.`);
  return found;
}

const codeOfBegun = (db: Db) => db`
  case status
    when 'queued' then ${cellCodes.queued}
    when 'running' then ${cellCodes.running}
    when 'success' then
      case when reused_from_node_run_id is null then ${cellCodes.success} else ${cellCodes.reused} end
    when 'failure' then ${cellCodes.failure}
    when 'cancelled' then ${cellCodes.cancelled}
    when 'skipped' then
      case when skip_reason in ('condition_false', 'upstream_skipped')
        then ${cellCodes.skipped_by_condition} else ${cellCodes.skipped_upstream}
      end
  end
`;

/** Of a node run without a row. */
const codeOfWaiting = (db: Db) => db`
  case run.waiting_ended_as
    when 'cancelled' then ${cellCodes.cancelled}
    when 'run_aborted' then ${cellCodes.skipped_upstream}
    else ${cellCodes.pending}
  end
`;
