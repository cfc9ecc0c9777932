/**
 * SQL of places: the folders in which users want to create something. "offset 0" forces a look-up
 * by key for every row, whatever the size of a table when the plan is made: for `alongKeys`.
 */
import type { Db } from '../../../db/connection.ts';
import { type WalkRow, walkUp } from '../../permissions/access.ts';
import { hasSibling } from '../queries.ts';
import type { Numbering } from './names.ts';

/** Where a user wants to create something of that name; the root if no folder is given. */
export type Wanted = { user_id: number; parent_id: number | undefined; name: string };

/** The folder, the user's current state and, if requested, whether a sibling has the name. */
export type Place = WalkRow & {
  /** Index of the request, from 1. */
  place: number;
  role: 'admin' | 'member';
  status: 'active' | 'disabled';
  is_taken: boolean;
};

/**
 * The places whose folders exist. The way up is walked once per user and folder.
 *
 * @param names whether to look for siblings of that name.
 */
export function findPlaces(
  db: Db,
  tenantId: number,
  wanted: readonly Wanted[],
  names: 'look up' | 'leave' = 'leave',
) {
  const who = { tenant_id: tenantId, user_id: db`pair.user_id` };
  return db<Place[]>`
    with wanted as materialized (
      select given.place, given.user_id, given.name, coalesce(given.parent_id, root.id) as folder_id
      from unnest(
        ${wanted.map(({ user_id }) => user_id)}::bigint[],
        ${wanted.map(({ parent_id }) => parent_id ?? null)}::bigint[],
        ${wanted.map(({ name }) => name)}::text[]
      ) with ordinality as given (user_id, parent_id, name, place)
      left join cogs as root
        on given.parent_id is null
        and root.tenant_id = ${tenantId} and root.cog_type = 'master_folder'
    ),
    walked as materialized (
      select pair.user_id, pair.folder_id, walk.depth, walk.deciding
      from (select distinct user_id, folder_id from wanted) as pair
      cross join lateral ${walkUp(db, who, db`pair.folder_id`)} as walk
      where walk.is_alive
    )
    select
      wanted.place, folder.id, folder.parent_id, folder.cog_type, folder.owner_id, folder.purpose,
      walked.depth, walked.deciding, users.role, users.status,
      ${names === 'look up' ? hasSibling(db, tenantId, db`wanted.folder_id`, db`wanted.name`) : db`false`} as is_taken
    from wanted
    join walked using (user_id, folder_id)
    cross join lateral (
      select cogs.*
      from cogs
      where cogs.tenant_id = ${tenantId} and cogs.id = wanted.folder_id
      offset 0
    ) as folder
    cross join lateral (
      select users.role, users.status
      from users
      where users.tenant_id = ${tenantId} and users.id = wanted.user_id
      offset 0
    ) as users
    order by wanted.place
  `;
}

/**
 * Locks these folders against deletion, always in the same order. A statement that waited for a
 * deletion finds the folder deleted.
 *
 * @param whenHeld by a deletion: waits for its end, or skips that folder.
 */
export function lockFolders(
  tx: Db,
  tenantId: number,
  wanted: readonly Wanted[],
  whenHeld: 'wait' | 'skip',
) {
  const ids = [...new Set(wanted.flatMap(({ parent_id }) => parent_id ?? []))];
  const theRoot = tx`
    || array(select id from cogs where tenant_id = ${tenantId} and cog_type = 'master_folder')
  `;
  return tx<{ id: number }[]>`
    select folder.id
    from (
      select distinct id
      from unnest(
        ${ids}::bigint[]
        ${wanted.some(({ parent_id }) => parent_id === undefined) ? theRoot : tx``}
      ) as id
      order by id
    ) as wanted
    cross join lateral (
      select cogs.id
      from cogs
      where cogs.tenant_id = ${tenantId} and cogs.id = wanted.id
      offset 0
      for key share ${whenHeld === 'skip' ? tx`skip locked` : tx``}
    ) as folder
  `;
}

/** For each name that many free numbers in its folder, as names. */
export const findFreeNumbers = (
  db: Db,
  tenantId: number,
  wanted: readonly (Numbering & { folder_id: number; count: number })[],
) => db<{ place: number; name: string }[]>`
  select wanted.place, free.name
  from unnest(
    ${wanted.map(({ folder_id }) => folder_id)}::bigint[],
    ${wanted.map(({ head }) => head)}::text[],
    ${wanted.map(({ tail }) => tail)}::text[],
    ${wanted.map(({ first }) => first)}::int[],
    ${wanted.map(({ count }) => count)}::int[]
  ) with ordinality as wanted (folder_id, head, tail, first, count, place)
  cross join lateral (
    select numbered.name
    from generate_series(wanted.first, wanted.first + 1999) as number
    cross join lateral (
      select wanted.head || ' (' || number || ')' || wanted.tail as name offset 0
    ) as numbered
    where not ${hasSibling(db, tenantId, db`wanted.folder_id`, db`numbered.name`)}
    limit wanted.count
  ) as free
`;
