/**
 * Writes a stream of unknown size to a bucket with flat memory: a small file as one request, a
 * large one as a multipart upload of which a few parts are in memory.
 */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Limits, tooMany } from '../copy.ts';
import type { StoredObject } from '../storage.ts';
import type { Bucket } from './bucket.ts';
import { completeUpload } from './uploads.ts';

const mebibyte = 1024 * 1024;

/** The smallest part of S3 is 5 MiB, and an upload has at most 10,000. */
const partBytes = 8 * mebibyte;
const mostParts = 10_000;

/** Parts that are sent while another is filled. */
const mostSending = 2;

/** So that a small file needs little memory; doubled while it does not suffice. */
const firstBytes = 64 * 1024;

/**
 * The size of a part. An announced object has parts of one size, as some servers demand; one of
 * unknown size has larger parts the longer it gets.
 */
export function sizeOfPart(number: number, expected_bytes: number): number {
  if (expected_bytes > 0) {
    const needed = Math.ceil(expected_bytes / mostParts / mebibyte) * mebibyte;
    return Math.max(partBytes, needed);
  }
  return partBytes * 2 ** Math.floor((number - 1) / 2000);
}

/** @throws like `Storage.write`, after removing what was sent. */
export async function writeObject(
  bucket: Bucket,
  key: string,
  bytes: Readable,
  { max_bytes, expected_bytes, more = tooMany(max_bytes) }: Limits,
  removeAll: () => Promise<void>,
): Promise<StoredObject> {
  const hash = createHash('sha256');
  const stop = new AbortController();
  const sending = new Set<Promise<void>>();
  const etags: string[] = [];
  let size = 0;
  let most = max_bytes;
  let crc = 0;
  let upload: string | undefined;
  let isSent = false;
  let filling = Buffer.allocUnsafeSlow(firstBytes);
  let filled = 0;

  async function sendPart() {
    isSent = true;
    upload ??= await bucket.begin(key);
    const number = etags.push('');
    const part = { number, bytes: filling.subarray(0, filled) };
    const sent = bucket.putPart(key, upload, part, stop.signal).then((etag) => {
      etags[number - 1] = etag;
      sending.delete(sent);
    });
    // Whoever waits for it next learns of its failure; this only prevents an unhandled rejection.
    sent.catch(() => {});
    sending.add(sent);
    if (sending.size >= mostSending) await Promise.race(sending);
    filling = Buffer.allocUnsafeSlow(sizeOfPart(number + 1, expected_bytes));
    filled = 0;
  }

  function grow(limit: number) {
    const larger = Buffer.allocUnsafeSlow(Math.min(limit, filling.length * 2));
    filling.copy(larger, 0, 0, filled);
    filling = larger;
  }

  try {
    // Destroying the stream would close its connection, and lose the answer to the client.
    const chunks: AsyncIterable<Buffer> = bytes.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > most) most = await more(size);
      hash.update(chunk);
      crc = crc32(chunk, crc);
      for (let taken = 0; taken < chunk.length; ) {
        const limit = sizeOfPart(etags.length + 1, expected_bytes);
        if (filled === filling.length) {
          if (filled < limit) grow(limit);
          else await sendPart();
        }
        const copied = chunk.copy(filling, filled, taken);
        taken += copied;
        filled += copied;
      }
    }
    isSent = true;
    if (upload === undefined) await bucket.put(key, filling.subarray(0, filled));
    else await finish(upload);
    return { size_bytes: size, checksum_sha256: hash.digest('hex'), crc32: crc };
  } catch (error) {
    stop.abort();
    // Parts that arrive after the upload was ended would stay.
    await Promise.allSettled(sending);
    // The collector removes the rest, because the object was recorded before.
    if (isSent) await removeAll().catch(() => {});
    throw error;
  }

  async function finish(id: string) {
    if (filled > 0) await sendPart();
    await Promise.all(sending);
    const parts = etags.map((etag, at) => ({ part_number: at + 1, etag }));
    if (!(await completeUpload(bucket, key, id, parts)))
      throw new Error('The storage lost parts of an upload.');
  }
}
