/**
 * Copies bytes into and out of files at the speed of the disk, with two buffers for any size: while
 * one is written the other is filled. Sending 1 GB over loopback is two to five times as fast as with
 * createReadStream.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { DomainError } from '../errors.ts';
import type { StoredObject, WriteOptions } from './storage.ts';

/**
 * Interval of syncs while a large file arrives. Otherwise syncing would begin only after the last
 * byte, and the system would hold gigabytes in memory.
 */
const syncEveryBytes = 32 * 1024 * 1024;

/** Interval of checks for free space, which other uploads use too. */
const askEveryBytes = 8 * 1024 * 1024;

/**
 * Writes a stream into a file. Hashing is the slow part and runs on this thread, writing on another
 * one, so both run in parallel.
 *
 * @param target small contents are passed to `writeWhole` at the end; otherwise `open` provides the
 *   file, which is left open and unsynced.
 * @param expected_bytes the announced size, or 0: a small file needs no large buffer.
 * @param requireRoom called from time to time; an error from it ends the writing.
 * @throws DomainError `too_large` above `max_bytes`, or the error of `more`; errors of the stream.
 */
export async function storeInto(
  target: { open(): Promise<FileHandle>; writeWhole(bytes: Buffer<ArrayBuffer>): Promise<void> },
  bytes: Readable,
  {
    max_bytes,
    expected_bytes,
    more = tooMany(max_bytes),
    chunkBytes,
  }: Limits & {
    /** Of each of the two buffers: see buffers.ts. */
    chunkBytes: number;
  },
  requireRoom: () => Promise<void>,
): Promise<StoredObject & { file?: FileHandle }> {
  const hash = createHash('sha256');
  let crc = 0;
  let size = 0;
  let most = max_bytes;
  let file: FileHandle | undefined;
  // One more than expected, so that a file of the expected size does not fill the buffer before its
  // end.
  let filling: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(
    Math.min(chunkBytes, (expected_bytes || chunkBytes) + 1),
  );
  let spare: Buffer<ArrayBuffer> | undefined;
  let filled = 0;
  let writing: Promise<unknown> = Promise.resolve();
  let syncing: Promise<unknown> = Promise.resolve();
  let unsynced = 0;
  let unasked = 0;
  const flush = async () => {
    file ??= await target.open();
    await writing;
    writing = writeAll(file, filling.subarray(0, filled));
    // The next flush checks it; this only prevents an unhandled rejection in between.
    writing.catch(() => {});
    unsynced += filled;
    unasked += filled;
    [filling, spare, filled] = [spare ?? Buffer.allocUnsafeSlow(chunkBytes), filling, 0];
    if (unasked >= askEveryBytes) {
      unasked = 0;
      await requireRoom();
    }
    if (unsynced < syncEveryBytes) return;
    unsynced = 0;
    await syncing;
    syncing = file.datasync();
    syncing.catch(() => {});
  };

  // Destroying the stream would close its connection, and lose the answer to the client.
  const chunks: AsyncIterable<Buffer> = bytes.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > most) most = await more(size);
    hash.update(chunk);
    crc = crc32(chunk, crc);
    for (let taken = 0; taken < chunk.length; ) {
      const copied = chunk.copy(filling, filled, taken);
      taken += copied;
      filled += copied;
      if (filled === filling.length) await flush();
    }
  }
  const stored = { size_bytes: size, checksum_sha256: hash.digest('hex'), crc32: crc };
  const rest = filling.subarray(0, filled);
  if (!file) {
    await target.writeWhole(rest);
    return stored;
  }
  await writing;
  await Promise.all([writeAll(file, rest), syncing]);
  return { ...stored, file };
}

export type Limits = Pick<WriteOptions, 'more'> & { max_bytes: number; expected_bytes: number };

export const tooMany = (max_bytes: number) => (): Promise<never> =>
  Promise.reject(new DomainError('too_large', `More than the ${max_bytes} bytes allowed.`));

/** A write may be partial, for example if the disk is almost full. */
async function writeAll(file: FileHandle, bytes: Buffer) {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done)).bytesWritten;
  }
}

/**
 * Sends bytes `start` to `end` (inclusive) of a file.
 *
 * @param chunkBytes of each of the two buffers: see buffers.ts.
 * @returns how many it sent; fewer if the file is shorter.
 * @throws Error if `out` closes before it has taken all.
 */
export async function copyRange(
  file: FileHandle,
  start: number,
  end: number,
  out: Writable,
  chunkBytes: number,
): Promise<number> {
  const { send, forget } = sendingTo(out);
  try {
    let position = start;
    const fill = async (buffer: Buffer) => {
      const wanted = Math.min(buffer.length, end - position + 1);
      if (wanted <= 0) return buffer.subarray(0, 0);
      const { bytesRead } = await file.read(buffer, 0, wanted, position);
      position += bytesRead;
      return buffer.subarray(0, bytesRead);
    };
    const size = Math.min(chunkBytes, end - start + 1);
    if (size <= 0) return 0;
    let [current, spare] = [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(size)];
    for (let bytes = await fill(current); bytes.length > 0; ) {
      const [next] = await Promise.all([fill(spare), send(bytes)]);
      [current, spare] = [spare, current];
      bytes = next;
    }
    return position - start;
  } finally {
    forget();
  }
}

/** Sends bytes from memory. @throws Error if `out` closes before it has taken all. */
export async function sendAll(bytes: Buffer, out: Writable): Promise<void> {
  if (bytes.length === 0) return;
  const { send, forget } = sendingTo(out);
  try {
    await send(bytes);
  } finally {
    forget();
  }
}

/**
 * Writes to a receiver, one piece after another. A response whose connection is gone may never call
 * back, so its close is watched; not by a promise that each piece races, because that would keep
 * every piece in memory until the end.
 */
export function sendingTo(out: Writable) {
  let closed: Error | undefined;
  let fail: (error: Error) => void = () => {};
  const stop = () => {
    closed = new Error('The receiver closed before it had everything.');
    fail(closed);
  };
  out.once('close', stop);
  return {
    /** @throws Error if the receiver closes before it has taken all. */
    send: (bytes: Buffer) =>
      new Promise<void>((resolve, reject) => {
        if (closed) return reject(closed);
        fail = reject;
        out.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    /** To be called at the end: the receiver may be used for more. */
    forget: () => void out.off('close', stop),
  };
}
