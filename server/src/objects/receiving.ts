/** Receives the bytes of a recorded object, and reserves more room if more come than announced. */
import type { Readable } from 'node:stream';
import type { Db } from '../db/connection.ts';
import { DomainError } from '../errors.ts';
import type { Storage, StoredObject } from '../storage/storage.ts';
import { markDead, type RecordedObject, whileWriting } from './objects.ts';
import { reserveMore } from './quota.ts';

/**
 * Stores the bytes under an object that was recorded with `expected_bytes`; if that fails, the object
 * is dropped. It stays pending.
 *
 * @throws DomainError `too_large` above `most_bytes`, 403 `quota_exceeded`, `storage_full`
 */
export async function receiveBytes(
  { db, storage }: { db: Db; storage: Storage },
  tenant_id: number,
  { id, key }: RecordedObject,
  bytes: Readable,
  {
    expected_bytes,
    most_bytes = Number.POSITIVE_INFINITY,
  }: { expected_bytes: number; most_bytes?: number },
): Promise<StoredObject> {
  try {
    return await whileWriting(db, { tenant_id, id }, () =>
      storage.write(key, bytes, {
        expected_bytes,
        max_bytes: expected_bytes,
        more: async (size) => {
          if (size > most_bytes) {
            throw new DomainError('too_large', `At most ${most_bytes} bytes are accepted.`);
          }
          return Math.min(most_bytes, await reserveMore(db, tenant_id, id, size));
        },
      }),
    );
  } catch (error) {
    await markDead(db, tenant_id, [id]);
    throw error;
  }
}
