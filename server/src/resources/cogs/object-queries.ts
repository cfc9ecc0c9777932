/** SQL of stored objects. */
import type { Db } from '../../db/connection.ts';
import type { StoredObject } from '../../storage/storage.ts';

export type ObjectRow = {
  id: number;
  tenant_id: number;
  key: string;
  state: 'pending' | 'live' | 'dead';
  size_bytes?: number;
  checksum_sha256?: string;
  expires_at?: string;
  created_at: string;
};

export async function addObject(
  db: Db,
  tenantId: number,
  key: string,
  expiresInSeconds: number,
): Promise<{ id: number; key: string }> {
  const [row] = await db<{ id: number; key: string }[]>`
    insert into objects (tenant_id, key, expires_at)
    values (${tenantId}, ${key}, now() + ${expiresInSeconds} * interval '1 second')
    returning id, key
  `;
  if (!row) throw new Error('The object was not added.');
  return row;
}

export async function findObjectByKey(db: Db, key: string): Promise<ObjectRow | undefined> {
  const [row] = await db<ObjectRow[]>`select * from objects where key = ${key}`;
  return row;
}

export async function setStored(
  db: Db,
  tenantId: number,
  id: number,
  { size_bytes, checksum_sha256 }: StoredObject,
): Promise<ObjectRow | undefined> {
  const [row] = await db<ObjectRow[]>`
    update objects
    set size_bytes = ${size_bytes}, checksum_sha256 = ${checksum_sha256}
    where tenant_id = ${tenantId} and id = ${id} and state = 'pending'
    returning *
  `;
  return row;
}

/** What is live already stays so: an object may be referred to by several. */
export async function setLive(
  db: Db,
  tenantId: number,
  id: number,
): Promise<ObjectRow | undefined> {
  const [row] = await db<ObjectRow[]>`
    update objects
    set state = 'live', expires_at = null
    where tenant_id = ${tenantId} and id = ${id}
      and state <> 'dead' and size_bytes is not null
    returning *
  `;
  return row;
}

/** Never shortens what an object still has. */
export function extendExpiry(db: Db, tenantId: number, ids: readonly number[], seconds: number) {
  return db`
    update objects
    set expires_at = greatest(expires_at, now() + ${seconds} * interval '1 second')
    where tenant_id = ${tenantId} and id = any(${ids as number[]}) and state = 'pending'
  `;
}

export function setDead(db: Db, tenantId: number, ids: readonly number[]) {
  return db`
    update objects
    set state = 'dead', expires_at = null
    where tenant_id = ${tenantId} and id = any(${ids as number[]}) and state = 'pending'
  `;
}

/** Pending objects whose time is over die, so that nobody can still make them live. */
export function expirePending(db: Db, now: Date, limit: number) {
  return db`
    with expired as (
      select id
      from objects
      where state = 'pending' and expires_at <= ${now}
      order by expires_at, id
      limit ${limit}
      for update skip locked
    )
    update objects
    set state = 'dead', expires_at = null
    from expired
    where objects.id = expired.id
  `;
}

/** Dead objects, held by this transaction; several collectors get different ones. */
export function lockDead(db: Db, limit: number) {
  return db<{ id: number; key: string }[]>`
    select id, key
    from objects
    where state = 'dead'
    order by id
    limit ${limit}
    for update skip locked
  `;
}

export function removeObjects(db: Db, ids: readonly number[]) {
  return db`delete from objects where id = any(${ids as number[]})`;
}
