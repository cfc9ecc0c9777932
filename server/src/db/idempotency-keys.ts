/** SQL of idempotency keys: the stored answers of requests that had one, kept for 24 hours. */
import type { Db } from './connection.ts';

/** The owner and the route of a key. */
export type Place = { user_id: number; route: string; key: string };
/** The first request with a key, and its answer. */
export type Earlier = { body_hash: Uint8Array; status: number; response: Uint8Array };

/** The earlier use of the key, unless it has expired. */
export async function findKey(db: Db, { user_id, route, key }: Place) {
  const [earlier] = await db<Earlier[]>`
    select body_hash, status, response
    from idempotency_keys
    where user_id = ${user_id} and route = ${route} and key = ${key}
      and created_at >= now() - interval '24 hours'
  `;
  return earlier;
}

/** Claims the key. @returns the earlier use; undefined if the key is now ours. */
export async function claimKey(tx: Db, { user_id, route, key }: Place, bodyHash: Buffer) {
  await tx`
    delete from idempotency_keys
    where user_id = ${user_id} and route = ${route} and key = ${key}
      and created_at < now() - interval '24 hours'
  `;
  const claimed = await tx`
    insert into idempotency_keys (user_id, route, key, body_hash)
    values (${user_id}, ${route}, ${key}, ${bodyHash})
    on conflict do nothing
    returning key
  `;
  if (claimed.length > 0) return undefined;
  return findKey(tx, { user_id, route, key });
}

export function keepResult(
  tx: Db,
  { user_id, route, key }: Place,
  status: number,
  response: Buffer,
) {
  return tx`
    update idempotency_keys
    set status = ${status}, response = ${response}
    where user_id = ${user_id} and route = ${route} and key = ${key}
  `;
}

/** Removes expired keys. @returns how many. */
export async function forgetOldKeys(db: Db): Promise<number> {
  const gone = await db`
    delete from idempotency_keys where created_at < now() - interval '24 hours'
  `;
  return gone.count;
}

/** Takes a lock of this name without waiting. @returns false if another transaction holds it. */
export async function isFree(tx: Db, name: string): Promise<boolean> {
  const [lock] = await tx<{ is_free: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 7246003)) as is_free
  `;
  return lock?.is_free === true;
}
