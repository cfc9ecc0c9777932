/** SQL of handing over. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { handingOverGrants } from '../../permissions/access.ts';

export const setOwner = (tx: Db, tenantId: number, id: number, ownerId: number) => tx`
  update cogs
  set owner_id = ${ownerId}, updated_at = now()
  where tenant_id = ${tenantId} and id = ${id}
`;

/**
 * Changes the owner of everything below a cog that has this owner, and their grants there.
 *
 * @returns how many cogs it walked, at most one more than `most`, and how many it changed: none if
 *   there are more.
 */
export async function takeOverBelow(
  tx: Db,
  caller: Caller,
  id: number,
  change: { from: number; to: number; keeps: boolean },
  most: number,
): Promise<{ walked: number; count: number }> {
  const { tenant_id } = caller;
  const [row] = await tx<{ walked: number; count: number }[]>`
    with recursive below as (
      select ${id}::bigint as id, ${change.to}::bigint as owner_id
      union all
      select child.id, child.owner_id
      from below
      cross join lateral (
        select cogs.id, cogs.owner_id
        from cogs
        where cogs.tenant_id = ${tenant_id} and cogs.parent_id = below.id
          and cogs.deleted_at is null
        offset 0
      ) as child
    ),
    found as materialized (select * from below limit ${most + 2}),
    counted as materialized (select count(*) - 1 as walked from found),
    taken as materialized (
      select found.id
      from found, counted
      where found.owner_id = ${change.from} and counted.walked <= ${most}
    ),
    ${handingOverGrants(tx, caller, tx`taken`, change)},
    changed as (
      update cogs
      set owner_id = ${change.to}
      where cogs.tenant_id = ${tenant_id} and cogs.id in (select id from taken)
      returning cogs.id
    )
    select counted.walked, (select count(*) from changed) as count from counted
  `;
  return row ?? { walked: 0, count: 0 };
}
