/**
 * Stored objects: which bytes exist, and which are still referenced. storage/ holds the bytes; cogs
 * decide who may see them.
 *
 *     recordObjects ─▶ pending ──▶ requireLive ──▶ live ──▶ markDead ──▶ dead ──▶ (collected)
 *                         └──────── markDead, or its time is over ──────────▲
 *
 * A row exists before the first byte. So at whatever moment a process dies, all bytes in the
 * storage are recorded here, and the storage never has to be searched for orphans.
 */
import { randomUUID } from 'node:crypto';
import type { Db } from '../db/connection.ts';
import type { Tag } from '../db/statement.ts';
import { conflict } from '../errors.ts';
import type { Storage, StoredObject } from '../storage/storage.ts';
import { checksumsOf } from './checksums.ts';
import {
  addObjects,
  addUncounted,
  clearStored,
  expirePending,
  extendExpiry,
  findLive,
  findNotLive,
  findUnnoted,
  judgeReleased,
  lockDead,
  lockLive,
  lockPending,
  lockReleased,
  noteFound,
  removeObjects,
  setAllDead,
  setAllLive,
  setDead,
  setReleased,
  setStored,
} from './queries.ts';
import { quotaExceeded } from './quota.ts';

export type RecordedObject = { id: number; key: string };

/**
 * Records objects that are about to be written. Pass a database, not a transaction with other work:
 * the rows must be committed before the first byte is written.
 *
 * @param sizes bytes to reserve for each: what is known of its size, else 0. See quota.ts.
 * @returns undefined for those for which the tenant has no room.
 */
export async function recordObjects(
  db: Db,
  tenantId: number,
  sizes: readonly number[],
  expiresInSeconds: number,
): Promise<(RecordedObject | undefined)[]> {
  const wanted = sizes.map((reserved_bytes) => ({ key: newKey(tenantId), reserved_bytes }));
  const added = await addObjects(db, tenantId, wanted, expiresInSeconds);
  const byKey = new Map(added.map(({ id, key }) => [key, { id, key }]));
  return wanted.map(({ key }) => byKey.get(key));
}

/**
 * Does the same for one object.
 *
 * @throws DomainError 403 `quota_exceeded`
 */
export async function requireRecorded(
  db: Db,
  tenantId: number,
  reserved_bytes: number,
  expiresInSeconds: number,
): Promise<RecordedObject> {
  const [object] = await recordObjects(db, tenantId, [reserved_bytes], expiresInSeconds);
  if (!object) throw await quotaExceeded(db, tenantId, reserved_bytes);
  return object;
}

/**
 * Does the same for bytes that the service makes for its own use, such as a preview: they do not
 * count as what the tenant stores, and need no room.
 */
export const recordUncounted = (
  db: Db,
  tenantId: number,
  expiresInSeconds: number,
): Promise<RecordedObject> => addUncounted(db, tenantId, newKey(tenantId), expiresInSeconds);

export const newKey = (tenantId: number): string => `${tenantId}/${randomUUID()}`;

/**
 * Records size and checksum of the stored bytes; the object is still pending.
 *
 * What is recorded of earlier bytes is removed first, in a transaction of its own: if the process
 * dies after `move` and before the commit, the new bytes have no checksum, instead of that of others.
 *
 * @param move puts the bytes in place, while the object is locked.
 * @throws DomainError 409 `object_expired` if it is no longer pending.
 */
export async function objectStored(
  db: Db,
  tenantId: number,
  id: number,
  stored: StoredObject,
  move: () => Promise<void> = async () => {},
): Promise<void> {
  const place = () =>
    db.transaction(async (tx) => {
      if (!(await setStored(tx, tenantId, id, stored))) return false;
      await move();
      return true;
    });
  while (!(await place())) {
    if (!(await clearStored(db, tenantId, id))) throw objectExpired();
  }
}

/**
 * Locks a pending object, which stays pending until the transaction ends.
 *
 * @throws DomainError 409 `object_expired` if it is no longer pending.
 */
export async function holdPending(tx: Db, tenantId: number, id: number): Promise<void> {
  if (!(await lockPending(tx, tenantId, id))) throw objectExpired();
}

/** Objects that are looked at side by side: each takes several trips to a bucket. */
const lookedAtOnce = 16;

/**
 * Does the same as `objectStored` for objects written directly to the storage by presigned URL: asks
 * the storage for size and checksum, unless they are recorded already. Without a known checksum the
 * bytes are read.
 */
export async function noteWhatIsStored(
  { db, storage }: { db: Db; storage: Storage },
  tenantId: number,
  ids: readonly number[],
): Promise<void> {
  const found: (StoredObject & { id: number })[] = [];
  const unnoted = (await findUnnoted(db, tenantId, ids)).values();
  const lookOn = async () => {
    for (const { id, key } of unnoted) {
      const stored = await lookAt(storage, key);
      if (stored) found.push({ id, ...stored });
    }
  };
  await Promise.all(Array.from({ length: lookedAtOnce }, lookOn));
  if (found.length > 0) await noteFound(db, tenantId, found);
}

/**
 * Records size and checksum of objects as their bytes were found, unless they are recorded already.
 */
export async function noteStored(
  db: Db,
  tenantId: number,
  found: readonly (StoredObject & { id: number })[],
): Promise<void> {
  await noteFound(db, tenantId, found);
}

async function lookAt(storage: Storage, key: string): Promise<StoredObject | undefined> {
  const found = await storage.settle(key);
  if (!found) return undefined;
  const { size_bytes, checksum_sha256 } = found;
  if (checksum_sha256 !== undefined) return { size_bytes, checksum_sha256 };
  return checksumsOf(storage, { key, size_bytes });
}

/** Where the bytes of the live objects among these are. */
export const liveObjects = (db: Db, tenantId: number, ids: readonly number[]) =>
  findLive(db, tenantId, ids);

/** An object of a tenant. */
export type ObjectName = { tenant_id: number; id: number };

/**
 * Makes stored objects live whose rows the transaction locked while they were pending, so that none
 * can have expired.
 */
export const objectsGoLive = (tx: Db, objects: readonly ObjectName[]) => setAllLive(tx, objects);

/**
 * Makes stored objects live, in the transaction that creates the reference to them.
 *
 * @throws DomainError 409 `object_expired` if one is dead, or its bytes are not stored.
 */
export async function requireLive(tx: Db, objects: readonly ObjectName[]): Promise<void> {
  const [, notLive] = await Promise.all([setAllLive(tx, objects), findNotLive(tx, objects)]);
  if (notLive.length > 0) throw objectExpired();
}

/** Like `markDead`, for objects of many tenants. */
export const discardObjects = (tx: Db, objects: readonly ObjectName[]) => setAllDead(tx, objects);

/** Extends pending objects to `seconds` from now, unless they have longer already. */
export async function extendPending(
  db: Db,
  tenantId: number,
  ids: readonly number[],
  seconds: number,
): Promise<void> {
  await extendExpiry(db, tenantId, ids, seconds);
}

/**
 * Marks unused objects as dead; the collector removes bytes and rows. Live objects are unchanged,
 * because the caller may not know that a commit succeeded whose answer was lost.
 */
export async function markDead(db: Db, tenantId: number, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await setDead(db, tenantId, ids);
}

/**
 * Keeps live objects from being collected until the transaction has added references to them.
 *
 * @returns the ids of those that are gone already.
 */
export async function holdObjects(
  tx: Tag,
  objects: readonly ObjectName[],
): Promise<ReadonlySet<number>> {
  if (objects.length === 0) return new Set();
  return new Set((await lockLive(tx, objects)).map(({ id }) => id));
}

/**
 * Notes that something that referred to these live objects is gone. `collectReleased` finds out
 * whether something else still does.
 */
export async function releaseObjects(tx: Db, objects: readonly ObjectName[]): Promise<void> {
  if (objects.length > 0) await setReleased(tx, objects);
}

/**
 * Marks released objects as dead that nothing refers to any more. An object that is only an input
 * of a run under way is looked at again later.
 *
 * @returns how many objects it looked at.
 */
export function collectReleased(db: Db, now: Date, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const ids = (await lockReleased(tx, now, limit)).map(({ id }) => id);
    // In a statement of its own: one that locks reads other tables as of before it had the locks,
    // and would miss a reference that was committed in between.
    if (ids.length > 0) await judgeReleased(tx, ids, now);
    return ids.length;
  });
}

/** Lifetime of a pending object, from its record or its last extension. */
export const pendingSeconds = 3600;
const extendEvery_ms = 10 * 60 * 1000;

/**
 * Runs `work`, which writes the bytes of a pending object and may take any time: the object is
 * extended while it runs. After a crash it is collected within the hour.
 *
 * @param object without `expires_at` if it has just been recorded.
 */
export async function whileWriting<T>(
  db: Db,
  { tenant_id, id, expires_at }: { tenant_id: number; id: number; expires_at?: string },
  work: () => Promise<T>,
): Promise<T> {
  const extend = () => extendPending(db, tenant_id, [id], pendingSeconds);
  if (expires_at !== undefined && Date.parse(expires_at) < Date.now() + 3 * extendEvery_ms)
    await extend();
  // The next extension makes up for a failed one, long before the object expires.
  const timer = setInterval(() => void extend().catch(() => {}), extendEvery_ms);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/**
 * Removes up to `limit` dead or expired objects: bytes first, then the row, so that a crash in
 * between leaves a row and the next run continues. Several processes may run it concurrently. It
 * requires the right storage: in a wrong one, all bytes would look removed already.
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
  // Committed before any bytes are removed: from then on no transaction can make the object live.
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
