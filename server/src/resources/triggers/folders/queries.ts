/** SQL of files that arrive in folders with triggers. */
import type { Db } from '../../../db/connection.ts';
import { walkUp } from '../../permissions/access.ts';
import { type FolderRow, inTurns, isRested, type TriggerKey, triggerColumns } from '../queries.ts';

export type Arrival = {
  tenant_id: number;
  cog_id: number;
  /** Of a folder: what is in it up to here has arrived. */
  after_created_at?: string;
  after_id?: number;
};

/** Takes the oldest arrivals that nobody else is working on. */
export const takeArrivals = (tx: Db, limit: number) => tx<Arrival[]>`
  delete from arrivals
  where id in (select id from arrivals order by id limit ${limit} for update skip locked)
  returning tenant_id, cog_id, after_created_at, after_id
`;

/** A cog in a folder with a trigger. */
export type Arrived = {
  tenant_id: number;
  cog_id: number;
  trigger_id: number;
  /** Undefined for a folder. */
  version?: number;
  mime_type?: string;
  media_types?: string[];
  /** Of the run that made the file, if a trigger of a folder started it. */
  chain: number;
};

/** For which triggers these arrived. What a run of a trigger has made does not arrive for it. */
export const findArrived = (tx: Db, arrivals: readonly Arrival[]) => tx<Arrived[]>`
  select cogs.tenant_id, cogs.id as cog_id, cogs.version, cogs.mime_type, trigger.id as trigger_id,
    trigger.media_types, coalesce(maker.chain, 0) as chain
  from unnest(
    ${arrivals.map(({ tenant_id }) => tenant_id)}::bigint[],
    ${arrivals.map(({ cog_id }) => cog_id)}::bigint[]
  ) as arrived (tenant_id, cog_id)
  cross join lateral (
    select cogs.* from cogs
    where cogs.tenant_id = arrived.tenant_id and cogs.id = arrived.cog_id
      and cogs.deleted_at is null
    offset 0
  ) as cogs
  cross join lateral ${walkUp(
    tx,
    { tenant_id: tx`arrived.tenant_id`, user_id: tx`null::bigint` },
    tx`cogs.parent_id`,
  )} as above
  join triggers as trigger
    on trigger.tenant_id = arrived.tenant_id and trigger.type = 'folder' and trigger.enabled
    and trigger.folder_id = any(above.ids)
    and (trigger.recursive or trigger.folder_id = cogs.parent_id and cogs.cog_type = 'file')
  left join lateral (
    select run.trigger_id, run.chain
    from run_files as made
    join workflow_runs as run on run.tenant_id = made.tenant_id and run.id = made.run_id
    where made.object_id = cogs.object_id and made.tenant_id = cogs.tenant_id
      and made.direction = 'output'
    limit 1
  ) as maker on true
  where above.is_alive and maker.trigger_id is distinct from trigger.id
`;

/**
 * Of what is in each of these folders, so many arrive as well. A folder that holds more arrives
 * again, for those after them.
 */
export const addArrivalsIn = (tx: Db, folders: readonly Arrival[], most: number) => tx`
  with inside as (
    select folder.tenant_id, folder.id as folder_id, inside.*
    from unnest(
      ${folders.map(({ tenant_id }) => tenant_id)}::bigint[],
      ${folders.map(({ cog_id }) => cog_id)}::bigint[],
      ${folders.map(({ after_created_at }) => after_created_at ?? '-infinity')}::timestamptz[],
      ${folders.map(({ after_id }) => after_id ?? 0)}::bigint[]
    ) as folder (tenant_id, id, after_created_at, after_id)
    cross join lateral (
      select cogs.id, cogs.created_at
      from cogs
      where cogs.tenant_id = folder.tenant_id and cogs.parent_id = folder.id
        and cogs.deleted_at is null
        and (cogs.created_at, cogs.id) > (folder.after_created_at, folder.after_id)
      order by cogs.tenant_id, cogs.parent_id, cogs.created_at, cogs.id
      limit ${most}
    ) as inside
  )
  insert into arrivals (tenant_id, cog_id, after_created_at, after_id)
  select tenant_id, id, null, null from inside
  union all
  select last.*
  from (
    select distinct on (tenant_id, folder_id) tenant_id, folder_id, created_at, id
    from inside
    order by tenant_id, folder_id, created_at desc, id desc
  ) as last
  where (select count(*) from inside where inside.folder_id = last.folder_id) = ${most}
`;

export type NewTriggerFile = Pick<Arrived, 'tenant_id' | 'trigger_id' | 'cog_id' | 'chain'> & {
  version: number;
  state: 'waiting' | 'passed';
};

/**
 * A version that came before, for example before it was moved away and back, stays as it is. Earlier ones that wait
 * for nothing are forgotten: they never come again.
 */
export const addTriggerFiles = (tx: Db, files: readonly NewTriggerFile[]) => tx`
  with arrived as (
    select distinct on (file.trigger_id, file.cog_id, file.version) file.*
    from unnest(
      ${files.map(({ tenant_id }) => tenant_id)}::bigint[],
      ${files.map(({ trigger_id }) => trigger_id)}::bigint[],
      ${files.map(({ cog_id }) => cog_id)}::bigint[],
      ${files.map(({ version }) => version)}::int[],
      ${files.map(({ chain }) => chain)}::int[],
      ${files.map(({ state }) => state)}::text[]
    ) as file (tenant_id, trigger_id, cog_id, version, chain, state)
  ),
  forgotten as (
    delete from trigger_files as earlier
    using arrived
    where earlier.tenant_id = arrived.tenant_id and earlier.trigger_id = arrived.trigger_id
      and earlier.cog_id = arrived.cog_id and earlier.version < arrived.version
      and earlier.state <> 'waiting'
  )
  insert into trigger_files (tenant_id, trigger_id, cog_id, version, chain, state)
  select * from arrived
  on conflict (trigger_id, cog_id, version) do nothing
`;

/** For so many times its debounce time a trigger waits at most while files keep coming. */
const mostWaits = 10;

/** Triggers whose files have waited long enough. */
export const findReady = (db: Db, limit: number) => db<FolderRow[]>`
  select ${triggerColumns(db)}
  from triggers as trigger
  cross join lateral (
    select arrived_at as at from trigger_files
    where trigger_id = trigger.id and state = 'waiting'
    order by arrived_at
    limit 1
  ) as first
  cross join lateral (
    select arrived_at as at from trigger_files
    where trigger_id = trigger.id and state = 'waiting'
    order by arrived_at desc
    limit 1
  ) as last
  where trigger.type = 'folder' and trigger.enabled
    and ${isRested(db)}
    and (
      last.at <= clock_timestamp() - trigger.debounce_seconds * interval '1 second'
      or first.at
        <= clock_timestamp() - ${mostWaits} * trigger.debounce_seconds * interval '1 second'
    )
  order by ${inTurns(db, db`first.at`)}
  limit ${limit}
`;

export type WaitingFile = { cog_id: number; version: number; chain: number };

/** The files that wait longest. */
export const findWaiting = (db: Db, { tenant_id, id }: TriggerKey, limit: number) => db<
  WaitingFile[]
>`
  select cog_id, version, chain
  from trigger_files
  where tenant_id = ${tenant_id} and trigger_id = ${id} and state = 'waiting'
  order by arrived_at, cog_id
  limit ${limit}
`;

/** Whether all of them wait still. Call with the trigger locked. */
export async function waitStill(
  tx: Db,
  { tenant_id, id }: TriggerKey,
  files: readonly WaitingFile[],
): Promise<boolean> {
  const [row] = await tx<{ count: number }[]>`
    select count(*) as count
    from unnest(
      ${files.map(({ cog_id }) => cog_id)}::bigint[], ${files.map(({ version }) => version)}::int[]
    ) as file (cog_id, version)
    join trigger_files as known
      on known.tenant_id = ${tenant_id} and known.trigger_id = ${id}
      and known.cog_id = file.cog_id and known.version = file.version
    where known.state = 'waiting'
  `;
  return row?.count === files.length;
}

/** The versions that these files have until the transaction ends. */
export const holdVersions = (tx: Db, tenantId: number, cogIds: readonly number[]) => tx<
  { cog_id: number; version: number }[]
>`
  select id as cog_id, version from cogs
  where tenant_id = ${tenantId} and id = any(${cogIds as number[]}::bigint[])
    and cog_type = 'file' and deleted_at is null
  order by id
  for share
`;

/** What became of these versions of files. */
export const endWaiting = (
  tx: Db,
  { tenant_id, id }: TriggerKey,
  files: readonly Pick<WaitingFile, 'cog_id' | 'version'>[],
  runId?: number,
) => tx`
  insert into trigger_files (tenant_id, trigger_id, cog_id, version, state, run_id)
  select ${tenant_id}, ${id}, file.cog_id, file.version, ${runId === undefined ? 'passed' : 'started'},
    ${runId ?? null}
  from unnest(
    ${files.map(({ cog_id }) => cog_id)}::bigint[], ${files.map(({ version }) => version)}::int[]
  ) as file (cog_id, version)
  on conflict (trigger_id, cog_id, version) do update
  set state = excluded.state, run_id = excluded.run_id
  where trigger_files.state = 'waiting'
`;

export const setChain = (tx: Db, { tenant_id }: TriggerKey, runId: number, chain: number) =>
  tx`update workflow_runs set chain = ${chain} where tenant_id = ${tenant_id} and id = ${runId}`;

/** First try again after five seconds, at last after an hour. */
export const retryLater = (tx: Db, { tenant_id, id }: TriggerKey) => tx`
  update triggers
  set retry_at = clock_timestamp() + least(5 * 2 ^ refusals, 3600) * interval '1 second'
  where tenant_id = ${tenant_id} and id = ${id}
`;

/** Whoever turns it off does not want what waits. */
export const dropWaiting = (tx: Db, { tenant_id, id }: TriggerKey) => tx`
  update trigger_files set state = 'passed'
  where tenant_id = ${tenant_id} and trigger_id = ${id} and state = 'waiting'
`;
