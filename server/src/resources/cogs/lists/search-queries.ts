/**
 * SQL of the search by part of a name. Candidates are read in result order, one batch at a time,
 * and then filtered by what the caller may see, with one check per folder. So the cost of a page
 * depends on its size, not on the tenant's.
 */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { walkUp, withOwnGrant } from '../../permissions/access.ts';

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
  const [batch] = await tx<Batch[]>`
    with candidates as materialized (
      ${candidates(tx, caller, search)}
      ${after === undefined ? tx`` : tx`and (cogs.name, cogs.id) > (${after[0]}, ${after[1]})`}
      order by cogs.name, cogs.id
      limit ${size}
    ),
    ${visible(tx, caller, search)},
    last as (
      select name, id from candidates order by name desc, id desc limit 1
    )
    select (select count(*) from candidates) as examined,
           (select name from last) as last_name,
           (select id from last) as last_id,
           array(select id from visible order by name, id) as ids
  `;
  return batch ?? { examined: 0, ids: [] };
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
  // Escapes the user's wildcards; only our own % has a meaning.
  const pattern = `%${part.replace(/[\\%_]/g, '\\$&')}%`;
  return tx`
    select cogs.id, cogs.parent_id, cogs.name
    from cogs
    where cogs.tenant_id = ${tenant_id}
      and cogs.name ilike ${pattern}
      and cogs.deleted_at is null
      and cogs.cog_type <> 'master_folder'
  `;
}

/** The `candidates` that exist and are visible: the walk is made once per folder. */
function visible(tx: Db, caller: Caller, { under }: Search) {
  // Checked by id: no name index includes the purpose, and candidates are read from the index
  // alone.
  const isEverybodys = tx`
    cogs.id = (
      select id from cogs where tenant_id = ${caller.tenant_id} and purpose = 'workflow_outputs'
    )
  `;
  return tx`
    folders as materialized (
      select place.parent_id, above.deciding is not null as is_shown
      from (select distinct parent_id from candidates) as place
      cross join lateral ${walkUp(tx, caller, tx`place.parent_id`)} as above
      where above.is_alive
        ${under === undefined ? tx`` : tx`and ${under} = any(above.ids)`}
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
