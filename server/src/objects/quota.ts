/**
 * What a tenant stores, and may store. An object counts once, whatever refers to it: its size while
 * it is live, and while it is pending the bytes reserved for it; previews not at all. The database notes each change of
 * objects by itself; bytes are reserved before they are stored, under a lock of the tenant if it has
 * a limit. So the sum never exceeds the limit, unless that is lowered.
 */
import type { Db } from '../db/connection.ts';
import { quotaExceeded as exceeded } from '../errors.ts';
import {
  type Drift,
  findDrift,
  findUsage,
  foldChanges,
  growReservation,
  liftTimeLimit,
  type Usage,
} from './quota-queries.ts';

/** Bytes of live objects, bytes reserved by uploads under way, and the limit on both together. */
export const readUsage = (db: Db, tenantId: number) => findUsage(db, tenantId);

export const nothingStored: Usage = { used_bytes: 0, reserved_bytes: 0 };

/** Adds up to `limit` noted changes to the sums. @returns how many. */
export const foldStorageChanges = (db: Db, limit: number): Promise<number> =>
  foldChanges(db, limit);

/**
 * Tenants whose sums differ from their objects; there are none, unless something is broken. Reads all
 * objects, so it may take longer than statements of users may.
 */
export const findMiscounted = (db: Db): Promise<Drift[]> =>
  db.transaction(async (tx) => {
    await liftTimeLimit(tx);
    return findDrift(tx);
  });

/** Reserved at once for bytes of unknown number, if there is room. */
const step_bytes = 64 * 1024 ** 2;

/**
 * Reserves more for a pending object whose bytes exceed what was announced: some in advance, but at
 * most half of the room, so that others find some too.
 *
 * @param size_bytes what it must have in total.
 * @returns what it has now.
 * @throws DomainError 403 `quota_exceeded`
 */
export async function reserveMore(
  db: Db,
  tenantId: number,
  id: number,
  size_bytes: number,
): Promise<number> {
  const reserved = await growReservation(db, tenantId, id, size_bytes, step_bytes);
  if (reserved === undefined) throw await quotaExceeded(db, tenantId, size_bytes);
  return reserved;
}

/** The refusal of bytes for which a tenant has no room. */
export const quotaExceeded = async (db: Db, tenantId: number, needed_bytes: number) =>
  noRoomFor(await findUsage(db, tenantId), needed_bytes);

export const noRoomFor = (
  { limit_bytes = 0, used_bytes, reserved_bytes }: Usage,
  needed_bytes: number,
) =>
  exceeded(
    `There is no room for these ${needed_bytes} bytes: of the ${limit_bytes} bytes that your organization may store, ${used_bytes} are used and ${reserved_bytes} are reserved by uploads under way.`,
    {
      quota: 'storage',
      limit: limit_bytes,
      used: used_bytes,
      reserved: reserved_bytes,
      requested: needed_bytes,
    },
  );
