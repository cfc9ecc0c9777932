/** SQL of everything below a folder, in an order that does not change with names. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { cogByKey, ownGrant, withOwnGrant } from '../../permissions/access.ts';
import { type CogRow, cogColumns } from '../queries.ts';
import type { FolderToList } from './queries.ts';

/** A position: the cogs from the listed folder, exclusive, down to one below it. */
export type Position = {
  ids: readonly number[];
  /** Of each, whether the caller sees everything in it. */
  sees_all: readonly boolean[];
  /** Whether what is in the last one is still to come; otherwise the ones after it are next. */
  isInside: boolean;
};

/** Those of a position that still exist, deleted ones included. */
export function findPassed(db: Db, caller: Caller, ids: readonly number[]) {
  return db<(CogRow & { is_deleted: boolean })[]>`
    select ${cogColumns(db)}, cogs.deleted_at is not null as is_deleted, ${ownGrant(db)} as deciding
    from unnest(${ids}::bigint[]) as wanted (id)
    cross join lateral ${cogByKey(db, caller.tenant_id, db`wanted.id`)}
    ${ofContent(db)}
    ${withOwnGrant(db, caller)}
  `;
}

/**
 * The next cogs that the caller may see below the folder, each before what is in it, those of a
 * folder by the time when they were made. Folders that they may not see are passed over, with all
 * in them, as in a list.
 *
 * Each step goes to the next cog: the first one in the cog just reached, else the one after it, else
 * the one after the folder that it is in. A step is a look-up in an index, so a page costs what its
 * rows cost, wherever in a large tree it is. With a sort of all below, the last of a thousand pages
 * would cost a thousand times the first one.
 *
 * @returns each with the ids from the listed folder, exclusive, down to itself.
 */
export function walkTree(
  db: Db,
  caller: Caller,
  folder: FolderToList,
  { ids, sees_all, isInside }: Position,
  { limit, offset }: { limit: number; offset: number },
) {
  const { tenant_id, user_id } = caller;
  return db<(CogRow & { ids: number[] })[]>`
    with recursive walk as (
      select
        ${ids}::bigint[] as ids, ${sees_all}::boolean[] as sees_all, ${isInside}::boolean as is_inside,
        null::bigint as id, 0::bigint as place
      union all
      select
        case when next.id is null then above.ids else above.ids || next.id end,
        case when next.id is null then above.sees_all else above.sees_all || next.sees_all end,
        next.is_folder is true, next.id, walk.place + 1
      from walk
      cross join lateral (
        select
          walk.ids[:folders.number] as ids, walk.sees_all[:folders.number] as sees_all,
          coalesce(walk.ids[folders.number], ${folder.id}) as parent_id,
          coalesce(walk.sees_all[folders.number], ${folder.sees_all}) as sees_in
        from (
          select cardinality(walk.ids) - case when walk.is_inside then 0 else 1 end as number
        ) as folders
        offset 0
      ) as above
      left join lateral (
        select passed.created_at, passed.id
        from cogs as passed
        where not walk.is_inside and passed.id = walk.ids[cardinality(walk.ids)]
        offset 0
      ) as passed on true
      left join lateral (
        select
          cogs.id, cogs.cog_type <> 'file' as is_folder,
          above.sees_in or ${hasGrant(db, tenant_id, user_id)} as sees_all
        from cogs
        where cogs.tenant_id = ${tenant_id} and cogs.parent_id = above.parent_id
          and cogs.deleted_at is null
          and (cogs.created_at, cogs.id)
            > (coalesce(passed.created_at, '-infinity'), coalesce(passed.id, 0))
          -- Every member sees the folder for results, but not what is in it.
          and (
            above.sees_in or cogs.purpose is not null or ${hasGrant(db, tenant_id, user_id)}
          )
        order by cogs.created_at, cogs.id
        limit 1
      ) as next on true
      -- Nothing is left when the walk comes back to the folder itself.
      where walk.is_inside or cardinality(walk.ids) > 0
    ),
    page as materialized (
      select id, ids, place from walk where id is not null limit ${limit} offset ${offset}
    )
    select ${cogColumns(db)}, ${ownGrant(db)} as deciding, page.ids
    from page
    cross join lateral ${cogByKey(db, tenant_id, db`page.id`)}
    ${ofContent(db)}
    ${withOwnGrant(db, caller)}
    order by page.place
  `;
}

/** How many cogs the walk would find in all. */
export async function countTree(
  db: Db,
  { tenant_id, user_id }: Caller,
  folder: FolderToList,
): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    with recursive folders as (
      select ${folder.id}::bigint as id, ${folder.sees_all}::boolean as sees_all
      union all
      select child.id, child.sees_all
      from folders
      cross join lateral (
        select cogs.id, folders.sees_all or ${hasGrant(db, tenant_id, user_id)} as sees_all
        ${shownIn(db, tenant_id, user_id)} and cogs.cog_type = 'asset_folder'
        offset 0
      ) as child
    )
    select coalesce(sum(children.number), 0)::bigint as count
    from folders
    cross join lateral (
      select count(*) as number ${shownIn(db, tenant_id, user_id)}
      offset 0
    ) as children
  `;
  return row?.count ?? 0;
}

/** Of the children of one of `folders`. */
const shownIn = (db: Db, tenantId: number, userId: number) => db`
  from cogs
  where cogs.tenant_id = ${tenantId} and cogs.parent_id = folders.id and cogs.deleted_at is null
    and (
      folders.sees_all or cogs.purpose is not null or ${hasGrant(db, tenantId, userId)}
    )
`;

/** Whether the user has an unexpired grant on the very cog. */
const hasGrant = (db: Db, tenantId: number, userId: number) => db`
  exists (
    select from permissions
    where permissions.tenant_id = ${tenantId} and permissions.cog_id = cogs.id
      and permissions.user_id = ${userId}
      and (permissions.expires_at is null or permissions.expires_at > now())
  )
`;

/** Adds `objects`, by key. */
const ofContent = (db: Db) => db`
  left join lateral (
    select objects.checksum_sha256 from objects
    where objects.id = cogs.object_id and objects.tenant_id = cogs.tenant_id
    offset 0
  ) as objects on true
`;
