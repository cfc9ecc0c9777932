/** SQL of stored objects. */
import type { Db } from '../db/connection.ts';
import type { Tag } from '../db/statement.ts';
import type { StoredObject } from '../storage/storage.ts';
import { addingObjects, fitting, holdingLive } from './pieces.ts';

export type ObjectRow = {
  id: number;
  tenant_id: number;
  key: string;
  state: 'pending' | 'live' | 'dead';
  size_bytes?: number;
  checksum_sha256?: string;
  crc32?: number;
  expires_at?: string;
  created_at: string;
};

/** Adds objects with these keys, in order; without those for which the tenant has no room. */
export function addObjects(
  db: Db,
  tenantId: number,
  wanted: readonly { key: string; reserved_bytes: number }[],
  expiresInSeconds: number,
) {
  const sizes = wanted.map(({ reserved_bytes }) => reserved_bytes);
  const rows = db`(
    select *
    from unnest(
      ${wanted.map(({ key }) => key)}::text[], ${sizes}::bigint[], ${fitting(db, tenantId, sizes)}
    ) as given (key, reserved_bytes, fits)
  )`;
  return db<{ id: number; key: string }[]>`
    ${addingObjects(db, tenantId, rows, expiresInSeconds)}
  `;
}

/** Adds an object that does not count as what the tenant stores. */
export async function addUncounted(
  db: Db,
  tenantId: number,
  key: string,
  expiresInSeconds: number,
): Promise<{ id: number; key: string }> {
  const [row] = await db<{ id: number; key: string }[]>`
    insert into objects (tenant_id, key, is_counted, expires_at)
    values (${tenantId}, ${key}, false, now() + ${expiresInSeconds} * interval '1 second')
    returning id, key
  `;
  if (!row) throw new Error('The object was not added.');
  return row;
}

export async function findObjectByKey(db: Db, key: string): Promise<ObjectRow | undefined> {
  const [row] = await db<ObjectRow[]>`select * from objects where key = ${key}`;
  return row;
}

/** Pending objects whose stored size is not recorded yet. */
export function findUnnoted(db: Db, tenantId: number, ids: readonly number[]) {
  return db<{ id: number; key: string }[]>`
    select id, key
    from objects
    where tenant_id = ${tenantId} and id = any(${ids as number[]})
      and state = 'pending' and size_bytes is null
  `;
}

/** Those that are still pending and not recorded by another process meanwhile. */
export function noteFound(
  db: Db,
  tenantId: number,
  found: readonly (StoredObject & { id: number })[],
) {
  return db`
    update objects
    set size_bytes = found.size_bytes, checksum_sha256 = found.checksum_sha256,
        crc32 = found.crc32
    from unnest(
      ${found.map(({ id }) => id)}::bigint[],
      ${found.map(({ size_bytes }) => size_bytes)}::bigint[],
      ${found.map(({ checksum_sha256 }) => checksum_sha256)}::text[],
      ${found.map(({ crc32 }) => crc32 ?? null)}::bigint[]
    ) as found (id, size_bytes, checksum_sha256, crc32)
    where objects.tenant_id = ${tenantId} and objects.id = found.id
      and objects.state = 'pending' and objects.size_bytes is null
  `;
}

/** @returns false if it is not pending, or has a record of other bytes. */
export async function setStored(
  db: Db,
  tenantId: number,
  id: number,
  { size_bytes, checksum_sha256, crc32 }: StoredObject,
): Promise<boolean> {
  const { count } = await db`
    update objects
    set size_bytes = ${size_bytes}, checksum_sha256 = ${checksum_sha256},
        crc32 = ${crc32 ?? null}
    where tenant_id = ${tenantId} and id = ${id} and state = 'pending' and size_bytes is null
  `;
  return count > 0;
}

/** Removes what is recorded of the bytes. @returns false if the object is not pending. */
export async function clearStored(db: Db, tenantId: number, id: number): Promise<boolean> {
  const { count } = await db`
    update objects
    set size_bytes = null, checksum_sha256 = null, crc32 = null
    where tenant_id = ${tenantId} and id = ${id} and state = 'pending'
  `;
  return count > 0;
}

/** Locks a pending object. @returns whether there is one. */
export async function lockPending(tx: Db, tenantId: number, id: number): Promise<boolean> {
  const { count } = await tx`
    select from objects
    where tenant_id = ${tenantId} and id = ${id} and state = 'pending'
    for update
  `;
  return count > 0;
}

/** Never shortens an object's lifetime. */
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

const named = (db: Tag, objects: readonly { tenant_id: number; id: number }[]) => db`
  unnest(
    ${objects.map(({ tenant_id }) => tenant_id)}::bigint[],
    ${objects.map(({ id }) => id)}::bigint[]
  ) as named (tenant_id, id)
`;

export const setAllLive = (db: Db, objects: readonly { tenant_id: number; id: number }[]) => db`
  update objects
  set state = 'live', expires_at = null
  from ${named(db, objects)}
  where objects.tenant_id = named.tenant_id and objects.id = named.id
    and state = 'pending' and size_bytes is not null
`;

/** Those of the objects that are not live, or do not exist. */
export const findNotLive = (db: Db, objects: readonly { tenant_id: number; id: number }[]) => db`
  select named.id
  from ${named(db, objects)}
  left join objects on objects.tenant_id = named.tenant_id and objects.id = named.id
  where objects.state is distinct from 'live'
`;

export const setAllDead = (db: Db, objects: readonly { tenant_id: number; id: number }[]) => db`
  update objects
  set state = 'dead', expires_at = null
  from ${named(db, objects)}
  where objects.tenant_id = named.tenant_id and objects.id = named.id and state = 'pending'
`;

/** Locks live objects against being judged unused. @returns those that are not live any more. */
export const lockLive = (tx: Tag, objects: readonly { tenant_id: number; id: number }[]) => tx<
  { id: number }[]
>`
  with wanted as materialized (
    select tenant_id, id as object_id from ${named(tx, objects)}
  ),
  held as materialized (${holdingLive(tx, tx`wanted`)})
  select object_id as id from wanted
  except
  select id from held
`;

export const setReleased = (db: Db, objects: readonly { tenant_id: number; id: number }[]) => db`
  update objects
  set released_at = coalesce(released_at, now())
  from ${named(db, objects)}
  where objects.tenant_id = named.tenant_id and objects.id = named.id and state = 'live'
`;

/** Released objects, locked; those to which a transaction is adding a reference are left out. */
export const lockReleased = (tx: Db, now: Date, limit: number) => tx<{ id: number }[]>`
  select id
  from objects
  where released_at is not null and released_at <= ${now}
  order by released_at, id
  limit ${limit}
  for update skip locked
`;

/**
 * For locked objects: dead without references, with the previews made of them; looked at again in ten minutes if only runs under way
 * need them as inputs, else simply live.
 */
export const judgeReleased = (tx: Db, ids: readonly number[], now: Date) => tx`
  with judged as (
    select
      released.id,
      exists (
        select from cogs
        where cogs.tenant_id = released.tenant_id and cogs.object_id = released.id
      ) or exists (
        select from file_versions where file_versions.object_id = released.id
      ) or exists (
        select from node_run_outputs as output where output.object_id = released.id
      ) or exists (
        select from previews
        where previews.tenant_id = released.tenant_id
          and previews.preview_object_id = released.id
      ) or exists (
        select from registry_blobs as blob
        where blob.tenant_id = released.tenant_id and blob.object_id = released.id
      ) as is_used,
      exists (
        select from run_files
        join workflow_runs as run
          on run.tenant_id = run_files.tenant_id and run.id = run_files.run_id
        where run_files.object_id = released.id and run.status in ('queued', 'running')
      ) as is_in_use
    from objects as released
    where released.id = any(${ids as number[]})
  ),
  unseen as (
    delete from previews
    using objects, judged
    where objects.id = judged.id and not is_used and not is_in_use
      and previews.tenant_id = objects.tenant_id and previews.object_id = objects.id
    returning previews.tenant_id, previews.preview_object_id
  ),
  dropped as (
    update objects
    set state = 'dead', released_at = null
    from unseen
    where objects.tenant_id = unseen.tenant_id and objects.id = unseen.preview_object_id
  )
  update objects
  set
    state = case when is_used or is_in_use then 'live' else 'dead' end,
    released_at = case
      when is_in_use and not is_used then ${now}::timestamptz + interval '10 minutes'
    end
  from judged
  where objects.id = judged.id
`;

/** Marks expired pending objects as dead, so that they can no longer go live. */
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

/**
 * Dead objects, locked by this transaction; concurrent collectors get different ones. Those of
 * uploads wait until the storage has removed their parts.
 */
export function lockDead(db: Db, limit: number) {
  return db<{ id: number; key: string }[]>`
    select id, key
    from objects
    where state = 'dead' and not exists (
      select from uploads
      where uploads.tenant_id = objects.tenant_id and uploads.object_id = objects.id
    )
    order by id
    limit ${limit}
    for update skip locked
  `;
}

export function removeObjects(db: Db, ids: readonly number[]) {
  return db`delete from objects where id = any(${ids as number[]})`;
}

export type LiveObject = { id: number; key: string; size_bytes: number };

/** The tenant's live objects among these. */
export const findLive = (db: Db, tenantId: number, ids: readonly number[]) => db<LiveObject[]>`
  select id, key, size_bytes
  from objects
  where tenant_id = ${tenantId} and id = any(${ids as number[]}) and state = 'live'
`;

export const setCrc32Wanted = (db: Db, tenantId: number, ids: readonly number[]) => db`
  update objects
  set crc32_wanted = true
  where tenant_id = ${tenantId} and id = any(${ids as number[]}) and state = 'live'
    and crc32 is null and not crc32_wanted
`;

/** Of any state: one that has died meanwhile is damaged, or still there. */
export const findWantingCrc32 = (db: Db, limit: number) => db<LiveObject[]>`
  select id, key, size_bytes from objects where crc32_wanted order by id limit ${limit}
`;

/** Objects and their CRC-32, null if it cannot be known; they are not wanted any more. */
export const setCrc32s = (db: Db, found: readonly (readonly [number, number | null])[]) => db`
  update objects
  set crc32 = found.crc32, crc32_wanted = false
  from unnest(
    ${found.map(([id]) => id)}::bigint[], ${found.map(([, crc32]) => crc32)}::bigint[]
  ) as found (id, crc32)
  where objects.id = found.id
`;

export type RecordedSize = { key: string; size_bytes: number };

/** Live objects of all tenants in ascending order of their keys. */
export const listRecorded = (db: Db, after: string, limit: number) => db<RecordedSize[]>`
  select key, size_bytes
  from objects
  where key > ${after} and state = 'live'
  order by key
  limit ${limit}
`;

export async function findRecorded(db: Db, key: string) {
  const [row] = await db<Pick<ObjectRow, 'state' | 'size_bytes'>[]>`
    select state, size_bytes from objects where key = ${key}
  `;
  return row;
}
