/** SQL of the locks of WebDAV clients. Expired ones do not exist. */
import type { Db } from '../../db/connection.ts';
import { walkUp } from '../permissions/access.ts';

export type LockRow = {
  cog_id: number;
  token: string;
  user_id: number;
  scope: 'exclusive' | 'shared';
  is_deep: boolean;
  owner: string;
  seconds_left: number;
};

/**
 * Serializes the creation of locks per tenant with the changes that locks might forbid; changes run
 * side by side. Taken before any other lock of the database.
 */
export const holdLocks = (tx: Db, tenantId: number, mode: 'lock' | 'change') =>
  mode === 'lock'
    ? tx`select pg_advisory_xact_lock(7246012, hashint8(${tenantId}))`
    : tx`select pg_advisory_xact_lock_shared(7246012, hashint8(${tenantId}))`;

const columns = (db: Db) => db`
  dav_locks.cog_id, dav_locks.token, dav_locks.user_id, dav_locks.scope, dav_locks.is_deep,
  dav_locks.owner,
  greatest(1, ceil(extract(epoch from dav_locks.expires_at - now())))::int as seconds_left
`;

const live = (db: Db, tenantId: number) => db`
  dav_locks.tenant_id = ${tenantId} and dav_locks.expires_at > now()
`;

/** A lock that applies to one of the cogs (`target_id`), or is on something below it. */
export type FoundLock = LockRow & { target_id: number; is_below: boolean };

/**
 * The locks that apply to these cogs: their own, and deep ones of the folders above.
 *
 * @param belowIds cogs for which those on what lies below are found as well, except in the trash,
 *   where the API put it regardless; this walks up from every lock of the tenant.
 */
export const findLocks = (
  db: Db,
  tenantId: number,
  ids: readonly number[],
  belowIds: readonly number[],
) => db<FoundLock[]>`
  select ${columns(db)}, target.id as target_id, false as is_below
  from (select distinct unnest(${ids}::bigint[]) as id) as target
  cross join lateral ${walkUp(db, { tenant_id: tenantId, user_id: 0 }, db`target.id`)} as walk
  join dav_locks
    on ${live(db, tenantId)} and dav_locks.cog_id = any(walk.ids)
    and (dav_locks.is_deep or dav_locks.cog_id = target.id)
  ${
    belowIds.length === 0
      ? db``
      : db`
        union all
        select ${columns(db)}, target.id, true
        from dav_locks
        cross join lateral ${walkUp(db, { tenant_id: tenantId, user_id: 0 }, db`dav_locks.cog_id`)} as walk
        join (select distinct unnest(${belowIds}::bigint[]) as id) as target
          on target.id = any(walk.ids) and target.id <> dav_locks.cog_id
        where ${live(db, tenantId)} and walk.is_alive
      `
  }
  order by target_id, cog_id, token
`;

/** The locks on exactly these cogs. */
export const findLocksOn = (db: Db, tenantId: number, ids: readonly number[]) => db<LockRow[]>`
  select ${columns(db)}
  from dav_locks
  where ${live(db, tenantId)} and dav_locks.cog_id = any(${ids}::bigint[])
  order by dav_locks.cog_id, dav_locks.token
`;

export async function countLocksOf(db: Db, tenantId: number, userId: number): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*) from dav_locks where ${live(db, tenantId)} and user_id = ${userId}
  `;
  return row?.count ?? 0;
}

/** Adds a lock, and removes the tenant's expired ones. */
export const addLock = (tx: Db, tenantId: number, lock: LockRow) => tx`
  with expired as (
    delete from dav_locks where tenant_id = ${tenantId} and expires_at <= now()
  )
  insert into dav_locks (tenant_id, cog_id, token, user_id, scope, is_deep, owner, expires_at)
  values (
    ${tenantId}, ${lock.cog_id}, ${lock.token}, ${lock.user_id}, ${lock.scope}, ${lock.is_deep},
    ${lock.owner}, now() + make_interval(secs => ${lock.seconds_left})
  )
`;

export const extendLock = (tx: Db, tenantId: number, lock: LockRow, seconds: number) => tx`
  update dav_locks
  set expires_at = now() + make_interval(secs => ${seconds})
  where tenant_id = ${tenantId} and cog_id = ${lock.cog_id} and token = ${lock.token}
`;

export const removeLock = (tx: Db, tenantId: number, lock: LockRow) => tx`
  delete from dav_locks
  where tenant_id = ${tenantId} and cog_id = ${lock.cog_id} and token = ${lock.token}
`;

/** Removes all locks on a cog and on what lies below. */
export const removeLocksIn = (tx: Db, tenantId: number, id: number) => tx`
  delete from dav_locks
  where tenant_id = ${tenantId} and token in (
    select locked.token
    from dav_locks as locked
    cross join lateral ${walkUp(tx, { tenant_id: tenantId, user_id: 0 }, tx`locked.cog_id`)} as walk
    where locked.tenant_id = ${tenantId} and ${id}::bigint = any(walk.ids)
  )
`;
