/** Copies bytes of a bucket to a client, and goes on by itself where a connection is cut. */
import type { Readable, Writable } from 'node:stream';
import { sendingTo } from '../copy.ts';
import { DamagedObject } from '../damage.ts';
import type { ByteRange } from '../storage.ts';
import type { Bucket } from './bucket.ts';
import { unreachable } from './client.ts';

/** Attempts in a row of which none brought a byte. */
const mostFailures = 3;

/** @throws like `Storage.copyTo`. */
export async function copyObject(
  bucket: Bucket,
  path: string,
  { key, size_bytes }: { key: string; size_bytes: number },
  { start, end }: ByteRange,
  begin: () => Writable,
): Promise<void> {
  if (end < start) {
    await requireSize(bucket, path, { key, size_bytes });
    begin();
    return;
  }
  let out: Writable | undefined;
  let etag: string | undefined;
  let failures = 0;
  for (let position = start; position <= end; ) {
    const found = await bucket.get(path, { start: position, end, etag });
    if (found?.size_bytes !== size_bytes) {
      found?.body.destroy();
      throw await damageOf(bucket, path, { key, size_bytes });
    }
    etag = found.etag;
    out ??= begin();
    const { copied, cut } = await copyBody(found.body, out, end - position + 1);
    position += copied;
    failures = copied > 0 ? 0 : failures + 1;
    if (failures >= mostFailures) throw unreachable(cut);
  }
}

async function requireSize(
  bucket: Bucket,
  path: string,
  { key, size_bytes }: { key: string; size_bytes: number },
) {
  const found = await bucket.head(path);
  if (found?.size_bytes !== size_bytes) {
    throw new DamagedObject(key, size_bytes, found?.size_bytes);
  }
}

/** What the storage holds instead. A range behind the end of an object tells nothing of its size. */
async function damageOf(
  bucket: Bucket,
  path: string,
  { key, size_bytes }: { key: string; size_bytes: number },
) {
  const found = await bucket.head(path);
  if (found?.size_bytes === size_bytes) {
    return new Error(`The object ${key} was replaced while it was copied.`);
  }
  return new DamagedObject(key, size_bytes, found?.size_bytes);
}

/**
 * Copies at most `most` bytes.
 *
 * @returns how many it copied, and the error if the body ended early.
 * @throws Error if `out` closes before it has taken all.
 */
async function copyBody(
  body: Readable,
  out: Writable,
  most: number,
): Promise<{ copied: number; cut?: unknown }> {
  const { send, forget } = sendingTo(out);
  let copied = 0;
  try {
    const chunks = body.iterator();
    while (copied < most) {
      const { chunk, cut } = await chunks.next().then(
        ({ value, done }) => ({ chunk: done ? undefined : (value as Buffer), cut: undefined }),
        (cut: unknown) => ({ chunk: undefined, cut }),
      );
      if (!chunk) return { copied, cut };
      const wanted = chunk.subarray(0, most - copied);
      await send(wanted);
      copied += wanted.length;
    }
    // Reads the end of the answer too, so that its connection can be used again.
    await chunks.next().catch(() => {});
    return { copied };
  } finally {
    forget();
    body.destroy();
  }
}
