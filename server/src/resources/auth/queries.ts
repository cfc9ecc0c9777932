/** SQL of sign-in: signing keys, and the callers of tokens and keys. */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';

export type SigningKeyRow = { kid: string; public_jwk: object; sealed_private: Uint8Array };

/** Keys that still verify tokens, the signing one first. */
export function findSigningKeys(db: Db) {
  return db<SigningKeyRow[]>`
    select kid, public_jwk, sealed_private
    from signing_keys
    where retired_at is null or retired_at > now() - interval '2 hours'
    order by retired_at nulls first, created_at desc, kid
  `;
}

/** Adds the signing key, unless there is one; of servers that start together, one does. */
export function addSigningKey(db: Db, kid: string, publicJwk: object, sealedPrivate: Uint8Array) {
  return db`
    insert into signing_keys (kid, public_jwk, sealed_private)
    values (${kid}, ${db.json(publicJwk)}, ${sealedPrivate})
    on conflict ((true)) where retired_at is null do nothing
  `;
}

/** What a token of ours depends on, besides its user. Each must still exist. */
export type TokenGround = {
  /** The API key it was exchanged for. */
  key_id?: number;
  /** The browser session it was issued in. */
  session_uid?: string;
  /** SHA-256 of the id of its authorization. */
  grant_hash?: Buffer;
};

/**
 * The active user of a token of ours; undefined if its key was revoked or has expired, or its
 * session or authorization has ended. A session outlives its own row as long as it has a refresh
 * token, because of offline access. `key_is_stale`: the key's last use was recorded more than a
 * minute ago. `good_for_ms`: until the first of key, session and grant expires; absent if none
 * does.
 */
export async function findCaller(
  db: Db,
  userId: number,
  { key_id, session_uid, grant_hash }: TokenGround,
) {
  const [caller] = await db<(Caller & { key_is_stale?: boolean; good_for_ms?: number })[]>`
    select users.id as user_id, users.tenant_id, role, is_platform_admin, key_id,
           nullif(key.access, 'full') as key_access,
           key_id is not null and coalesce(last_used_at < now() - interval '1 minute', true)
             as key_is_stale,
           extract(
             epoch from least(key.expires_at, session.expires_at, authorized.expires_at) - now()
           )::float8 * 1000 as good_for_ms
    from users
    left join (
      select id as key_id, user_id, last_used_at, expires_at, access
      from api_keys
      where id = ${key_id ?? null}
        and revoked_at is null
        and (expires_at is null or expires_at > now())
    ) as key on key.user_id = users.id
    left join lateral (
      select max(expires_at) as expires_at
      from identity_states
      where session_uid = ${session_uid ?? null}
        and model in ('Session', 'RefreshToken')
        and ended_at is null
    ) as session on true
    left join identity_states as authorized
      on authorized.model = 'Grant' and authorized.id_hash = ${grant_hash ?? null}
    where users.id = ${userId}
      and status = 'active'
      and key_id is not distinct from ${key_id ?? null}::bigint
      and (${session_uid ?? null}::text is null or session.expires_at > now())
      and (${grant_hash ?? null}::bytea is null or authorized.expires_at > now())
  `;
  return caller;
}

export type PasswordRow = { hash: string; must_change: boolean };

export async function findPassword(db: Db, userId: number): Promise<PasswordRow | undefined> {
  const [row] = await db<PasswordRow[]>`
    select hash, must_change from passwords where user_id = ${userId}
  `;
  return row;
}

/** Whether anybody signs in with a password here. */
export async function hasPasswords(db: Db): Promise<boolean> {
  const [row] = await db<{ some: boolean }[]>`select exists (select from passwords) as some`;
  return row?.some ?? false;
}

export function savePassword(db: Db, userId: number, hash: string, mustChange: boolean) {
  return db`
    insert into passwords (user_id, hash, must_change)
    values (${userId}, ${hash}, ${mustChange})
    on conflict (user_id) do update
    set hash = excluded.hash, must_change = excluded.must_change, updated_at = now()
  `;
}

/** Removes a password unless it was changed. @returns whether it did. */
export async function removePasswordOf(db: Db, userId: number, hash: string): Promise<boolean> {
  const removed = await db`delete from passwords where user_id = ${userId} and hash = ${hash}`;
  return removed.count > 0;
}

export const removePassword = (db: Db, userId: number) =>
  db`delete from passwords where user_id = ${userId}`;

/** The active user with this `subject` at an external provider. */
export async function findCallerBySubject(db: Db, issuer: string, subject: string) {
  const [caller] = await db<(Caller & { key_is_stale?: never; good_for_ms?: never })[]>`
    select id as user_id, tenant_id, role, is_platform_admin
    from users
    where issuer = ${issuer} and subject = ${subject} and status = 'active'
  `;
  return caller;
}

/** Serializes first requests of a subject. */
export function lockSubject(db: Db, issuer: string, subject: string) {
  return db`select pg_advisory_xact_lock(hashtextextended(${`${issuer} ${subject}`}, 7246))`;
}
