/** The checksums of stored bytes, computed by reading them. */
import { createHash } from 'node:crypto';
import { type Readable, Writable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Storage, StoredObject } from '../storage/storage.ts';

/** Reads bytes that are not to be stored. */
export async function checksumsOfStream(bytes: Readable): Promise<StoredObject> {
  const hash = createHash('sha256');
  let crc = 0;
  let size_bytes = 0;
  // Destroying the stream would close its connection, and lose the answer to the client.
  const chunks: AsyncIterable<Buffer> = bytes.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    hash.update(chunk);
    crc = crc32(chunk, crc);
    size_bytes += chunk.length;
  }
  return { size_bytes, checksum_sha256: hash.digest('hex'), crc32: crc };
}

/**
 * Reads an object.
 *
 * @param told called with the number of bytes read so far.
 * @throws Error once `stopping` is aborted; DamagedObject if it has another size.
 */
export async function checksumsOf(
  storage: Storage,
  object: { key: string; size_bytes: number },
  { told, stopping }: { told?: (bytes: number) => void; stopping?: AbortSignal } = {},
): Promise<StoredObject> {
  const hash = createHash('sha256');
  let crc = 0;
  let bytes = 0;
  const out = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      crc = crc32(chunk, crc);
      bytes += chunk.length;
      told?.(bytes);
      // Not at once: a large object must not keep all other requests waiting.
      setImmediate(done);
    },
    ...(stopping && { signal: stopping }),
  });
  // Aborting destroys it with an error, which `copyTo` reports.
  out.on('error', () => {});
  await storage.copyTo(object, undefined, () => out);
  return { size_bytes: object.size_bytes, checksum_sha256: hash.digest('hex'), crc32: crc };
}
