/** SQL of API keys. A key is live until it is revoked or expires. */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { Page } from '../../pages.ts';

export type KeyRow = {
  id: number;
  user_id: number;
  description: string;
  public_id: string;
  created_at: string;
  last_used_at?: string;
  expires_at?: string;
  access: 'full' | 'read';
};

const columns = (db: Db) => db`
  id, user_id, description, public_id, created_at, last_used_at, expires_at, access
`;
const isLive = (db: Db) => db`
  api_keys.revoked_at is null and (api_keys.expires_at is null or api_keys.expires_at > now())
`;

export type NewKeyRow = Pick<
  KeyRow,
  'user_id' | 'description' | 'public_id' | 'expires_at' | 'access'
> & {
  tenant_id: number;
  secret_hash: Buffer;
};

export async function addKey(db: Db, key: NewKeyRow): Promise<KeyRow> {
  const [row] = await db<KeyRow[]>`
    insert into api_keys
      (tenant_id, user_id, description, public_id, secret_hash, access, expires_at)
    values (
      ${key.tenant_id}, ${key.user_id}, ${key.description}, ${key.public_id}, ${key.secret_hash},
      ${key.access}, ${key.expires_at ?? null}
    )
    returning ${columns(db)}
  `;
  if (!row) throw new Error('The key was not added.');
  return row;
}

export function findKeysOf(db: Db, { tenant_id, user_id }: Caller, page: Page) {
  const ordered = db`
    select ${columns(db)}
    from api_keys
    where tenant_id = ${tenant_id} and user_id = ${user_id} and ${isLive(db)}
      ${page.after ? db`and id > ${Number(page.after[0])}` : db``}
    order by id
  `;
  return db<KeyRow[]>`${pageOf(db, page, ordered)}`;
}

export async function countKeysOf(db: Db, { tenant_id, user_id }: Caller): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)
    from api_keys
    where tenant_id = ${tenant_id} and user_id = ${user_id} and ${isLive(db)}
  `;
  return row?.count ?? 0;
}

/** Live or not, whoever's it is. */
export async function findKey(db: Db, publicId: string) {
  const [row] = await db<{ tenant_id: number; id: number; secret_hash: Uint8Array }[]>`
    select tenant_id, id, secret_hash from api_keys where public_id = ${publicId}
  `;
  return row;
}

/** Locked, so that of two concurrent rotations or revocations the second finds it gone. */
export async function lockLiveKey(db: Db, tenantId: number, id: number) {
  const [row] = await db<KeyRow[]>`
    select ${columns(db)}
    from api_keys
    where tenant_id = ${tenantId} and id = ${id} and ${isLive(db)}
    for update
  `;
  return row;
}

export async function findKeyExpiry(db: Db, tenantId: number, id: number) {
  const [row] = await db<{ expires_at?: string }[]>`
    select expires_at from api_keys where tenant_id = ${tenantId} and id = ${id}
  `;
  return row?.expires_at;
}

export function revokeKey(db: Db, tenantId: number, id: number) {
  return db`
    update api_keys
    set revoked_at = now()
    where tenant_id = ${tenantId} and id = ${id} and revoked_at is null
  `;
}

/** All live keys of those users. */
export function revokeKeysOfUsers(db: Db, users: readonly { id: number; tenant_id: number }[]) {
  const [tenants, ids] = [users.map((user) => user.tenant_id), users.map((user) => user.id)];
  return db<(KeyRow & { tenant_id: number })[]>`
    update api_keys
    set revoked_at = now()
    where (tenant_id, user_id) in (select * from unnest(${tenants}::bigint[], ${ids}::bigint[]))
      and ${isLive(db)}
    returning tenant_id, ${columns(db)}
  `;
}

/** Brings the expiry of a key forward, never back. */
export function endKeyWithin(db: Db, tenantId: number, id: number, seconds: number) {
  return db`
    update api_keys
    set expires_at = least(expires_at, now() + make_interval(secs => ${seconds}))
    where tenant_id = ${tenantId} and id = ${id}
  `;
}

export type KeyOwner = Caller & {
  key_id: number;
  secret_hash: Uint8Array;
  subject: string;
  expires_at?: string;
  is_stale: boolean;
  good_for_ms?: number;
};

/**
 * A live key and its active user. `is_stale`: its last use was recorded more than a minute ago.
 * `good_for_ms`: time until it expires, if it does.
 */
export async function findKeyOwner(db: Db, publicId: string): Promise<KeyOwner | undefined> {
  const [row] = await db<KeyOwner[]>`
    select api_keys.id as key_id, secret_hash, api_keys.expires_at, users.id as user_id,
           users.tenant_id, role, is_platform_admin, subject,
           nullif(api_keys.access, 'full') as key_access,
           coalesce(last_used_at < now() - interval '1 minute', true) as is_stale,
           extract(epoch from api_keys.expires_at - now())::float8 * 1000 as good_for_ms
    from api_keys
    join users on users.tenant_id = api_keys.tenant_id and users.id = api_keys.user_id
    where public_id = ${publicId} and ${isLive(db)} and users.status = 'active'
  `;
  return row;
}

/** The condition prevents concurrent requests from writing the same row many times. */
export function noteKeyUse(db: Db, id: number) {
  return db`
    update api_keys
    set last_used_at = now()
    where id = ${id} and coalesce(last_used_at < now() - interval '1 minute', true)
  `;
}
