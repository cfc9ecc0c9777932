/**
 * SQL of the levels of folders below each folder. An upper bound is stored with the folder: raised at
 * once when something is put below it, lowered only when it is in the way.
 */
import type { Db } from '../../../db/connection.ts';

/** The upper bounds stored with these cogs. */
export const findLevelsBelow = (db: Db, tenantId: number, ids: readonly number[]) => db<
  { id: number; levels_below: number }[]
>`
  select id, levels_below from cogs
  where tenant_id = ${tenantId} and id = any(${ids as number[]}::bigint[])
`;

/** Walks all folders below these, and lowers their bounds to the actual values. @returns them. */
export const measureLevelsBelow = (db: Db, tenantId: number, ids: readonly number[]) => db<
  { id: number; levels_below: number }[]
>`
  with recursive below as (
    select id as top_id, id, 0 as level
    from cogs
    where tenant_id = ${tenantId} and id = any(${ids as number[]}::bigint[])
    union all
    select below.top_id, cogs.id, below.level + 1
    from below
    join cogs on cogs.tenant_id = ${tenantId} and cogs.parent_id = below.id
    where cogs.cog_type = 'asset_folder'
  )
  update cogs
  set levels_below = measured.levels
  from (select top_id, max(level) as levels from below group by top_id) as measured
  where cogs.tenant_id = ${tenantId} and cogs.id = measured.top_id
  returning cogs.id, cogs.levels_below
`;

/**
 * Raises the bounds of all folders above folders that have just been placed. Usually nothing has to
 * be raised. Rows are locked from the bottom up, so two of these cannot deadlock. A restoration locks
 * a folder before the folders below it, so it and one of these can: requests are repeated then
 * (`How.isRepeatable`), and rounds of the engine (`canBeRepeated`).
 */
export function raiseLevelsAbove(db: Db, tenantId: number, ids: readonly number[]) {
  const placed = db`
    select parent_id as id, max(levels_below) + 1 as levels
    from cogs
    where tenant_id = ${tenantId} and id = any(${ids as number[]}::bigint[])
    group by parent_id
  `;
  return db`with recursive ${levelsAbove(db, tenantId, placed)} ${raisingLevels(db)}`;
}

/**
 * `lower`: the folders whose bound is too low, given the lowest ones above and the bounds they need.
 */
export const levelsAbove = (db: Db, tenantId: number, lowest: ReturnType<Db>) => db`
  above as (
    ${lowest}
    union all
    select higher.parent_id, above.levels + 1
    from above
    -- By key ("offset 0"), whatever the size of the table when the plan is made.
    cross join lateral (
      select cogs.parent_id
      from cogs
      where cogs.tenant_id = ${tenantId} and cogs.id = above.id
      offset 0
    ) as higher
    -- No cog is this deep: even if there were a loop, the walk would end here.
    where higher.parent_id is not null and above.levels < 128
  ),
  lower as (
    select cogs.id, needed.levels
    from (select id, max(levels) as levels from above group by id) as needed
    join cogs on cogs.id = needed.id
    where cogs.levels_below < needed.levels
    order by needed.levels, cogs.id
    for no key update of cogs
  )
`;

export const raisingLevels = (db: Db) => db`
  update cogs
  set levels_below = greatest(levels_below, lower.levels)
  from lower
  where cogs.id = lower.id
`;
