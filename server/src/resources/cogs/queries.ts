/** SQL of single cogs and of their tree. For lists see lists/queries.ts. */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import type { Tag } from '../../db/statement.ts';
import {
  cogsAmong,
  type DecidingGrant,
  grantingMakers,
  ownGrant,
  type Reached,
  reaching,
  type Which,
  walkUp,
  withOwnGrant,
} from '../permissions/access.ts';
import { levelsAbove, raisingLevels } from './places/level-queries.ts';
import type { Cog } from './schema.ts';

/** A cog as clients see it, and the grant that determines the caller's access. */
export type CogRow = Omit<Cog, 'access'> & Pick<Reached, 'purpose'> & { deciding?: DecidingGrant };

/** Requires `cogs` and `objects` in scope. */
export const cogColumns = (db: Tag) => db`
  cogs.id, cogs.name, cogs.cog_type, cogs.purpose, cogs.parent_id, cogs.owner_id,
  cogs.size_bytes, cogs.mime_type, objects.checksum_sha256, cogs.version,
  cogs.created_at, cogs.updated_at
`;

export const withObjects = (db: Tag) => db`
  left join objects on objects.tenant_id = cogs.tenant_id and objects.id = cogs.object_id
`;

type Who = Pick<Caller, 'tenant_id' | 'user_id' | 'role'>;

/** Existing cogs that are reachable from the root, whether or not the caller may see them. */
export function findCogs(db: Tag, who: Who, which: Which) {
  return db<CogRow[]>`
    select ${cogColumns(db)}, walk.deciding
    from ${cogsAmong(db, who, which)}
    ${withObjects(db)}
    ${reaching(db, who)}
    where walk.is_alive
  `;
}

/** A cog that is to be changed, with its place in the tree. */
export type PlacedCogRow = CogRow & {
  owner_role?: Caller['role'];
  depth: number;
  /** The ids from itself up to the root. */
  path: number[];
  /** The upper bound of the levels of folders below it. */
  levels_below: number;
};

/** The same as `findCogs`, with their places. */
export const findPlacedCogs = (db: Tag, who: Who, ids: readonly number[]) => db<PlacedCogRow[]>`
  select
    ${cogColumns(db)}, cogs.levels_below, walk.deciding, walk.depth, walk.ids as path,
    (
      select users.role from users
      where users.tenant_id = ${who.tenant_id} and users.id = cogs.owner_id
    ) as owner_role
  from ${cogsAmong(db, who, ids)}
  ${withObjects(db)}
  ${reaching(db, who)}
  where walk.is_alive
`;

/** From the root down to the cog itself, each with its deciding grant. */
export async function findPath(db: Db, who: Who, id: number): Promise<CogRow[]> {
  const rows = await db<CogRow[]>`
    select ${cogColumns(db)}, ${ownGrant(db)} as deciding
    from ${walkUp(db, who, db`${id}`)} as walk
    cross join lateral unnest(walk.ids) with ordinality as place (id, distance)
    cross join lateral (
      select cogs.* from cogs where cogs.tenant_id = ${who.tenant_id} and cogs.id = place.id offset 0
    ) as cogs
    ${withObjects(db)}
    ${withOwnGrant(db, who)}
    where walk.is_alive
    order by place.distance desc
  `;
  // Access is inherited on the way down: a folder without a grant of its own has the one from
  // above.
  let inherited: DecidingGrant | undefined;
  return rows.map((row) => {
    inherited = row.deciding ?? inherited;
    return inherited ? { ...row, deciding: inherited } : row;
  });
}

export async function findRootId(db: Db, tenantId: number): Promise<number | undefined> {
  const [root] = await db<{ id: number }[]>`
    select id from cogs where tenant_id = ${tenantId} and cog_type = 'master_folder'
  `;
  return root?.id;
}

/** Of concurrent calls, one adds it. */
export function addRoot(db: Db, tenantId: number, name: string, userId: number) {
  return db`
    insert into cogs (tenant_id, name, cog_type, owner_id)
    values (
      ${tenantId}, ${name}, 'master_folder',
      coalesce(
        (
          select id from users
          where tenant_id = ${tenantId} and role = 'admin'
          order by id
          limit 1
        ),
        ${userId}
      )
    )
    on conflict (tenant_id) where cog_type = 'master_folder' do nothing
  `;
}

/** Locks the folder against deletion. A statement that waited for a deletion finds it deleted. */
export function lockFolder(tx: Db, tenantId: number, id: number) {
  return tx`select from cogs where tenant_id = ${tenantId} and id = ${id} for key share`;
}

/**
 * Locks cogs against any other change, and folders against anything being put into them: folders
 * first, like whoever locks folders and then files in them, and each in the order of ids.
 */
export const lockAlone = (tx: Db, tenantId: number, ids: readonly number[] | ReturnType<Db>) => tx`
  select from cogs
  where tenant_id = ${tenantId} and id = any(${ids as number[] | ReturnType<Db>}::bigint[])
  order by (cog_type = 'file'), id
  for update
`;

/** Locks cogs against other changes of them and of their grants. */
export const lockCogs = (tx: Db, tenantId: number, ids: readonly number[]) => tx`
  select from cogs
  where tenant_id = ${tenantId} and id = any(${ids as number[]}::bigint[])
  order by id
  for no key update
`;

/** Locks the folders that cogs are in against deletion. */
export const lockFoldersOf = (tx: Db, tenantId: number, ids: readonly number[]) => tx`
  select from cogs
  where tenant_id = ${tenantId} and id = any(${parentsOf(tx, tenantId, ids)})
  order by id
  for key share
`;

/** The folders that cogs are in, deleted ones too, as an array. */
export const parentsOf = (db: Db, tenantId: number, ids: readonly number[]) => db`
  array(
    select distinct parent_id from cogs
    where tenant_id = ${tenantId} and id = any(${ids as number[]}::bigint[])
  )
`;

export type NewFolderRow = {
  tenant_id: number;
  parent_id: number;
  name: string;
  owner_id: number;
  /** Whether the owner gets a grant on it. */
  granted: boolean;
};

/** The columns of a new cog that the database sets. */
export type MadeCog = Pick<Cog, 'id' | 'created_at' | 'updated_at'>;

/** Adds a folder and updates the folders above, unless a sibling has its name. */
export async function addFolderRow(
  db: Db,
  { tenant_id, parent_id, name, owner_id, granted }: NewFolderRow,
): Promise<MadeCog | undefined> {
  const lowest = db`select ${parent_id}::bigint as id, 1 as levels from added`;
  const [row] = await db<MadeCog[]>`
    with recursive added as (
      insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
      values (${tenant_id}, ${parent_id}, ${name}, 'asset_folder', ${owner_id})
      on conflict (tenant_id, parent_id, name) where deleted_at is null do nothing
      returning id, owner_id, created_at, updated_at
    ),
    ${granted ? db`granted as (${grantingMakers(db, tenant_id, db`added`)}),` : db``}
    ${levelsAbove(db, tenant_id, lowest)},
    raised as (${raisingLevels(db)})
    select id, created_at, updated_at from added
  `;
  return row;
}

/**
 * Adds files to a folder; their bytes are live. Files whose name a sibling has are skipped, so the
 * transaction is not aborted.
 *
 * @param folder `granted`: whether the owner gets a grant on each.
 */
export const addFileRows = (
  db: Db,
  folder: { tenant_id: number; parent_id: number; owner_id: number; granted: boolean },
  files: readonly { name: string; result: { object_id: number; mime_type: string } }[],
) => db<{ id: number; name: string }[]>`
  with added as (
    insert into cogs
      (tenant_id, parent_id, name, cog_type, owner_id, object_id, size_bytes, mime_type, version)
    select ${folder.tenant_id}, ${folder.parent_id}, name, 'file', ${folder.owner_id}, object_id,
           (select size_bytes from objects where id = object_id), mime_type, 1
    from unnest(
      ${files.map(({ name }) => name)}::text[],
      ${files.map(({ result }) => result.object_id)}::bigint[],
      ${files.map(({ result }) => result.mime_type)}::text[]
    ) as file (name, object_id, mime_type)
    -- One order for all: a concurrent insert of several waits at the first name and cannot
    -- deadlock.
    order by name collate "C"
    on conflict (tenant_id, parent_id, name) where deleted_at is null do nothing
    returning id, owner_id, name
  ),
  granted as (
    ${grantingMakers(db, folder.tenant_id, db`(select id, owner_id from added where ${folder.granted})`)}
  )
  select id, name from added
`;

/** The user's folders with one of these names, oldest first. */
export async function findOwnFolders(
  db: Db,
  tenantId: number,
  parentId: number,
  userId: number,
  names: string[],
): Promise<number[]> {
  const rows = await db<{ id: number }[]>`
    select id
    from cogs
    where tenant_id = ${tenantId} and parent_id = ${parentId} and name = any(${names})
      and cog_type = 'asset_folder' and owner_id = ${userId} and deleted_at is null
    order by id
  `;
  return rows.map(({ id }) => id);
}

/** Which of these names are free, in their order. */
export async function findFreeNames(db: Db, tenantId: number, parentId: number, names: string[]) {
  const rows = await db<{ name: string }[]>`
    select wanted.name
    from unnest(${names}::text[]) with ordinality as wanted (name, position)
    where not ${hasSibling(db, tenantId, db`${parentId}::bigint`, db`wanted.name`)}
    order by position
  `;
  return rows.map((row) => row.name);
}

/**
 * Whether a folder has a live cog of that name. Ordered by name, so that statements along keys
 * (`How.alongKeys`) use the index of names: in a young table the planner finds an index of folders
 * as good, which reads all siblings for each name.
 */
export const hasSibling = (
  db: Db,
  tenantId: number,
  folderId: ReturnType<Db>,
  name: ReturnType<Db>,
) => db`
  (
    select count(*) > 0
    from (
      select cogs.name
      from cogs
      where cogs.tenant_id = ${tenantId} and cogs.parent_id = ${folderId}
        and cogs.name between ${name} and ${name} and cogs.deleted_at is null
      order by cogs.name
      limit 1
    ) as sibling
  )
`;

export const renameCog = (db: Db, tenantId: number, id: number, name: string | undefined) => db`
  update cogs
  set name = coalesce(${name ?? null}, name), updated_at = now()
  where tenant_id = ${tenantId} and id = ${id}
`;
