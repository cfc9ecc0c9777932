/** SQL of ZIPs: what is at and below cogs, read along a cursor. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { cogByKey } from '../../permissions/access.ts';

export type Start = { id: number; sees_all: boolean };

export type MemberRow = {
  /** Of the start that it belongs to, from 1. */
  position: number;
  id: number;
  /** The nearest folder above that the user may see; absent for a start. */
  shown_in?: number;
  is_visible: boolean;
  is_folder: boolean;
  name: string;
  /** Seconds since 1970. */
  modified: number;
  object_id?: number;
  size_bytes?: number;
  crc32?: number;
};

/**
 * Opens a cursor for these cogs and everything below, each after the folder that it is in. All is read
 * as of now, in small portions and without sorting, so that a million rows need no memory.
 */
export function openMembers(
  tx: Db,
  { tenant_id, user_id }: Pick<Caller, 'tenant_id' | 'user_id'>,
  starts: readonly Start[],
) {
  return tx`
    declare zip_members no scroll cursor for
    with recursive below as (
      select
        start.position, cogs.id, null::bigint as shown_in, true as is_visible, start.sees_all,
        ${memberColumns(tx)}
      from unnest(
        ${starts.map(({ id }) => id)}::bigint[], ${starts.map(({ sees_all }) => sees_all)}::boolean[]
      ) with ordinality as start (id, sees_all, position)
      cross join lateral ${cogByKey(tx, tenant_id, tx`start.id`)}
      union all
      select
        below.position, child.id,
        case when below.is_visible then below.id else below.shown_in end,
        -- Every member sees the folder for results, but not what is in it.
        seen.sees_all or child.purpose is not null, seen.sees_all,
        child.cog_type, child.name, child.object_id, child.modified
      from below
      -- "offset 0" forces a look-up per folder. As a join, the whole table was read for every
      -- level, because the planner cannot know the number of folders.
      cross join lateral (
        select cogs.id, cogs.purpose, ${memberColumns(tx)}
        from cogs
        where cogs.tenant_id = ${tenant_id} and cogs.parent_id = below.id
          and cogs.deleted_at is null
        order by cogs.name
        offset 0
      ) as child
      cross join lateral (
        select below.sees_all or exists (
          select from permissions
          where permissions.tenant_id = ${tenant_id}
            and permissions.cog_id = child.id
            and permissions.user_id = ${user_id}
            and (expires_at is null or expires_at > now())
        ) as sees_all
        offset 0
      ) as seen
      where below.cog_type <> 'file'
    )
    select
      below.position, below.id, below.shown_in, below.is_visible,
      below.cog_type <> 'file' as is_folder, below.name, below.modified,
      objects.id as object_id, objects.size_bytes, objects.crc32
    from below
    left join lateral (
      select * from objects where objects.id = below.object_id and below.is_visible offset 0
    ) as objects on objects.tenant_id = ${tenant_id}
  `;
}

/** When the content came in, rather than when the file was last renamed or moved. */
const memberColumns = (tx: Db) => tx`
  cogs.cog_type, cogs.name, cogs.object_id,
  floor(extract(epoch from coalesce(cogs.stored_at, cogs.created_at)))::bigint as modified
`;

/** How many rows `readMembers` reads; fewer are the last. */
export const portion = 2000;

/** The next rows of the cursor. */
export const readMembers = (tx: Db) => tx<MemberRow[]>`fetch 2000 from zip_members`;
