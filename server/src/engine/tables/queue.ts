/** SQL of the queue: node runs that are ready and wait for a worker. */
import type { Resources } from '@cogworks/graph/resources';
import type { Db } from '../../db/connection.ts';
import type { Candidate } from '../queue/choose.ts';
import type { NodeRunRow, RunRow } from '../records.ts';
import { type CountedSlots, tenantSlots, withTenant, workflowSlots } from './caps.ts';
import type { CountedCredits } from './credits.ts';

export type QueueRow = {
  row: Pick<NodeRunRow, 'id' | 'tenant_id' | 'run_id'>;
  workflow_id: number;
  priority: RunRow['priority'];
  run_account_id: number | undefined;
  needs: Resources & { egress: boolean };
  delay_ms: number;
};

/** The band by priority; lower bands go first. */
export const bandOf = (priority: RunRow['priority']): number =>
  ({ high: 0, normal: 1, low: 2 })[priority];

export function addToQueue(tx: Db, rows: readonly QueueRow[]) {
  return tx`
    insert into ready_queue
      (node_run_id, tenant_id, workflow_id, run_id, band, not_before, is_paused, cpu, memory_mb,
       gpu, disk_mb, egress, run_account_id)
    select node_run_id, tenant_id, workflow_id, run_id, band,
           now() + make_interval(secs => delay_ms / 1000), delay_ms > 0, cpu, memory_mb, gpu, disk_mb, egress,
           run_account_id
    from unnest(
      ${rows.map(({ row }) => row.id)}::bigint[],
      ${rows.map(({ row }) => row.tenant_id)}::bigint[],
      ${rows.map(({ workflow_id }) => workflow_id)}::bigint[],
      ${rows.map(({ row }) => row.run_id)}::bigint[],
      ${rows.map(({ priority }) => bandOf(priority))}::int[],
      ${rows.map(({ delay_ms }) => delay_ms)}::float8[],
      ${rows.map(({ needs }) => needs.cpu)}::real[],
      ${rows.map(({ needs }) => needs.memory_mb)}::int[],
      ${rows.map(({ needs }) => needs.gpu)}::int[],
      ${rows.map(({ needs }) => needs.disk_mb)}::int[],
      ${rows.map(({ needs }) => needs.egress)}::boolean[],
      ${rows.map(({ run_account_id }) => run_account_id ?? null)}::bigint[]
    ) as new (node_run_id, tenant_id, workflow_id, run_id, band, delay_ms, cpu, memory_mb, gpu,
              disk_mb, egress, run_account_id)
  `;
}

/** The channel on which rounds of all processes listen. */
export const workChannel = 'work';

/** Notifies all processes, with the commit, that there may be work. */
export const tellOfWork = (tx: Db) => tx`select tell(${workChannel}, '')`;

/** Notifies all processes but the sender at once. */
export const tellOthersOfWork = (db: Db, who: string) =>
  db`select pg_notify(${workChannel}, ${who})`;

export const removeFromQueue = (tx: Db, nodeRunIds: readonly number[]) =>
  tx`delete from ready_queue where node_run_id = any(${nodeRunIds}::bigint[])`;

/** Ends pauses after failed attempts whose time is over. */
export const endPauses = (tx: Db) =>
  tx`
    update ready_queue
    set is_paused = false
    where node_run_id in (
      select node_run_id
      from ready_queue
      where is_paused and not_before <= now()
      order by not_before
      limit 1000
      for update skip locked
    )
  `;

/** Maximum number of candidates, besides one or two for each workflow and kind of need. */
const mostCandidates = 1000;

/** Rows of the queue that belong to the front in scope. */
const inFront = (tx: Db) => tx`
  not is_paused and tenant_id = fronts.tenant_id and needs = fronts.needs
    and workflow_id = fronts.workflow_id
`;

const firstOf = (tx: Db, each: number) => tx`
  (
    select * from ready_queue where ${inFront(tx)} order by band, run_id, node_run_id limit ${each}
  )
`;

/**
 * The first of each run, and few of those that pay for themselves: however many of these can pay for no more, and
 * however much waits in each, the work behind them is found.
 */
const firstOfRuns = (tx: Db, each: number, without: readonly number[]) => tx`
  (
    with recursive runs as (
      (
        select band, run_id, run_account_id
        from ready_queue
        where ${inFront(tx)}
        order by band, run_id
        limit 1
      )
      union all
      select next.*
      from runs
      cross join lateral (
        select band, run_id, run_account_id
        from ready_queue
        where ${inFront(tx)} and (band, run_id) > (runs.band, runs.run_id)
        order by band, run_id
        limit 1
      ) as next
    )
    select first.*
    from runs
    cross join lateral (
      select *
      from ready_queue
      where ${inFront(tx)} and band = runs.band and run_id = runs.run_id
      order by node_run_id
      limit case when runs.run_account_id is null then ${each}::int else 2 end
    ) as first
    where runs.run_id <> all(${without}::bigint[])
  )
`;

/**
 * The front of the queue: the first `each` of each workflow and kind of need, or fewer if there are
 * many of these. The index skips from one to the next, so the length of each does not matter; a
 * thousand tenants cost 9 ms. Under a cap one more than can start is read, so that it is known to wait.
 *
 * @param without runs to leave out. If there are some, the first `each` of every other run are read.
 * @param freeing how many slots may become free in this round.
 */
export function findCandidates(tx: Db, each: number, without: readonly number[], freeing: number) {
  return tx<(Candidate & CountedSlots & CountedCredits)[]>`
    with recursive fronts as (
      select tenant_id, needs, workflow_id, ${tenantSlots(tx)} as tenant_slots,
        ${workflowSlots(tx)} as workflow_slots, credit_account_id as tenant_account_id
      from (
        select tenant_id, needs, workflow_id
        from ready_queue
        where not is_paused
        order by tenant_id, needs, workflow_id
        limit 1
      ) as work
      ${withTenant(tx)}
      union all
      select work.tenant_id, work.needs, work.workflow_id,
        case work.tenant_id when fronts.tenant_id then tenant_slots else ${tenantSlots(tx)} end,
        ${workflowSlots(tx)}, credit_account_id
      from fronts
      cross join lateral (
        select tenant_id, needs, workflow_id
        from ready_queue
        where not is_paused
          and (tenant_id, needs, workflow_id) > (fronts.tenant_id, fronts.needs, fronts.workflow_id)
        order by tenant_id, needs, workflow_id
        limit 1
      ) as work
      ${withTenant(tx)}
    )
    select waiting.*, tenant_slots, workflow_slots, tenant_account_id, tenant_credits,
      open_credits(run_account_id) as run_credits
    from (
      select *, count(*) over () as many, open_credits(tenant_account_id) as tenant_credits
      from fronts
    ) as fronts
    cross join lateral (
      select node_run_id, tenant_id, workflow_id, run_id, run_account_id, band, cpu, memory_mb, gpu,
        disk_mb, egress,
        extract(epoch from now() - not_before)::float8 * 1000 as waited_ms,
        array(
          select worker_id from attempts
          where attempts.node_run_id = first.node_run_id and status = 'lost'
        ) as lost_workers
      from ${without.length === 0 ? firstOf(tx, each) : firstOfRuns(tx, each, without)} as first
      -- Slots are null without a cap, which is ignored, and -1 while they cannot be counted.
      limit least(
        1 + ${mostCandidates} / fronts.many,
        2 + tenant_slots + ${freeing}::int, 2 + workflow_slots + ${freeing}::int
      )
    ) as waiting
  `;
}

/** Locks these node runs and their queue rows, except those locked or taken by others. */
export const lockQueued = (tx: Db, nodeRunIds: readonly number[]) =>
  tx<NodeRunRow[]>`
    with locked as (
      select node_run_id
      from ready_queue
      where node_run_id = any(${nodeRunIds}::bigint[])
      order by node_run_id
      for update skip locked
    )
    select begun.*
    from locked
    join begun_node_runs as begun on begun.id = locked.node_run_id
    where begun.status = 'queued'
  `;

/** The total resources that each of these tenants has running. */
export const findLoads = (tx: Db, tenants: readonly number[]) =>
  tx<{ tenant_id: number; cpu: number; memory_mb: number; gpu: number }[]>`
    select tenant_id, sum(cpu)::float8 as cpu, sum(memory_mb)::float8 as memory_mb, sum(gpu) as gpu
    from attempts
    where tenant_id = any(${tenants}::bigint[]) and status in ('leased', 'running')
    group by tenant_id
  `;

export type WorkerFacts = {
  id: number;
  tenant_id?: number;
  epoch?: number;
  desired_state: string;
  features: string[];
  capacity: Resources;
};

/** Locks workers that ask for work, so that their free capacity is not assigned twice. */
export const lockWorkers = (tx: Db, ids: readonly number[]) =>
  tx<WorkerFacts[]>`
    select id, tenant_id, epoch, desired_state, features, capacity
    from workers
    where id = any(${ids}::bigint[]) and deleted_at is null
    order by id
    for no key update
  `;

/**
 * What the live attempts of workers use. A separate statement after their locks: one that has
 * waited for a lock sees other rows as of before the wait.
 */
export const findHeldBy = (tx: Db, workerIds: readonly number[]) =>
  tx<(Resources & { worker_id: number })[]>`
    select worker_id, sum(cpu)::float8 as cpu, sum(memory_mb) as memory_mb, sum(gpu) as gpu,
           sum(disk_mb) as disk_mb
    from attempts
    where worker_id = any(${workerIds}::bigint[]) and status in ('leased', 'running')
    group by worker_id
  `;
