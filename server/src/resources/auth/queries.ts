/** SQL of sign-in: signing keys, and who a token or key stands for. */
import type { Db } from '../../db/connection.ts';
import type { Caller } from '../../services.ts';

export type SigningKeyRow = { kid: string; public_jwk: object; sealed_private: Uint8Array };

/** Keys that still verify tokens, the one that signs first. */
export function findSigningKeys(db: Db) {
  return db<SigningKeyRow[]>`
    select kid, public_jwk, sealed_private
    from signing_keys
    where retired_at is null or retired_at > now() - interval '2 hours'
    order by retired_at nulls first, created_at desc, kid
  `;
}

/** Adds the first key; of two servers that start at once, one does. */
export function addSigningKey(db: Db, kid: string, publicJwk: object, sealedPrivate: Uint8Array) {
  return db`
    insert into signing_keys (kid, public_jwk, sealed_private)
    select ${kid}, ${db.json(publicJwk as never)}, ${sealedPrivate}
    where not exists (select from signing_keys where retired_at is null)
  `;
}

/** The active user behind a token of ours; none when a key it came from is revoked or expired. */
export async function findCaller(db: Db, userId: number, keyId: number | undefined) {
  const [caller] = await db<Caller[]>`
    select id as user_id, tenant_id, role, is_platform_admin
    from users
    where id = ${userId}
      and status = 'active'
      and (
        ${keyId ?? null}::bigint is null
        or exists (
          select
          from api_keys
          where api_keys.id = ${keyId ?? null}
            and api_keys.user_id = users.id
            and revoked_at is null
            and (expires_at is null or expires_at > now())
        )
      )
  `;
  return caller;
}
