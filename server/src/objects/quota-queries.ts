/** SQL of what tenants store. */
import type { Db } from '../db/connection.ts';

type Piece = ReturnType<Db>;

export type Usage = { used_bytes: number; reserved_bytes: number; limit_bytes?: number };

/** A tenant without a limit may announce more bytes than a number holds; then this many are told. */
const shown = (db: Db, sum: Piece) => db`least(coalesce(${sum}, 0), 9007199254740991)::bigint`;

/** In one statement, so that a change is either noted or already in the sums. */
export async function findUsage(db: Db, tenantId: number): Promise<Usage> {
  const [row] = await db<Usage[]>`
    select
      ${shown(db, db`sum(stored.used_bytes)`)} as used_bytes,
      ${shown(db, db`sum(stored.reserved_bytes)`)} as reserved_bytes,
      (select storage_limit_bytes from tenants where id = ${tenantId}) as limit_bytes
    from (
      select used_bytes, reserved_bytes from storage_usage where tenant_id = ${tenantId}
      union all
      select used_bytes, reserved_bytes from storage_changes where tenant_id = ${tenantId}
    ) as stored
  `;
  return row ?? { used_bytes: 0, reserved_bytes: 0 };
}

/**
 * Reserves at least `size_bytes` in total for an object, and up to `step_bytes` more.
 *
 * @returns what is reserved; undefined if there is no room. One that is no longer pending needs
 *   none, because its bytes are refused when it is to go live.
 */
export async function growReservation(
  db: Db,
  tenantId: number,
  id: number,
  size_bytes: number,
  step_bytes: number,
): Promise<number | undefined> {
  const [row] = await db<{ reserved_bytes?: number }[]>`
    with object as materialized (
      select id, reserved_bytes, ${size_bytes}::bigint - reserved_bytes as needed
      from objects
      where tenant_id = ${tenantId} and id = ${id} and state = 'pending'
      for update
    ),
    place as materialized (select storage_room(${tenantId}) as room from object),
    granted as (
      select
        object.id,
        case
          when room is null then greatest(needed, ${step_bytes}::bigint)
          when needed <= room then greatest(needed, least(${step_bytes}::bigint, room / 2))
        end as bytes
      from object
      cross join place
    ),
    grown as (
      update objects
      set reserved_bytes = reserved_bytes + bytes
      from granted
      where objects.tenant_id = ${tenantId} and objects.id = granted.id and bytes is not null
      returning objects.reserved_bytes
    )
    select reserved_bytes from grown
    union all
    select ${size_bytes}::bigint where not exists (select from object)
  `;
  return row?.reserved_bytes;
}

/** Adds noted changes to the sums; concurrent calls take different ones. @returns how many. */
export async function foldChanges(db: Db, limit: number): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    with taken as (
      delete from storage_changes
      where ctid = any(array(
        select ctid from storage_changes limit ${limit} for update skip locked
      ))
      returning tenant_id, used_bytes, reserved_bytes
    ),
    added as (
      insert into storage_usage as sums (tenant_id, used_bytes, reserved_bytes)
      select tenant_id, sum(used_bytes), sum(reserved_bytes)
      from taken
      group by tenant_id
      -- One order for all, so that concurrent calls cannot deadlock.
      order by tenant_id
      on conflict (tenant_id) do update
      set used_bytes = sums.used_bytes + excluded.used_bytes,
          reserved_bytes = sums.reserved_bytes + excluded.reserved_bytes
    ),
    -- For the statistics of what was stored when.
    counted as (
      insert into statistic_changes (tenant_id, measure, bucket, key, count, amount)
      select tenant_id, 'stored_bytes', quarter_of(now()), '', 0, sum(used_bytes)
      from taken
      group by tenant_id
      having sum(used_bytes) <> 0
    )
    select count(*) from taken
  `;
  return row?.count ?? 0;
}

/** Lets the statements of a transaction take any time. */
export const liftTimeLimit = (tx: Db) => tx`set local statement_timeout = 0`;

export type Drift = Usage & { tenant_id: number; counted_used: number; counted_reserved: number };

/** Reads all objects. What is counted for a tenant, where its objects say something else. */
export const findDrift = (db: Db) => db<Drift[]>`
  with counted as (
    select tenant_id, sum(used_bytes) as used, sum(reserved_bytes) as reserved
    from (
      select * from storage_usage
      union all
      select * from storage_changes
    ) as noted
    group by tenant_id
  ),
  stored as (
    select
      tenant_id, sum(used_bytes_of(objects)) as used, sum(reserved_bytes_of(objects)) as reserved
    from objects
    group by tenant_id
  )
  select
    tenant_id, ${shown(db, db`stored.used`)} as used_bytes,
    ${shown(db, db`stored.reserved`)} as reserved_bytes,
    ${shown(db, db`counted.used`)} as counted_used,
    ${shown(db, db`counted.reserved`)} as counted_reserved
  from counted
  full join stored using (tenant_id)
  where (coalesce(stored.used, 0), coalesce(stored.reserved, 0))
    <> (coalesce(counted.used, 0), coalesce(counted.reserved, 0))
  order by tenant_id
`;
