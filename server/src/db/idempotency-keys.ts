/** SQL of idempotency keys: what a request with one answered, for 24 hours. */
import type { Db } from './connection.ts';

/** Whose key it is, and of which route. */
export type Place = { user_id: number; route: string; key: string };
/** The first request with a key. */
export type Earlier = { body_hash: Uint8Array; status: number; response: Uint8Array };

/** The earlier use of the key, as long as it counts. */
export async function findKey(db: Db, { user_id, route, key }: Place) {
  const [earlier] = await db<Earlier[]>`
    select body_hash, status, response
    from idempotency_keys
    where user_id = ${user_id} and route = ${route} and key = ${key}
      and created_at >= now() - interval '24 hours'
  `;
  return earlier;
}

/** The earlier use of the key, or undefined when it is ours now. */
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

/** Forgets keys past their 24 hours. @returns how many. */
export async function forgetOldKeys(db: Db): Promise<number> {
  const gone = await db`
    delete from idempotency_keys where created_at < now() - interval '24 hours'
  `;
  return gone.count;
}

/** Whether no other transaction is in with the same name; if so, this one is. Waits for nobody. */
export async function isFree(tx: Db, name: string): Promise<boolean> {
  const [lock] = await tx<{ is_free: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 7246003)) as is_free
  `;
  return lock?.is_free === true;
}
