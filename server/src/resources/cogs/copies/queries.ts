/** SQL of copies. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { cogByKey, grantingMakers } from '../../permissions/access.ts';

export type CopySource = { id: number; sees_all: boolean };
export type DetachedCopy = {
  /** Whether it was among those that fit; the count is complete then. */
  fits: boolean;
  /** How many cogs it has. */
  count: number;
  /** Of the topmost one. Undefined if it does not fit, or the cog or its bytes are gone. */
  id?: number;
  /** The name that its source had. */
  name?: string;
};

/**
 * Copies cogs, each with all the user may see below it, as deleted and purged cogs in the root:
 * nobody sees them, and they are removed in an hour if nothing becomes of them. They share the
 * bytes, which are locked so that they stay. A file whose bytes are gone is left out.
 *
 * One source is walked after the other, until there are more than `most` cogs: those before the one
 * that is cut off fit.
 *
 * The new ids are given while walking down: a join of copies and originals would be planned for few
 * rows, and compare all pairs.
 *
 * @returns for each source in order; undefined if none was made, because not all fit.
 */
export async function addDetachedCopies(
  db: Db,
  { tenant_id, user_id }: Pick<Caller, 'tenant_id' | 'user_id'>,
  sources: readonly CopySource[],
  rootId: number,
  { most, makes }: { most: number; makes: 'all or none' | 'what fits' },
): Promise<DetachedCopy[] | undefined> {
  const newId = db`nextval(pg_get_serial_sequence('cogs', 'id'))`;
  type Row = { place: number; count: number; copy_id: number; made_id: number; name: string };
  const rows = await db<Row[]>`
    with found as materialized (
      select source.place, below.*
      from unnest(
        ${sources.map(({ id }) => id)}::bigint[],
        ${sources.map(({ sees_all }) => sees_all)}::boolean[]
      ) with ordinality as source (id, sees_all, place)
      cross join lateral (
        with recursive below as (
          select
            cogs.id, cogs.cog_type, ${newId} as copy_id, ${rootId}::bigint as copy_parent_id,
            0 as level
          from ${cogByKey(db, tenant_id, db`source.id`)}
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
          where below.cog_type <> 'file' and (
            source.sees_all or below.level > 0 or exists (
              select from permissions
              where permissions.tenant_id = ${tenant_id} and permissions.cog_id = child.id
                and permissions.user_id = ${user_id}
                and (expires_at is null or expires_at > now())
            )
          )
        )
        select * from below
      ) as below
      limit ${most + 1}
    ),
    counted as materialized (select count(*) as count, max(place) as last from found),
    added as (
      insert into cogs
        (id, tenant_id, parent_id, name, cog_type, owner_id, object_id, size_bytes, mime_type,
         version, copied_from, copied_from_version, levels_below, deleted_at, purged_at)
      overriding system value
      select
        found.copy_id, ${tenant_id}, found.copy_parent_id, original.name, original.cog_type,
        ${user_id}, original.object_id, original.size_bytes, original.mime_type,
        case when original.cog_type = 'file' then 1 end,
        case when original.cog_type = 'file' then found.id end, original.version,
        original.levels_below,
        case when found.level = 0 then now() end,
        case when found.level = 0 then now() + interval '1 hour' end
      from found
      cross join counted
      cross join lateral ${cogByKey(db, tenant_id, db`found.id`)}
      cross join lateral (
        select cogs.name, cogs.cog_type, cogs.object_id, cogs.size_bytes, cogs.mime_type,
               cogs.version, cogs.levels_below
      ) as original
      left join lateral (
        select objects.id
        from objects
        where objects.tenant_id = ${tenant_id} and objects.id = original.object_id
          and objects.state = 'live'
        offset 0
        for key share
      ) as object on true
      where (
          counted.count <= ${most}
          or ${makes === 'what fits'}::boolean and found.place < counted.last
        )
        and (original.object_id is null or object.id is not null)
      returning id, name, deleted_at
    )
    select place, count(*) as count, max(copy_id) filter (where level = 0) as copy_id,
           null as made_id, null as name
    from found
    group by place
    union all
    -- Not joined: it would be planned for few rows.
    select null, null, null, id, name from added where deleted_at is not null
  `;
  const made = new Map(rows.map(({ made_id: id, name }) => [id, { id, name }]));
  const tops = rows.filter(({ place }) => place !== undefined);
  const isCut = tops.reduce((sum, { count }) => sum + count, 0) > most;
  if (isCut && makes === 'all or none') return undefined;
  const last = Math.max(...tops.map(({ place }) => place));
  const byPlace = new Map(tops.map((top) => [top.place, top]));
  return sources.map((_, at) => {
    const top = byPlace.get(at + 1);
    const fits = !isCut || at + 1 < last;
    return { fits, count: top?.count ?? 0, ...(top && made.get(top.copy_id)) };
  });
}

/** For the following statements of the transaction. */
export const allowTime = (tx: Db, statement_ms: number) => tx`
  select set_config('statement_timeout', ${String(statement_ms)}, true)
`;

/** Puts detached copies, with their owner's grants, where they belong. */
export const attachCopies = (
  tx: Db,
  { tenant_id, user_id }: Pick<Caller, 'tenant_id' | 'user_id'>,
  copies: readonly { id: number; name: string }[],
  folder: { parent_id: number; granted: boolean },
) => tx<{ id: number }[]>`
  with attached as (
    update cogs
    set parent_id = ${folder.parent_id}, name = copy.name, deleted_at = null, purged_at = null,
        created_at = now(), updated_at = now()
    from unnest(
      ${copies.map(({ id }) => id)}::bigint[], ${copies.map(({ name }) => name)}::text[]
    ) as copy (id, name)
    where cogs.tenant_id = ${tenant_id} and cogs.id = copy.id and cogs.purged_at > now()
    returning cogs.id
  ),
  granted as (
    ${grantingMakers(tx, tenant_id, tx`(select id, ${user_id}::bigint as owner_id from attached where ${folder.granted})`)}
  )
  select id from attached
`;

/** Has detached copies removed now. */
export const dropDetached = (db: Db, tenantId: number, ids: readonly number[]) => db`
  update cogs
  set purged_at = now()
  where tenant_id = ${tenantId} and id = any(${ids as number[]}::bigint[]) and purged_at > now()
`;
