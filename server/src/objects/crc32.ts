/**
 * The CRC-32 of stored bytes: known since the upload, or computed when a ZIP first needs it. Bytes of
 * earlier releases have none, nor have bytes that never passed through this service.
 */
import { Writable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { DomainError } from '../errors.ts';
import type { Services } from '../services.ts';
import { DamagedObject } from '../storage/damage.ts';
import {
  findLive,
  findWantingCrc32,
  type LiveObject,
  setCrc32s,
  setCrc32Wanted,
} from './queries.ts';

type Parts = Pick<Services, 'db' | 'storage'>;

/** What one request reads itself; anything above is left to the duty. */
const most = { bytes: 256 * 1024 * 1024, objects: 2000 };

/** For `retry-after`: a cautious speed of reading. */
const bytesPerSecond = 100 * 1024 * 1024;

/**
 * Computes and keeps the CRC-32 of live objects that have none.
 *
 * @returns them by object.
 * @throws DomainError 503 `zip_in_preparation` if that takes long: a duty then does it. 500
 *   `object_damaged`.
 */
export async function missingCrc32s(
  { db, storage }: Parts,
  tenantId: number,
  objects: readonly { id: number; size_bytes: number }[],
): Promise<Map<number, number>> {
  // Copies of a file share its object.
  const sizes = new Map(objects.map(({ id, size_bytes }) => [id, size_bytes]));
  const ids = [...sizes.keys()];
  const bytes = [...sizes.values()].reduce((sum, size_bytes) => sum + size_bytes, 0);
  if (bytes > most.bytes || ids.length > most.objects) {
    await setCrc32Wanted(db, tenantId, ids);
    throw inPreparation(Math.ceil(bytes / bytesPerSecond));
  }
  const found: [number, number][] = [];
  try {
    for (const object of await findLive(db, tenantId, ids)) {
      found.push([object.id, await crc32Of(storage, object)]);
    }
  } finally {
    if (found.length > 0) await setCrc32s(db, found);
  }
  // One was removed for ever just now: the next request does not see it any more.
  if (found.length < ids.length) throw inPreparation(0);
  return new Map(found);
}

/**
 * Computes the CRC-32 of objects that a ZIP waits for.
 *
 * @returns how many it looked at; 0 after `stopping` as well.
 */
export async function fillWantedCrc32s(
  { db, storage, log }: Parts & Pick<Services, 'log'>,
  limit: number,
  stopping: AbortSignal,
): Promise<number> {
  const wanted = await findWantingCrc32(db, limit);
  for (const object of wanted) {
    const crc = await crc32Of(storage, object, stopping).catch((error: unknown) => {
      if (stopping.aborted) return undefined;
      if (error instanceof DamagedObject) {
        log.error({ key: object.key, damage: error.damage }, 'a stored object is damaged');
      } else log.error({ err: error, key: object.key }, 'a stored object could not be read');
      // Others wait behind it. The next request for a ZIP with it finds out again.
      return null;
    });
    if (crc === undefined) return 0;
    await setCrc32s(db, [[object.id, crc]]);
  }
  return wanted.length;
}

async function crc32Of(
  storage: Services['storage'],
  object: LiveObject,
  stopping?: AbortSignal,
): Promise<number> {
  let crc = 0;
  const out = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      crc = crc32(chunk, crc);
      // Not at once: a large object must not keep all other requests waiting.
      setImmediate(done);
    },
    ...(stopping && { signal: stopping }),
  });
  // Aborting destroys it with an error, which `copyTo` reports.
  out.on('error', () => {});
  await storage.copyTo(object, undefined, () => out);
  return crc;
}

const inPreparation = (seconds: number) =>
  new DomainError(
    'unavailable',
    'This ZIP is being prepared, because it has many files of an earlier release. Try again in a while.',
    { code: 'zip_in_preparation', retry_after_seconds: Math.max(5, seconds) },
  );
