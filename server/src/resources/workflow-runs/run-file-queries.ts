/** SQL of the files of runs, as clients see them. */
import type { RunFileStatus } from '@cogworks/graph/statuses';
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { Page } from '../../pages.ts';

export type Direction = 'input' | 'output';

export type RunFileRow = {
  id: number;
  cog_id: number;
  direction: Direction;
  input_name?: string;
  position?: number;
  node_key?: string;
  name: string;
  size_bytes: number;
  checksum_sha256: string;
  status: RunFileStatus;
};

type RunName = { tenant_id: number; id: number };

/** The sort keys of a row, for the cursor of the next page. */
export const keysOfFile = ({ direction, input_name = '', position = -1, id }: RunFileRow) => [
  ...[direction, input_name, position, id],
];

/**
 * Files of a run: inputs by name and position, then outputs in order of creation. Each kind is read
 * along its index, from the start of the page.
 */
export async function listFileRows(
  db: Db,
  { tenant_id, id: run_id }: RunName,
  direction: Direction | undefined,
  { after, offset, limit, with_total }: Page,
) {
  const [before = 'input', input = '', place = -1, id = 0] = after ?? [];
  const wantsInputs = direction !== 'output' && before === 'input';
  const wantsOutputs = direction !== 'input';
  const columns = db`
    id, cog_id, direction, input_name, position, node_key, name, size_bytes, checksum_sha256, status
  `;
  const inputs = db`
    select ${columns}
    from run_files
    where ${wantsInputs}::boolean and tenant_id = ${tenant_id} and run_id = ${run_id}
      and direction = 'input' and (input_name, position) > (${input}::text, ${place}::int)
    order by input_name, position
  `;
  const outputs = db`
    select ${columns}
    from run_files
    where ${wantsOutputs}::boolean and tenant_id = ${tenant_id} and run_id = ${run_id}
      and direction = 'output' and id > ${before === 'output' ? id : 0}::bigint
    order by id
  `;
  const upToPage = { limit: limit + offset, offset: 0 };
  const ordered = db`
    select *
    from (
      (${pageOf(db, upToPage, inputs)})
      union all
      (${pageOf(db, upToPage, outputs)})
    ) as file
    order by direction, input_name, position, id
  `;
  const rows = await db<RunFileRow[]>`${pageOf(db, { limit, offset }, ordered)}`;
  if (!with_total) return { rows };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total
    from run_files
    where tenant_id = ${tenant_id} and run_id = ${run_id}
      and direction = any(${direction ? [direction] : ['input', 'output']}::text[])
  `;
  return { rows, total: count?.total ?? 0 };
}

export type LaneSummary = {
  waiting: boolean;
  started: boolean;
  failures: number;
  cancelled: number;
  skipped: number;
  total: number;
  error_message?: string;
};

const words = (db: Db) => db`
  node_run.node_key || ': '
    || coalesce(node_run.error_message, 'exit code ' || node_run.exit_code, node_run.error_class)
`;

/** The outcomes of these lanes over these nodes, and the first failure of each lane. */
export const summariseLanes = (
  db: Db,
  { tenant_id, id }: RunName,
  keys: readonly string[],
  lanes: readonly number[],
) => db<(LaneSummary & { lane: number })[]>`
  select place.lane,
    bool_or(node_run.status in ('pending', 'queued', 'running')) as waiting,
    bool_or(node_run.attempt > 0 or node_run.status = 'success') as started,
    count(*) filter (where node_run.status = 'failure') as failures,
    count(*) filter (where node_run.status = 'cancelled') as cancelled,
    count(*) filter (where node_run.status = 'skipped') as skipped,
    count(*) as total,
    (
      array_agg(${words(db)} order by node_run.position) filter (where node_run.status = 'failure')
    )[1] as error_message
  from (
    select node.*, lane
    from run_nodes as node
    cross join unnest(${lanes}::int[]) as lane
    where node.tenant_id = ${tenant_id} and node.run_id = ${id}
      and node.node_key = any(${keys}::text[]) and node.first_id > 0
  ) as place
  cross join lateral node_run_of(place::run_lanes) as node_run
  group by place.lane
`;

/** The combined outcome of all node runs of the run. */
export async function summariseRun(db: Db, { tenant_id, id }: RunName): Promise<LaneSummary> {
  const [summary] = await db<LaneSummary[]>`
    select
      sum(expected - success - failure - cancelled - skipped_by_condition - skipped_upstream) > 0
        as waiting,
      bool_or(run.started_at is not null) or sum(success) > 0 as started,
      sum(failure) as failures, sum(cancelled) as cancelled,
      sum(skipped_by_condition + skipped_upstream) as skipped, sum(expected) as total,
      (
        select ${words(db)}
        from run_nodes as failed
        join begun_node_runs as node_run
          on node_run.id between failed.first_id and failed.first_id + failed.expected - 1
        where failed.tenant_id = ${tenant_id} and failed.run_id = ${id} and failed.failure > 0
          and node_run.status = 'failure'
        order by failed.position, node_run.id
        limit 1
      ) as error_message
    from run_nodes as node
    join workflow_runs as run on run.id = node.run_id
    where node.tenant_id = ${tenant_id} and node.run_id = ${id} and node.first_id > 0
  `;
  if (!summary) throw new Error('An aggregate gave no row.');
  return summary;
}
