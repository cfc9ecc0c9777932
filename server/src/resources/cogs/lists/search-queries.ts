/**
 * SQL of the search by part of a name. Candidates are read in result order, one batch at a time,
 * and then filtered by what the caller may see, with one check per folder. So the cost of a page
 * depends on its size, not on the tenant's.
 */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { inNaturalOrder } from '../../../db/natural-order.ts';
import { partOfText } from '../../../db/part-of-text.ts';
import { cogByKey, walkUp, withOwnGrant } from '../../permissions/access.ts';

export type Search = { part: string; under: number | undefined };

/** Name and id of a cog: its position in the result order. */
export type Place = readonly [name: string, id: number];

export type Batch = {
  /** How many candidates were examined; fewer than requested means there are no more. */
  examined: number;
  last_name?: string;
  last_id?: number;
  /** Cogs the caller may see, in order. */
  ids: number[];
};

/**
 * Settings of the transaction: plans for the actual text, and a limit so that other requests do not
 * wait.
 */
export function beginSearch(tx: Db, statement_ms: number) {
  return tx`
    select set_config('plan_cache_mode', 'force_custom_plan', true),
           set_config('statement_timeout', ${String(statement_ms)}, true)
  `;
}

/** The next `size` candidates after `after`, and which of them the caller may see. */
export async function findBatch(
  tx: Db,
  caller: Caller,
  search: Search,
  after: Place | undefined,
  size: number,
): Promise<Batch> {
  const name = inNaturalOrder(tx, tx`cogs.name`);
  const [batch] = await tx<Batch[]>`
    with candidates as materialized (
      ${candidates(tx, caller, search)}
      ${after === undefined ? tx`` : tx`and (${name}, cogs.id) > (${after[0]}, ${after[1]})`}
      order by ${name}, cogs.id
      limit ${size}
    ),
    ${visible(tx, caller, search)},
    last as (
      select name, id from candidates as cogs order by ${name} desc, id desc limit 1
    )
    select (select count(*) from candidates) as examined,
           (select name from last) as last_name,
           (select id from last) as last_id,
           array(select id from visible as cogs order by ${name}, id) as ids
  `;
  return batch ?? { examined: 0, ids: [] };
}

/**
 * The whole page at once, read from above instead: from the folder searched in, or for a member from
 * what they have grants on, down to all below. For who sees all below the folder, and for a member
 * who searches everywhere.
 *
 * @returns the ids of the first `wanted` matches after `after`; undefined if there is more than
 *   `most` to read.
 */
export async function findFromAbove(
  tx: Db,
  caller: Caller,
  { part, under }: Search,
  after: Place | undefined,
  { wanted, most }: { wanted: number; most: number },
): Promise<number[] | undefined> {
  const { tenant_id, user_id } = caller;
  const name = inNaturalOrder(tx, tx`cogs.name`);
  const childrenOf = (folderId: ReturnType<Db>) => tx`
    (
      select cogs.id, cogs.parent_id, cogs.name, cogs.cog_type
      from cogs
      where cogs.tenant_id = ${tenant_id} and cogs.parent_id = ${folderId}
        and cogs.deleted_at is null
      offset 0
    )
  `;
  const highest =
    under === undefined
      ? tx`
        select cogs.id, cogs.parent_id, cogs.name, cogs.cog_type
        from permissions
        cross join lateral ${cogByKey(tx, tenant_id, tx`permissions.cog_id`)}
        where permissions.tenant_id = ${tenant_id} and permissions.user_id = ${user_id}
          and (permissions.expires_at is null or permissions.expires_at > now())
          and cogs.deleted_at is null
      `
      : tx`select child.* from ${childrenOf(tx`${under}::bigint`)} as child`;
  const [found] = await tx<{ count: number; ids: number[] }[]>`
    with recursive below as (
      ${highest}
      -- Not "all": a grant may be below another one.
      union
      select child.*
      from below
      cross join lateral ${childrenOf(tx`below.id`)} as child
      where below.cog_type <> 'file'
    ),
    found as materialized (select * from below limit ${most + 1}),
    matches as (
      select id, parent_id, name from found where cog_type <> 'master_folder'
      ${under === undefined ? tx`union select id, parent_id, name from ${outputsRoot(tx, tenant_id)}` : tx``}
    )
    select
      (select count(*) from found) as count,
      array(
        select cogs.id
        from (
          select *
          from matches as cogs
          where cogs.name ilike ${partOfText(part)}
            ${after === undefined ? tx`` : tx`and (${name}, cogs.id) > (${after[0]}, ${after[1]})`}
          order by ${name}, cogs.id
          offset 0
        ) as cogs
        -- What is in a deleted folder is no match.
        cross join lateral ${walkUp(tx, caller, tx`cogs.parent_id`)} as above
        where above.is_alive and ${isBelowRoot(tx, caller)}
        order by ${name}, cogs.id
        limit ${wanted}
      ) as ids
  `;
  return found && found.count <= most ? found.ids : undefined;
}

export async function countMatches(tx: Db, caller: Caller, search: Search): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    with candidates as materialized (${candidates(tx, caller, search)}),
    ${visible(tx, caller, search)}
    select count(*) from visible
  `;
  return row?.count ?? 0;
}

function candidates(tx: Db, { tenant_id }: Caller, { part }: Search) {
  return tx`
    select cogs.id, cogs.parent_id, cogs.name
    from cogs
    where cogs.tenant_id = ${tenant_id}
      and cogs.name ilike ${partOfText(part)}
      and cogs.deleted_at is null
      and cogs.cog_type <> 'master_folder'
  `;
}

/** Shown to everybody. */
const outputsRoot = (tx: Db, tenantId: number) => tx`
  (
    select id, parent_id, name
    from cogs
    where tenant_id = ${tenantId} and purpose = 'workflow_outputs'
  ) as outputs
`;

/** The folders of tests are not: nothing in them is a match. */
const isBelowRoot = (tx: Db, { tenant_id }: Caller) => tx`
  (select id from cogs where tenant_id = ${tenant_id} and cog_type = 'master_folder')
    = any(above.ids)
`;

/** The `candidates` that exist and are visible: the walk is made once per folder. */
function visible(tx: Db, caller: Caller, { under }: Search) {
  // Checked by id: no name index includes the purpose, and candidates are read from the index
  // alone.
  const isEverybodys = tx`
    cogs.id = (select id from ${outputsRoot(tx, caller.tenant_id)})
  `;
  return tx`
    folders as materialized (
      select place.parent_id, above.deciding is not null as is_shown
      from (select distinct parent_id from candidates) as place
      cross join lateral ${walkUp(tx, caller, tx`place.parent_id`)} as above
      where above.is_alive
        and ${under === undefined ? isBelowRoot(tx, caller) : tx`${under} = any(above.ids)`}
    ),
    visible as (
      select cogs.id, cogs.name
      from candidates as cogs
      join folders using (parent_id)
      ${withOwnGrant(tx, caller)}
      where ${caller.role === 'admin' ? tx`true` : tx`(folders.is_shown or own.id is not null or ${isEverybodys})`}
    )
  `;
}
