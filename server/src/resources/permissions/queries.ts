/** SQL of grants. */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { Page } from '../../pages.ts';
import { cogsAmong, walkUp } from './access.ts';
import type { GrantOnTheWay, GrantToWrite } from './moves.ts';
import type { Grant } from './rules.ts';
import type { GrantValues, Permission } from './schema.ts';

/** Columns of a grant as clients see it, with `permissions` in scope. */
const columns = (db: Db) => db`
  permissions.id as permission_id, 'cog' as target_type, permissions.cog_id as target_id,
  permissions.user_id, level, can_upload, can_share, can_delete, expires_at,
  permissions.created_by, permissions.created_at, permissions.updated_at
`;

export type ListedPermission = Permission & { distance: number };

/**
 * The grants that apply to a cog, nearest first. Of a user's grants, all but the deciding one have
 * `overridden`.
 */
export function findPermissions(
  db: Db,
  caller: Caller,
  cogId: number,
  { include_inherited, page }: { include_inherited: boolean; page: Page },
) {
  const [distance, id] = page.after ?? [];
  const ordered = db`
    select * from (${placedGrants(db, caller, cogId, include_inherited)}) as placed
    where true
      ${page.after ? db`and (distance, permission_id) > (${Number(distance)}, ${Number(id)})` : db``}
    order by distance, permission_id
  `;
  return db<ListedPermission[]>`${pageOf(db, page, ordered)}`;
}

export async function countPermissions(
  db: Db,
  caller: Caller,
  cogId: number,
  include_inherited: boolean,
) {
  const [row] = await db<{ count: number }[]>`
    select count(*) from (${placedGrants(db, caller, cogId, include_inherited)}) as placed
  `;
  return row?.count ?? 0;
}

function placedGrants(db: Db, caller: Caller, cogId: number, includeInherited: boolean) {
  return db`
    select
      ${columns(db)},
      place.distance - 1 as distance,
      case when place.distance > 1 then true end as inherited,
      case when place.distance > 1 then permissions.cog_id end as inherited_from,
      case when place.distance > min(place.distance) over (partition by permissions.user_id)
        then true end as overridden
    from ${walkUp(db, caller, db`${cogId}`)} as walk
    cross join lateral unnest(walk.ids) with ordinality as place (id, distance)
    join permissions
      on permissions.tenant_id = ${caller.tenant_id} and permissions.cog_id = place.id
    where (expires_at is null or expires_at > now())
      ${includeInherited ? db`` : db`and place.distance = 1`}
  `;
}

/** Members' grants on the way from a cog to the root, including expired ones. */
export function findPlacedGrants(db: Db, caller: Caller, cogId: number) {
  return db<GrantOnTheWay[]>`
    select
      permissions.id as permission_id, permissions.user_id, level,
      can_upload, can_share, can_delete, expires_at, place.distance - 1 as distance
    from ${walkUp(db, caller, db`${cogId}`)} as walk
    cross join lateral unnest(walk.ids) with ordinality as place (id, distance)
    join permissions
      on permissions.tenant_id = ${caller.tenant_id} and permissions.cog_id = place.id
    join users
      on users.tenant_id = ${caller.tenant_id} and users.id = permissions.user_id
    where users.role = 'member'
  `;
}

/** A grant, and the cog it is on. */
export type GrantAt = Grant & {
  permission_id: number;
  cog_id: number;
  user_id: number;
  expires_at?: string;
  /** Of its user. */
  role: 'admin' | 'member';
};

/** All grants on these cogs and on the folders above them, including expired ones. */
export function findGrantsAlong(db: Db, caller: Caller, cogIds: readonly number[]) {
  return db<GrantAt[]>`
    with place as materialized (
      select distinct unnest(array_prepend(cogs.id, above.ids)) as id
      from ${cogsAmong(db, caller, cogIds)}
      -- From the parent: for siblings the walk is made once.
      cross join lateral ${walkUp(db, caller, db`cogs.parent_id`)} as above
    )
    select
      permissions.id as permission_id, permissions.cog_id, permissions.user_id, level,
      can_upload, can_share, can_delete, expires_at, users.role
    from place
    join permissions
      on permissions.tenant_id = ${caller.tenant_id} and permissions.cog_id = place.id
    join users
      on users.tenant_id = ${caller.tenant_id} and users.id = permissions.user_id
  `;
}

/** A grant of the user on something inside a folder. */
export type LesserGrant = Grant & { expires_at?: string; folder_id: number };

/**
 * The user's live grants on undeleted cogs below these folders, except those of full ownership,
 * which never reduce access. The walk goes up from the grants, so its cost depends on the number of
 * grants, not on the contents of the folders.
 */
export function findLesserGrantsBelow(
  db: Db,
  { tenant_id, user_id }: Pick<Caller, 'tenant_id' | 'user_id'>,
  folderIds: readonly number[],
) {
  return db<LesserGrant[]>`
    with recursive given as (
      select
        level, can_upload, can_share, can_delete, expires_at, cogs.parent_id
      from permissions
      join cogs on cogs.tenant_id = ${tenant_id} and cogs.id = permissions.cog_id
      where permissions.tenant_id = ${tenant_id}
        and permissions.user_id = ${user_id}
        and (expires_at is null or expires_at > now())
        and not (
          level = 'owner' and can_upload is not false and can_share is not false
          and can_delete is not false
        )
        and cogs.deleted_at is null
    ),
    -- All folders above them; "union" removes duplicates, so that shared ancestors are visited
    -- once.
    above as (
      select cogs.id, cogs.parent_id
      from (select distinct parent_id from given) as holding
      join cogs on cogs.tenant_id = ${tenant_id} and cogs.id = holding.parent_id
      where cogs.deleted_at is null
      union
      select higher.id, higher.parent_id
      from above
      join cogs as higher on higher.tenant_id = ${tenant_id} and higher.id = above.parent_id
      where higher.deleted_at is null
    ),
    inside as (
      select id as folder_id, id from above where id = any(${folderIds as number[]}::bigint[])
      union
      select inside.folder_id, above.id from inside join above on above.parent_id = inside.id
    )
    select inside.folder_id, level, can_upload, can_share, can_delete, expires_at
    from inside
    join given on given.parent_id = inside.id
  `;
}

/** Serializes changes of one cog's grants, so that each sees the current owners. */
export function lockGrantsOf(db: Db, tenantId: number, cogId: number) {
  return db`
    select from cogs where tenant_id = ${tenantId} and id = ${cogId} for no key update
  `;
}

export async function findPermission(
  db: Db,
  tenantId: number,
  id: number,
): Promise<Permission | undefined> {
  const [row] = await db<Permission[]>`
    select ${columns(db)}
    from permissions
    where tenant_id = ${tenantId} and id = ${id}
  `;
  return row;
}

/** A cog's name. */
export async function findName(db: Db, tenantId: number, cogId: number) {
  const [row] = await db<{ name: string }[]>`
    select name from cogs where tenant_id = ${tenantId} and id = ${cogId}
  `;
  return row?.name;
}

/** An expired grant counts as absent, so granting again creates a new one. */
export function removeExpired(db: Db, tenantId: number, cogId: number, userId: number) {
  return db`
    delete from permissions
    where tenant_id = ${tenantId} and cog_id = ${cogId} and user_id = ${userId}
      and expires_at <= now()
  `;
}

export async function upsertPermission(
  db: Db,
  { tenant_id, user_id }: Pick<Caller, 'tenant_id' | 'user_id'>,
  cogId: number,
  grant: GrantValues & { user_id: number },
): Promise<Permission & { is_new: boolean }> {
  const {
    level,
    can_upload = null,
    can_share = null,
    can_delete = null,
    expires_at = null,
  } = grant;
  const [row] = await db<(Permission & { is_new: boolean })[]>`
    insert into permissions
      (tenant_id, cog_id, user_id, level, can_upload, can_share, can_delete, expires_at, created_by)
    values (
      ${tenant_id}, ${cogId}, ${grant.user_id}, ${level}, ${can_upload}, ${can_share},
      ${can_delete}, ${expires_at}, ${user_id}
    )
    on conflict on constraint permissions_one_per_cog_and_user do update
    set level = excluded.level,
        can_upload = excluded.can_upload,
        can_share = excluded.can_share,
        can_delete = excluded.can_delete,
        expires_at = excluded.expires_at,
        updated_at = now()
    returning ${columns(db)}, permissions.xmax = 0 as is_new
  `;
  if (!row) throw new Error('The grant was not made.');
  return row;
}

/** Writes grants on cogs, replacing those these users had there. */
export function putGrants(
  db: Db,
  { tenant_id, user_id }: Pick<Caller, 'tenant_id' | 'user_id'>,
  grants: readonly (GrantToWrite & { cog_id: number })[],
) {
  return db`
    insert into permissions
      (tenant_id, cog_id, user_id, level, can_upload, can_share, can_delete, expires_at, created_by)
    select
      ${tenant_id}, given.cog_id, given.user_id, given.level, given.can_upload, given.can_share,
      given.can_delete, given.expires_at, ${user_id}
    from jsonb_to_recordset(${db.json(grants)}) as given (
      cog_id bigint, user_id bigint, level text, can_upload boolean, can_share boolean,
      can_delete boolean, expires_at timestamptz
    )
    on conflict on constraint permissions_one_per_cog_and_user do update
    set level = excluded.level,
        can_upload = excluded.can_upload,
        can_share = excluded.can_share,
        can_delete = excluded.can_delete,
        expires_at = excluded.expires_at,
        updated_at = now()
  `;
}

export function removePermission(db: Db, tenantId: number, id: number) {
  return db`delete from permissions where tenant_id = ${tenantId} and id = ${id}`;
}

/** @returns the removed grant of that user, if there was one. */
export async function removeGrantOf(db: Db, tenantId: number, cogId: number, userId: number) {
  const [row] = await db<Permission[]>`
    delete from permissions
    where tenant_id = ${tenantId} and cog_id = ${cogId} and user_id = ${userId}
    returning ${columns(db)}
  `;
  return row;
}

/** Removes the grants on the cogs themselves. */
export const removePermissionsOn = (db: Db, tenantId: number, cogIds: readonly number[]) => db`
  delete from permissions
  where tenant_id = ${tenantId} and cog_id = any(${cogIds as number[]}::bigint[])
`;

/** The roles of these users. */
export async function findRoles(db: Db, tenantId: number, userIds: readonly number[]) {
  const rows = await db<{ id: number; role: 'admin' | 'member' }[]>`
    select id, role from users
    where tenant_id = ${tenantId} and id = any(${userIds as number[]}::bigint[])
  `;
  return new Map(rows.map(({ id, role }) => [id, role]));
}
