/**
 * Stored objects: which bytes exist, and which of them anything still needs. The bytes
 * themselves are storage's; who may see them is the cog's business.
 *
 *     recordObjects ─▶ pending ──▶ requireLive ──▶ live ──▶ markDead ──▶ dead ──▶ (collected)
 *                         └──────── markDead, or its time is over ──────────▲
 *
 * A row exists before the first byte, so whatever moment a process dies at, every byte in
 * storage is known here, and nothing has to search the storage for orphans.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Db } from '../db/connection.ts';
import { conflict } from '../errors.ts';
import type { Storage, StoredObject } from '../storage/storage.ts';
import {
  addObjects,
  expirePending,
  extendExpiry,
  findNotLive,
  findUnnoted,
  lockDead,
  noteFound,
  removeObjects,
  setAllDead,
  setAllLive,
  setDead,
  setStored,
} from './queries.ts';

export type RecordedObject = { id: number; key: string };

/**
 * Records objects that are about to be written. Give a database, not a transaction with other
 * work in it: the rows have to be committed before the first byte is.
 */
export function recordObjects(
  db: Db,
  tenantId: number,
  count: number,
  expiresInSeconds: number,
): Promise<RecordedObject[]> {
  const keys = Array.from({ length: count }, () => `${tenantId}/${randomUUID()}`);
  return addObjects(db, tenantId, keys, expiresInSeconds);
}

/**
 * Notes size and checksum of the bytes now in storage; the object is still pending.
 *
 * @throws DomainError 409 `object_expired` when it is not pending any more.
 */
export async function objectStored(
  db: Db,
  tenantId: number,
  id: number,
  stored: StoredObject,
): Promise<void> {
  if (!(await setStored(db, tenantId, id, stored))) throw objectExpired();
}

/**
 * Notes the same of objects whose bytes came straight to the storage, by presigned URL: it is asked
 * for what it holds, unless that is known already. Bytes whose checksum it does not know are read.
 */
export async function noteWhatIsStored(
  { db, storage }: { db: Db; storage: Storage },
  tenantId: number,
  ids: readonly number[],
): Promise<void> {
  const found: (StoredObject & { id: number })[] = [];
  for (const { id, key } of await findUnnoted(db, tenantId, ids)) {
    const stored = await lookAt(storage, key);
    if (stored) found.push({ id, ...stored });
  }
  if (found.length > 0) await noteFound(db, tenantId, found);
}

async function lookAt(storage: Storage, key: string): Promise<StoredObject | undefined> {
  const found = await storage.stat(key);
  if (!found) return undefined;
  const { size_bytes, checksum_sha256 } = found;
  if (checksum_sha256 !== undefined) return { size_bytes, checksum_sha256 };
  const hash = createHash('sha256');
  await storage.copyTo({ key, size_bytes }, undefined, () => hash);
  return { size_bytes, checksum_sha256: hash.digest('hex') };
}

/** An object of a tenant. */
export type ObjectName = { tenant_id: number; id: number };

/**
 * Makes stored objects live whose rows the transaction has locked while they were pending: none
 * can have died.
 */
export const objectsGoLive = (tx: Db, objects: readonly ObjectName[]) => setAllLive(tx, objects);

/**
 * Makes stored objects live, in the transaction that makes what refers to them.
 *
 * @throws DomainError 409 `object_expired` when one is dead, or its bytes are not stored.
 */
export async function requireLive(tx: Db, objects: readonly ObjectName[]): Promise<void> {
  const [, notLive] = await Promise.all([setAllLive(tx, objects), findNotLive(tx, objects)]);
  if (notLive.length > 0) throw objectExpired();
}

/** The same as `markDead`, of many tenants. */
export const discardObjects = (tx: Db, objects: readonly ObjectName[]) => setAllDead(tx, objects);

/** Gives pending objects `seconds` from now, unless they have longer already. */
export async function extendPending(
  db: Db,
  tenantId: number,
  ids: readonly number[],
  seconds: number,
): Promise<void> {
  await extendExpiry(db, tenantId, ids, seconds);
}

/**
 * Nothing was made of them: the collector removes bytes and rows. One that has gone live stays,
 * because whoever lets go may not know: the answer to a commit can get lost.
 */
export async function markDead(db: Db, tenantId: number, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await setDead(db, tenantId, ids);
}

/** How long an object usually has from its record to its end, or to the next extension. */
export const pendingSeconds = 3600;
const extendEvery_ms = 10 * 60 * 1000;

/**
 * Runs `work`, which writes the bytes of a pending object, however long it takes: the object's
 * time is extended while it runs. Let go of by a crash, it is collected within the hour.
 *
 * @param object without `expires_at` where it has just been recorded.
 */
export async function whileWriting<T>(
  db: Db,
  { tenant_id, id, expires_at }: { tenant_id: number; id: number; expires_at?: string },
  work: () => Promise<T>,
): Promise<T> {
  const extend = () => extendPending(db, tenant_id, [id], pendingSeconds);
  if (expires_at !== undefined && Date.parse(expires_at) < Date.now() + 3 * extendEvery_ms)
    await extend();
  // A missed extension is made good by the next one, long before the object's time is over.
  const timer = setInterval(() => void extend().catch(() => {}), extendEvery_ms);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/**
 * Removes up to `limit` dead objects and pending ones past their time: bytes first, then the
 * row, so a crash in between leaves a row and the next run goes on. Several processes may run
 * it at once. Without the storage before it, it forgets nothing: there, all bytes look removed.
 *
 * @returns how many objects are gone now.
 */
export async function collectDeadObjects(
  { db, storage }: { db: Db; storage: Storage },
  now: Date,
  limit: number,
): Promise<number> {
  await storage.check();
  await storage.removeAbandoned(now);
  // Committed before any byte goes: from then on no transaction can make the object live.
  await expirePending(db, now, limit);
  return db.transaction(async (tx) => {
    const dead = await lockDead(tx, limit);
    await Promise.all(dead.map(({ key }) => storage.remove(key)));
    await storage.check();
    await removeObjects(
      tx,
      dead.map(({ id }) => id),
    );
    return dead.length;
  });
}

export const objectExpired = () =>
  conflict('object_expired', 'These bytes are no longer held: store them again.');
