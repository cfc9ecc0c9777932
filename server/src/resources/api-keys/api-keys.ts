/**
 * API keys: credentials for programs. A key has its owner's rights at the time of use, never more.
 * For its format see key-format.ts.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import type { Reading } from '../../db/remembered.ts';
import { badField, forbidden, notFound, unauthenticated } from '../../errors.ts';
import type { Listed, Page } from '../../pages.ts';
import { recordEvent, recordEvents } from '../audit-events/audit-events.ts';
import { groundOf } from '../auth/remembered-callers.ts';
import type { AccessToken } from '../auth/schema.ts';
import { accessTokenSeconds, type Tokens } from '../auth/tokens.ts';
import { makeKey, prefixOf, readKey } from './key-format.ts';
import {
  addKey,
  countKeysOf,
  endKeyWithin,
  findKey,
  findKeyExpiry,
  findKeyOwner,
  findKeysOf,
  type KeyOwner,
  type KeyRow,
  lockLiveKey,
  noteKeyUse,
  revokeKey,
  revokeKeysOfUsers,
} from './queries.ts';
import type { ApiKey, ApiKeyRequest, NewApiKey } from './schema.ts';

export { noteKeyUse };

/** The caller's own valid keys. */
export async function listKeys(db: Db, caller: Caller, page: Page): Promise<Listed<ApiKey>> {
  const rows = (await findKeysOf(db, caller, page)).map(shown);
  return page.with_total ? { rows, total: await countKeysOf(db, caller) } : { rows };
}

/**
 * Creates a key for the caller. A request authenticated by a key may create another one, but none
 * that lasts longer: a leaked key must not become permanent.
 *
 * @throws DomainError 422 for an expiry in the past, 403 for one after that of the key in use.
 */
export function createKey(
  db: Db,
  caller: Caller,
  { description, expires_at, access = 'full' }: ApiKeyRequest,
  now = new Date(),
): Promise<NewApiKey> {
  const end = expires_at === undefined ? undefined : new Date(expires_at);
  if (end && end <= now) throw badField('expires_at', 'Must be in the future.');
  return db.transaction(async (tx) => {
    const limit = caller.key_id && (await findKeyExpiry(tx, caller.tenant_id, caller.key_id));
    if (limit && end && end > new Date(limit)) {
      throw forbidden('A key that was made with another key cannot outlive it.');
    }
    // In UTC: PostgreSQL does not accept offsets of 16 hours or more, which RFC 3339 allows.
    const until = end?.toISOString() ?? limit;
    const wanted = { description, access, expires_at: until || undefined };
    return addKeyFor(tx, caller, wanted, 'api_key.created');
  });
}

/**
 * Revokes a key at once, with the tokens it was exchanged for. Admins may revoke any of the tenant.
 */
export function deleteKey(db: Db, caller: Caller, id: number): Promise<void> {
  return db.transaction(async (tx) => {
    const key = await lockLiveKey(tx, caller.tenant_id, id);
    if (!key) throw notFound('API key');
    if (key.user_id !== caller.user_id && caller.role !== 'admin') {
      throw forbidden('Only the owner of a key, or an administrator, may revoke it.');
    }
    await revokeKey(tx, caller.tenant_id, id);
    await record(tx, caller, 'api_key.revoked', key);
  });
}

/** Revokes all keys of those users, of any tenants. @returns how many. */
export async function revokeKeysOf(
  tx: Db,
  users: readonly { id: number; tenant_id: number }[],
): Promise<number> {
  const keys = await revokeKeysOfUsers(tx, users);
  await recordEvents(
    tx,
    keys.map((key) => ({ tenant_id: key.tenant_id, ...eventOf(key, 'api_key.revoked') })),
  );
  return keys.length;
}

/**
 * Replaces a key by a new one. The old one stays valid for the overlap, so that programs can switch
 * without a gap. Only the owner may do this, because the new key acts as its owner.
 */
export function rotateKey(
  db: Db,
  caller: Caller,
  id: number,
  overlap_seconds: number,
): Promise<NewApiKey> {
  return db.transaction(async (tx) => {
    const key = await lockLiveKey(tx, caller.tenant_id, id);
    if (!key) throw notFound('API key');
    if (key.user_id !== caller.user_id) throw forbidden('Only the owner of a key may rotate it.');
    const limit = caller.key_id && (await findKeyExpiry(tx, caller.tenant_id, caller.key_id));
    if (limit && (key.expires_at === undefined || key.expires_at > limit)) {
      throw forbidden('A key cannot rotate one that expires later.');
    }
    if (overlap_seconds > 0) await endKeyWithin(tx, caller.tenant_id, id, overlap_seconds);
    else await revokeKey(tx, caller.tenant_id, id);
    return addKeyFor(tx, caller, key, 'api_key.rotated', id);
  });
}

/**
 * Exchanges a key for an access token with the same rights, for an hour or until the key expires.
 */
export async function exchangeKey(
  db: Db,
  tokens: Tokens,
  text: string,
  now = new Date(),
): Promise<AccessToken> {
  const { user_id, subject, key_id, expires_at } = await ownerOfKey(db, text);
  const left = expires_at ? Math.floor((Date.parse(expires_at) - now.getTime()) / 1000) : Infinity;
  return {
    access_token: await tokens.issue({ user_id, subject, key_id }),
    token_type: 'Bearer',
    expires_in: Math.max(0, Math.min(accessTokenSeconds, left)),
    scope: 'api',
  };
}

/** @throws DomainError `unauthenticated` unless it is a valid key of an active user. */
export async function readKeyCaller(db: Db, text: string): Promise<Reading<Caller>> {
  const owner = await ownerOfKey(db, text);
  const { user_id, tenant_id, role, is_platform_admin, key_id, key_access, good_for_ms } = owner;
  return {
    value: {
      ...{ user_id, tenant_id, role, is_platform_admin, key_id },
      ...(key_access && { key_access }),
    },
    grounds: [groundOf.tenant(tenant_id), groundOf.user(user_id), groundOf.key(key_id)],
    good_for_ms: good_for_ms ?? Number.POSITIVE_INFINITY,
  };
}

const nobodysHash = Buffer.alloc(32);

/**
 * Revokes a key that somebody has found: whoever has all of it could do worse. That includes the key
 * of a disabled user, who may be enabled again. An unknown or ended one is no fault, so that the
 * answer tells nothing.
 */
export async function reportKey(db: Db, text: string): Promise<void> {
  const found = readKey(text);
  const row = found && (await findKey(db, found.public_id));
  if (!row || !timingSafeEqual(found.secret_hash, row.secret_hash)) return;
  const { tenant_id, id } = row;
  await db.transaction(async (tx) => {
    const key = await lockLiveKey(tx, tenant_id, id);
    if (!key) return;
    await revokeKey(tx, tenant_id, id);
    // Nobody of the tenant did it.
    await record(tx, { tenant_id }, 'api_key.reported', key);
  });
}

async function ownerOfKey(db: Db, text: string): Promise<KeyOwner> {
  const key = readKey(text);
  if (!key) throw unauthenticated();
  const owner = await findKeyOwner(db, key.public_id);
  const isRight = timingSafeEqual(key.secret_hash, owner?.secret_hash ?? nobodysHash);
  if (!owner || !isRight) throw unauthenticated();
  if (owner.is_stale) await noteKeyUse(db, owner.key_id);
  return owner;
}

async function addKeyFor(
  tx: Db,
  caller: Caller,
  {
    description,
    access,
    expires_at,
  }: Pick<KeyRow, 'description' | 'access'> & { expires_at?: string | undefined },
  action: string,
  replaced?: number,
): Promise<NewApiKey> {
  const { text, public_id, secret_hash } = makeKey();
  const { tenant_id, user_id } = caller;
  const owner = { tenant_id, user_id, description, access, public_id, secret_hash };
  const row = await addKey(tx, { ...owner, ...(expires_at ? { expires_at } : {}) });
  await record(tx, caller, action, row, {
    ...(caller.key_id === undefined ? {} : { with_key: caller.key_id }),
    ...(replaced === undefined ? {} : { replaces: replaced }),
  });
  return { ...shown(row), access_key: text };
}

type Actor = Parameters<typeof recordEvent>[1];

function record(tx: Db, actor: Actor, action: string, key: KeyRow, details = {}) {
  return recordEvent(tx, actor, eventOf(key, action, details));
}

const eventOf = (key: KeyRow, action: string, details = {}) => ({
  ...{ action, target_type: 'api_key', target_id: key.id },
  details: { key_prefix: prefixOf(key.public_id), user_id: key.user_id, ...details },
});

const shown = ({ user_id: _, public_id, ...key }: KeyRow): ApiKey => ({
  ...key,
  key_prefix: prefixOf(public_id),
});
