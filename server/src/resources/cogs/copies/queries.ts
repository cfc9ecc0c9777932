/** SQL of copies. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { cogByKey, grantingMakers } from '../../permissions/access.ts';
import type { MadeCog } from '../queries.ts';

export type CopySource = { id: number; sees_all: boolean };
export type DetachedCopy = {
  /** How many cogs it has; with more than `most`, none was made. */
  count: number;
  /** Of the topmost one. Undefined if none was made, or the file is gone. */
  id?: number;
};

/**
 * Copies a cog, with all the user may see below it, as a deleted and purged cog in the root: nobody
 * sees it, and it is removed in an hour if nothing becomes of it. It shares the bytes, which are
 * locked so that they stay. A file whose bytes are gone is left out.
 *
 * The new ids are given while walking down: a join of copies and originals would be planned for few
 * rows, and compare all pairs.
 */
export async function addDetachedCopy(
  db: Db,
  { tenant_id, user_id }: Pick<Caller, 'tenant_id' | 'user_id'>,
  source: CopySource,
  rootId: number,
  most: number,
): Promise<DetachedCopy> {
  const newId = db`nextval(pg_get_serial_sequence('cogs', 'id'))`;
  const isSeen = source.sees_all
    ? db`true`
    : db`(
        below.level > 0 or exists (
          select from permissions
          where permissions.tenant_id = ${tenant_id} and permissions.cog_id = child.id
            and permissions.user_id = ${user_id}
            and (expires_at is null or expires_at > now())
        )
      )`;
  const [row] = await db<DetachedCopy[]>`
    with recursive below as (
      select cogs.id, cogs.cog_type, ${newId} as copy_id, ${rootId}::bigint as copy_parent_id, 0 as level
      from ${cogByKey(db, tenant_id, db`${source.id}::bigint`)}
      where cogs.deleted_at is null
      union all
      select child.id, child.cog_type, ${newId}, below.copy_id, below.level + 1
      from below
      -- By key ("offset 0"), whatever the size of the table when the plan is made.
      cross join lateral (
        select cogs.id, cogs.cog_type
        from cogs
        where cogs.tenant_id = ${tenant_id} and cogs.parent_id = below.id
          and cogs.deleted_at is null
        offset 0
      ) as child
      where below.cog_type <> 'file' and ${isSeen}
    ),
    found as materialized (select * from below limit ${most + 1}),
    counted as materialized (select count(*) as count from found),
    added as (
      insert into cogs
        (id, tenant_id, parent_id, name, cog_type, owner_id, object_id, size_bytes, mime_type,
         version, levels_below, deleted_at, purged_at)
      overriding system value
      select
        found.copy_id, ${tenant_id}, found.copy_parent_id, original.name, original.cog_type,
        ${user_id}, original.object_id, original.size_bytes, original.mime_type,
        case when original.cog_type = 'file' then 1 end, original.levels_below,
        case when found.level = 0 then now() end,
        case when found.level = 0 then now() + interval '1 hour' end
      from found
      cross join counted
      cross join lateral ${cogByKey(db, tenant_id, db`found.id`)}
      cross join lateral (
        select cogs.name, cogs.cog_type, cogs.object_id, cogs.size_bytes, cogs.mime_type,
               cogs.levels_below
      ) as original
      left join lateral (
        select objects.id
        from objects
        where objects.tenant_id = ${tenant_id} and objects.id = original.object_id
          and objects.state = 'live'
        offset 0
        for key share
      ) as object on true
      where counted.count <= ${most} and (original.object_id is null or object.id is not null)
      returning id, deleted_at
    )
    select counted.count, (select id from added where deleted_at is not null) as id from counted
  `;
  return row ?? { count: 0 };
}

/** For the following statements of the transaction. */
export const allowTime = (tx: Db, statement_ms: number) => tx`
  select set_config('statement_timeout', ${String(statement_ms)}, true)
`;

/** Puts a detached copy, and its owner's grant, where it belongs. */
export async function attachCopy(
  tx: Db,
  { tenant_id, user_id }: Pick<Caller, 'tenant_id' | 'user_id'>,
  id: number,
  place: { parent_id: number; name: string; granted: boolean },
): Promise<MadeCog | undefined> {
  const [row] = await tx<MadeCog[]>`
    with attached as (
      update cogs
      set parent_id = ${place.parent_id}, name = ${place.name}, deleted_at = null, purged_at = null,
          created_at = now(), updated_at = now()
      where tenant_id = ${tenant_id} and id = ${id} and purged_at > now()
      returning id, owner_id, created_at, updated_at
    ),
    granted as (
      ${grantingMakers(tx, tenant_id, tx`(select id, ${user_id}::bigint as owner_id from attached where ${place.granted})`)}
    )
    select id, created_at, updated_at from attached
  `;
  return row;
}

/** Has a detached copy removed now. */
export const dropDetached = (db: Db, tenantId: number, id: number) => db`
  update cogs
  set purged_at = now()
  where tenant_id = ${tenantId} and id = ${id} and purged_at > now()
`;
