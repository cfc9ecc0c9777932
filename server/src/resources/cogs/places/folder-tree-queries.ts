/** SQL of many folders at once: one level of a tree per statement. */
import type { Db } from '../../../db/connection.ts';
import { grantingMakers, ownGrant, type WalkRow, withOwnGrant } from '../../permissions/access.ts';

export type WantedFolder = {
  parent_id: number;
  name: string;
  /** How many levels of folders are to be below it. */
  levels: number;
  /** Whether its maker gets a grant on it. */
  granted: boolean;
};

type Maker = { tenant_id: number; user_id: number };

/** Adds those of the folders that do not exist. */
export function addFolders(
  tx: Db,
  { tenant_id, user_id }: Maker,
  folders: readonly WantedFolder[],
) {
  return tx`
    with wanted as materialized (
      select *
      from unnest(
        ${folders.map(({ parent_id }) => parent_id)}::bigint[],
        ${folders.map(({ name }) => name)}::text[],
        ${folders.map(({ levels }) => levels)}::int[],
        ${folders.map(({ granted }) => granted)}::boolean[]
      ) as wanted (parent_id, name, levels, granted)
    ),
    added as (
      insert into cogs (tenant_id, parent_id, name, cog_type, owner_id, levels_below)
      select ${tenant_id}, parent_id, name, 'asset_folder', ${user_id}, levels
      from wanted
      -- One order for all: a concurrent insert of several waits at the first name and cannot
      -- deadlock.
      order by parent_id, name collate "C"
      on conflict (tenant_id, parent_id, name) where deleted_at is null do nothing
      returning id, owner_id, parent_id, name
    )
    ${grantingMakers(
      tx,
      tenant_id,
      tx`(select id, owner_id from added join wanted using (parent_id, name) where granted)`,
    )}
  `;
}

/** A child of a folder; `deciding` is the user's grant on itself. */
export type Child = Omit<WalkRow, 'depth'> & {
  /** Of a file. */
  size_bytes?: number;
  checksum_sha256?: string;
  /** Index of the request, from 1. */
  place: number;
};

/** The existing children of these names, locked against deletion. */
export function holdChildren(
  tx: Db,
  who: Maker & { role: 'admin' | 'member' },
  wanted: readonly { parent_id: number; name: string }[],
) {
  return tx<Child[]>`
    select
      wanted.place, cogs.id, cogs.parent_id, cogs.cog_type, cogs.owner_id, cogs.purpose,
      cogs.size_bytes, ${ownGrant(tx)} as deciding,
      (
        select objects.checksum_sha256
        from objects
        where objects.tenant_id = ${who.tenant_id} and objects.id = cogs.object_id
      ) as checksum_sha256
    from unnest(
      ${wanted.map(({ parent_id }) => parent_id)}::bigint[],
      ${wanted.map(({ name }) => name)}::text[]
    ) with ordinality as wanted (parent_id, name, place)
    cross join lateral (
      select cogs.*
      from cogs
      where cogs.tenant_id = ${who.tenant_id} and cogs.parent_id = wanted.parent_id
        and cogs.name = wanted.name and cogs.deleted_at is null
      offset 0
      for key share
    ) as cogs
    ${withOwnGrant(tx, who)}
  `;
}

/**
 * Raises the bounds of these folders, and of all above the one that has the others below it. Rows
 * are locked from the bottom up, see `raiseLevelsAbove`.
 */
export const raiseLevels = (
  tx: Db,
  tenantId: number,
  topId: number,
  folders: readonly { id: number; levels: number; depth: number }[],
) => tx`
  with recursive above as (
    select id, levels, depth, id = ${topId} as is_top
    from unnest(
      ${folders.map(({ id }) => id)}::bigint[], ${folders.map(({ levels }) => levels)}::int[],
      ${folders.map(({ depth }) => depth)}::int[]
    ) as folder (id, levels, depth)
    union all
    select higher.parent_id, above.levels + 1, above.depth - 1, true
    from above
    -- By key ("offset 0"), whatever the size of the table when the plan is made.
    cross join lateral (
      select cogs.parent_id
      from cogs
      where cogs.tenant_id = ${tenantId} and cogs.id = above.id
      offset 0
    ) as higher
    -- No cog is this deep: even if there were a loop, the walk would end here.
    where above.is_top and higher.parent_id is not null and above.levels < 128
  ),
  lower as (
    select cogs.id, above.levels
    from above
    join cogs on cogs.id = above.id
    where cogs.levels_below < above.levels
    order by above.depth desc, cogs.id
    for no key update of cogs
  )
  update cogs
  set levels_below = greatest(levels_below, lower.levels)
  from lower
  where cogs.id = lower.id
`;
