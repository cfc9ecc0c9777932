/** SQL of the trash: deleted cogs, and the removal of purged ones in portions. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { pageOf } from '../../../db/page-of.ts';
import type { Page } from '../../../pages.ts';
import { cogByKey, cogsAmong, walkUp } from '../../permissions/access.ts';
import type { EndedGrant } from '../../permissions/restoring.ts';
import { type CogRow, cogColumns, hasSibling, withObjects } from '../queries.ts';

export type ListedTrash = Omit<CogRow, 'deciding'> & { deleted_at: string; deleted_by: number };

export type TrashedRow = ListedTrash & {
  /** Whether the caller would own it by grants if it were not deleted. */
  is_owned: boolean;
  ended_grants?: EndedGrant[];
  levels_below: number;
};

const inTrash = (db: Db) => db`cogs.deleted_at is not null and cogs.purged_at is null`;

/**
 * Deleted cogs, newest first: of the whole tenant for admins, else those that the caller deleted, or
 * owns and would own if they were not deleted.
 */
export function findTrash(db: Db, caller: Caller, page: Page) {
  const [deletedAt, id] = page.after ?? [];
  const before = page.after
    ? db`and (cogs.deleted_at, cogs.id) < (${deletedAt as string}, ${Number(id)})`
    : db``;
  const newest = (which: ReturnType<Db>, rights = db``) => {
    const ordered = db`
      select cogs.id from cogs ${rights}
      where cogs.tenant_id = ${caller.tenant_id} and ${inTrash(db)} ${which} ${before}
      order by cogs.deleted_at desc, cogs.id desc
    `;
    return db`(${pageOf(db, { limit: page.limit + page.offset, offset: 0 }, ordered)})`;
  };
  const seen =
    caller.role === 'admin'
      ? newest(db``)
      : db`
        ${newest(owned(db, caller), joiningRights(db, caller))}
        union
        ${newest(db`and cogs.deleted_by = ${caller.user_id}`)}
      `;
  const ordered = db`
    select ${cogColumns(db)}, cogs.deleted_at, cogs.deleted_by
    from (${seen}) as seen
    join cogs on cogs.tenant_id = ${caller.tenant_id} and cogs.id = seen.id
    ${withObjects(db)}
    order by cogs.deleted_at desc, cogs.id desc
  `;
  return db<ListedTrash[]>`${pageOf(db, page, ordered)}`;
}

/**
 * Joins `rights` to `cogs`: whether the caller would own it if it were not deleted, by the grant that
 * ended with it or by the nearest one above.
 */
export const joiningRights = (db: Db, who: Caller) => db`
  cross join lateral ${walkUp(db, who, db`cogs.parent_id`)} as above
  left join lateral (
    select ended.level
    from jsonb_to_recordset(cogs.ended_grants)
      as ended (user_id bigint, level text, expires_at timestamptz)
    where ended.user_id = ${who.user_id} and (ended.expires_at is null or ended.expires_at > now())
    limit 1
  ) as own on true
  cross join lateral (
    select coalesce(coalesce(own.level, above.deciding ->> 'level') = 'owner', false) as is_owned
  ) as rights
`;

/** Requires `rights` in scope. */
const owned = (db: Db, { user_id }: Caller) =>
  db`and cogs.owner_id = ${user_id} and rights.is_owned`;

export async function countTrash(db: Db, caller: Caller): Promise<number> {
  const { tenant_id, user_id, role } = caller;
  const inTenant = db`cogs.tenant_id = ${tenant_id} and ${inTrash(db)}`;
  const seen =
    role === 'admin'
      ? db`select cogs.id from cogs where ${inTenant}`
      : db`
        select cogs.id from cogs ${joiningRights(db, caller)} where ${inTenant} ${owned(db, caller)}
        union
        select cogs.id from cogs where ${inTenant} and cogs.deleted_by = ${user_id}
      `;
  const [row] = await db<{ count: number }[]>`select count(*) from (${seen}) as seen`;
  return row?.count ?? 0;
}

/** Those of the cogs that are in the trash. Locks them against another restoration or removal. */
export const lockTrashed = (tx: Db, caller: Caller, ids: readonly number[]) => tx<TrashedRow[]>`
  select
    ${cogColumns(tx)}, cogs.deleted_at, cogs.deleted_by, cogs.ended_grants, cogs.levels_below,
    rights.is_owned
  from cogs
  ${withObjects(tx)}
  ${joiningRights(tx, caller)}
  where cogs.tenant_id = ${caller.tenant_id} and cogs.id = any(${ids as number[]}::bigint[])
    and ${inTrash(tx)}
  -- As lockAlone does.
  order by (cogs.cog_type = 'file'), cogs.id
  for update of cogs
`;

/** In how many others of them each of the cogs is. */
export const findLevels = (db: Db, caller: Caller, ids: readonly number[]) => db<
  { id: number; level: number }[]
>`
  select
    cogs.id,
    (
      select count(*) from unnest(above.ids) as higher (id)
      where higher.id = any(${ids as number[]}::bigint[])
    ) as level
  from ${cogsAmong(db, caller, ids)}
  cross join lateral ${walkUp(db, caller, db`cogs.parent_id`)} as above
`;

/** Those of the cogs whose name, the new one if they get one, is taken in the folder they were in. */
export const findTaken = (
  db: Db,
  tenantId: number,
  cogs: readonly { id: number; name?: string | undefined }[],
) => db<{ id: number }[]>`
  select wanted.id
  from unnest(
    ${cogs.map(({ id }) => id)}::bigint[], ${cogs.map(({ name }) => name ?? null)}::text[]
  ) as wanted (id, name)
  cross join lateral ${cogByKey(db, tenantId, db`wanted.id`)}
  cross join lateral (select cogs.parent_id, cogs.name) as own
  where ${hasSibling(db, tenantId, db`own.parent_id`, db`coalesce(wanted.name, own.name)`)}
`;

/** A cog as it is kept in the trash. */
export type DeletedRow = { id: number; owner_id: number; ended_grants: readonly EndedGrant[] };

export const setDeleted = (tx: Db, by: Caller, rows: readonly DeletedRow[]) => tx`
  update cogs
  set deleted_at = now(), deleted_by = ${by.user_id}, owner_id = deleted.owner_id,
      ended_grants = deleted.ended_grants
  from jsonb_to_recordset(${tx.json(rows)})
    as deleted (id bigint, owner_id bigint, ended_grants jsonb)
  where cogs.tenant_id = ${by.tenant_id} and cogs.id = deleted.id
`;

export const setRestored = (
  tx: Db,
  tenantId: number,
  rows: readonly { id: number; name: string }[],
) => tx`
  update cogs
  set deleted_at = null, deleted_by = null, ended_grants = null, name = restored.name,
      updated_at = now()
  from unnest(
    ${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ name }) => name)}::text[]
  ) as restored (id, name)
  where cogs.tenant_id = ${tenantId} and cogs.id = restored.id
`;

export const setPurged = (tx: Db, tenantId: number, ids: readonly number[]) => tx`
  update cogs set purged_at = now()
  where tenant_id = ${tenantId} and id = any(${ids as number[]}::bigint[])
`;

/** Marks cogs in the trash as purged that the caller owns; for admins those of the tenant. */
export const purgeOwned = (tx: Db, caller: Caller, limit: number) => tx<
  { id: number; name: string }[]
>`
  with own as (
    select cogs.id
    from cogs
    ${joiningRights(tx, caller)}
    where cogs.tenant_id = ${caller.tenant_id} and ${inTrash(tx)}
      ${caller.role === 'admin' ? tx`` : owned(tx, caller)}
    limit ${limit}
    for update of cogs skip locked
  )
  update cogs
  set purged_at = now()
  from own
  where cogs.id = own.id
  returning cogs.id, cogs.name
`;

/** Marks cogs as purged that were deleted before that time. @returns them. */
export const purgeDeletedBefore = (tx: Db, time: Date, limit: number) => tx<
  { id: number; tenant_id: number; name: string }[]
>`
  with old as (
    select id from cogs
    where deleted_at < ${time} and deleted_at is not null and purged_at is null
    order by deleted_at, id
    limit ${limit}
    for update skip locked
  )
  update cogs
  set purged_at = now()
  from old
  where cogs.id = old.id
  returning cogs.id, cogs.tenant_id, cogs.name
`;

export type PurgedRow = { id: number; tenant_id: number; object_id?: number };

/**
 * Cogs that are to be removed now, locked, the last marked first: these lie deepest, because `purgeChildren` marks
 * children later than their folder. Concurrent callers get different ones.
 */
export const lockPurged = (tx: Db, limit: number) => tx<PurgedRow[]>`
  select id, tenant_id, object_id
  from cogs
  -- One that was marked just now may have been rounded up to the next millisecond.
  where purged_at <= now() + interval '1 millisecond'
  order by purged_at desc, id desc
  limit ${limit}
  for update skip locked
`;

/**
 * Marks children of purged folders, again if they were marked before their folder. @returns how
 * many.
 */
export async function purgeChildren(
  tx: Db,
  folders: readonly PurgedRow[],
  limit: number,
): Promise<number> {
  const { count } = await tx`
    with children as (
      select child.id
      from cogs as folder
      cross join lateral (
        select cogs.id
        from cogs
        where cogs.tenant_id = folder.tenant_id and cogs.parent_id = folder.id
          and (cogs.purged_at is null or cogs.purged_at <= folder.purged_at)
        limit ${limit}
        for update
      ) as child
      where folder.id = any(${folders.map(({ id }) => id)}::bigint[])
      limit ${limit}
    )
    update cogs
    set deleted_at = coalesce(deleted_at, now()), purged_at = clock_timestamp()
    from children
    where cogs.id = children.id
  `;
  return count;
}

/**
 * Removes those of the cogs that have no children, with their versions.
 *
 * @returns how many cogs, and the objects that they referred to.
 */
export async function removeChildless(tx: Db, cogs: readonly PurgedRow[]) {
  const rows = await tx<{ tenant_id: number; objects: number[] }[]>`
    with childless as (
      select cogs.id, cogs.tenant_id, cogs.object_id
      from cogs
      where cogs.id = any(${cogs.map(({ id }) => id)}::bigint[])
        and not exists (select from cogs as child where child.parent_id = cogs.id)
    ),
    referred as (
      select
        childless.id,
        array_remove(
          childless.object_id || array(
            select version.object_id
            from file_versions as version
            where version.tenant_id = childless.tenant_id and version.cog_id = childless.id
          ),
          null
        ) as objects
      from childless
    )
    delete from cogs
    using referred
    where cogs.id = referred.id
    returning cogs.tenant_id, referred.objects
  `;
  return {
    count: rows.length,
    objects: rows.flatMap(({ tenant_id, objects }) => objects.map((id) => ({ tenant_id, id }))),
  };
}
