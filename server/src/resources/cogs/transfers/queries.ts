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

/** Who takes over all that a user owns, and how far that has come. */
export type Succession = {
  tenant_id: number;
  user_id: number;
  successor_id: number;
  requested_by: number;
  last_cog_id: number;
  until_cog_id: number;
  cog_count: number;
};

type NewSuccession = Omit<Succession, 'last_cog_id' | 'until_cog_id' | 'cog_count'>;

/** Those from a user, and to them. */
export const lockSuccessions = (tx: Db, tenantId: number, userId: number) => tx`
  select from successions
  where tenant_id = ${tenantId} and (user_id = ${userId} or successor_id = ${userId})
  order by user_id
  for update
`;

/** What the user was to take over goes to their successor at once; what is that one's own, nowhere. */
export const redirectSuccessions = (tx: Db, { tenant_id, user_id, successor_id }: NewSuccession) =>
  tx`
    with own as (
      delete from successions
      where tenant_id = ${tenant_id} and successor_id = ${user_id} and user_id = ${successor_id}
    )
    update successions
    set successor_id = ${successor_id}
    where tenant_id = ${tenant_id} and successor_id = ${user_id} and user_id <> ${successor_id}
  `;

/** One that is under way begins again, for the new successor. */
export const addSuccession = (
  tx: Db,
  { tenant_id, user_id, successor_id, requested_by }: NewSuccession,
) => tx`
  insert into successions (tenant_id, user_id, successor_id, requested_by, until_cog_id)
  select ${tenant_id}, ${user_id}, ${successor_id}, ${requested_by}, coalesce(max(id), 0)
  from cogs
  where tenant_id = ${tenant_id}
  on conflict (tenant_id, user_id) do update
  set successor_id = excluded.successor_id, requested_by = excluded.requested_by,
      until_cog_id = excluded.until_cog_id, last_cog_id = 0, cog_count = 0
`;

/** One that no other process works at. */
export async function findSuccession(tx: Db): Promise<Succession | undefined> {
  const [row] = await tx<Succession[]>`
    select tenant_id, user_id, successor_id, requested_by, last_cog_id, until_cog_id,
           cog_count
    from successions
    order by created_at, tenant_id, user_id
    limit 1
    for update skip locked
  `;
  return row;
}

export const noteProgress = (
  tx: Db,
  { tenant_id, user_id, last_cog_id, cog_count }: Succession,
) => tx`
  update successions
  set last_cog_id = ${last_cog_id}, cog_count = ${cog_count}
  where tenant_id = ${tenant_id} and user_id = ${user_id}
`;

export const endSuccession = (tx: Db, { tenant_id, user_id }: Succession) => tx`
  delete from successions where tenant_id = ${tenant_id} and user_id = ${user_id}
`;

/**
 * Looks at the next cogs of the tenant by id, because there is no index by owner, and takes over
 * those of the user. Of what is in the trash, the successor gets the grant that the user had, so
 * that restoring it makes them its owner.
 *
 * @returns the last id it looked at; undefined if there are no more.
 */
export async function takeOverPortion(
  tx: Db,
  { tenant_id, user_id: from, successor_id: to, requested_by, ...cogs }: Succession,
  limit: number,
): Promise<{ last?: number; taken: number[] }> {
  const change = { from, to, keeps: true };
  const [row] = await tx<{ last?: number; taken: number[] }[]>`
    with looked_at as materialized (
      select id
      from cogs
      where tenant_id = ${tenant_id} and id > ${cogs.last_cog_id} and id <= ${cogs.until_cog_id}
      order by id
      limit ${limit}
    ),
    taken as materialized (
      select id
      from cogs
      where tenant_id = ${tenant_id} and id in (select id from looked_at) and owner_id = ${from}
        and cog_type <> 'master_folder' and purpose is distinct from 'workflow_outputs'
        and purged_at is null
      order by id
      for no key update
    ),
    ${handingOverGrants(tx, { tenant_id, user_id: requested_by }, tx`taken`, change)},
    changed as (
      update cogs
      set owner_id = ${to},
          ended_grants = case
            when ended_grants @> jsonb_build_array(
              jsonb_build_object('user_id', ${from}::bigint, 'level', 'owner')
            ) then (
              select coalesce(jsonb_agg(grant_of), '[]')
              from jsonb_array_elements(ended_grants) as each (grant_of)
              where (grant_of ->> 'user_id')::bigint <> ${to}
            ) || jsonb_build_array(jsonb_build_object('user_id', ${to}::bigint, 'level', 'owner'))
            else ended_grants
          end
      where tenant_id = ${tenant_id} and id in (select id from taken)
      returning id
    )
    select (select max(id) from looked_at) as last,
           array(select id from changed order by id) as taken
  `;
  return row ?? { taken: [] };
}
