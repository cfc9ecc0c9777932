/** SQL of the times at which files were changed on clients' machines. */
import type { Db } from '../../db/connection.ts';
import type { Tag } from '../../db/statement.ts';

export type TimeRow = { cog_id: number; version: number; modified_at: string };

export const findTimes = (db: Tag, tenantId: number, ids: readonly number[]) => db<TimeRow[]>`
  select cog_id, version, modified_at
  from dav_times
  where tenant_id = ${tenantId} and cog_id = any(${ids}::bigint[])
`;

/** @param seconds since 1970 */
export const setTime = (
  tx: Db,
  tenantId: number,
  { id, version }: { id: number; version: number },
  seconds: number,
) => tx`
  insert into dav_times (tenant_id, cog_id, version, modified_at)
  values (${tenantId}, ${id}, ${version}, to_timestamp(${seconds}))
  on conflict (tenant_id, cog_id)
  do update set version = excluded.version, modified_at = excluded.modified_at
`;

/** Where the content of one file became that of another, as this version. */
export const copyTime = (
  tx: Db,
  tenantId: number,
  fromId: number,
  { id, version }: { id: number; version: number },
) => tx`
  insert into dav_times (tenant_id, cog_id, version, modified_at)
  select dav_times.tenant_id, ${id}, ${version}, dav_times.modified_at
  from dav_times
  join cogs on cogs.id = dav_times.cog_id and cogs.version = dav_times.version
  where dav_times.tenant_id = ${tenantId} and dav_times.cog_id = ${fromId}
  on conflict (tenant_id, cog_id)
  do update set version = excluded.version, modified_at = excluded.modified_at
`;
