/** SQL of files and their contents. */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { inNaturalOrder } from '../../../db/natural-order.ts';
import type { Tag } from '../../../db/statement.ts';
import {
  cogByKey,
  cogsAmong,
  reaching,
  type WalkRow,
  walkColumns,
} from '../../permissions/access.ts';
import { withObjects } from '../queries.ts';

export type ReadableFile = {
  cog_id: number;
  name: string;
  object_id: number;
  size_bytes: number;
  mime_type: string;
  checksum_sha256: string;
  version: number;
};

/**
 * The files at or below these cogs, in the order of cogs and by path. Below a folder that the
 * caller may not fully see, a grant further down shows what is under it. The walk stops once `most`
 * files were found, in no particular order.
 */
export function findFilesBelow(
  db: Db,
  { tenant_id, user_id }: Caller,
  starts: readonly { id: number; sees_all: boolean }[],
  most: number | null,
) {
  const ids = starts.map((start) => start.id);
  const seesAll = starts.map((start) => start.sees_all);
  return db<ReadableFile[]>`
    with recursive below as (
      select
        cogs.id, cogs.cog_type, start.position, start.sees_all as is_visible,
        array[]::text[] collate "C" as path
      from unnest(${ids}::bigint[], ${seesAll}::boolean[])
        with ordinality as start (id, sees_all, position)
      cross join lateral ${cogByKey(db, tenant_id, db`start.id`)}
      union all
      select
        child.id, child.cog_type, below.position,
        below.is_visible or exists (
          select from permissions
          where permissions.tenant_id = ${tenant_id}
            and permissions.cog_id = child.id
            and permissions.user_id = ${user_id}
            and (expires_at is null or expires_at > now())
        ),
        below.path || child.name::text
      from below
      -- "offset 0" forces a look-up per folder. As a join, the whole table was read for every
      -- level, because the planner cannot know the number of folders.
      cross join lateral (
        select cogs.id, cogs.cog_type, cogs.name
        from cogs
        where cogs.tenant_id = ${tenant_id} and cogs.parent_id = below.id
          and cogs.deleted_at is null
        offset 0
      ) as child
      where below.cog_type <> 'file'
    ),
    found as materialized (
      select *
      from below
      where below.is_visible and below.cog_type = 'file'
      limit ${most}::bigint
    )
    select
      found.id as cog_id, file.name, file.object_id, file.size_bytes, file.mime_type,
      file.checksum_sha256, file.version
    from found
    cross join lateral (
      select
        cogs.name, cogs.object_id, objects.size_bytes, cogs.mime_type,
        objects.checksum_sha256, cogs.version
      from ${cogByKey(db, tenant_id, db`found.id`)}
      cross join lateral (select * from objects where id = cogs.object_id offset 0) as objects
      where objects.tenant_id = cogs.tenant_id
    ) as file
    order by found.position, ${inNaturalOrder(db, db`found.path`)}, found.id
  `;
}

export type StoredFolder = { id: number; cog_type: 'master_folder' | 'asset_folder'; name: string };

export type StoredFile = {
  id: number;
  cog_type: 'file';
  name: string;
  mime_type: string;
  key: string;
  size_bytes: number;
  checksum_sha256: string;
};

/** A cog with the facts that determine its readers; for a file, its current content. */
export async function findContent(
  db: Tag,
  who: Caller,
  id: number,
): Promise<(WalkRow & (StoredFile | StoredFolder)) | undefined> {
  const [row] = await db<(WalkRow & (StoredFile | StoredFolder))[]>`
    select
      ${walkColumns(db)},
      cogs.name, cogs.mime_type, objects.key, objects.size_bytes, objects.checksum_sha256
    from ${cogsAmong(db, who, [id])}
    ${withObjects(db)}
    ${reaching(db, who)}
    where walk.is_alive
  `;
  return row;
}
