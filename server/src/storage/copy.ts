/**
 * Bytes in and out of a file at the speed of the disk, with two buffers however large the file:
 * while one is written the other is filled. Measured over loopback with 1 GB: sending 4.2–4.9
 * GB/s, where piping createReadStream gives 0.8 (at its default 64 KiB) or 2.0 (at 1 MiB).
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { DomainError } from '../errors.ts';
import type { StoredObject } from './storage.ts';

export const chunkBytes = 1024 * 1024;

/**
 * While a large file comes in, the disk is asked to take what is there. Left to the end, syncing
 * would begin when the last byte has come; and the system would hold gigabytes in between.
 */
const syncEveryBytes = 32 * 1024 * 1024;

/** How much comes in before it is asked again whether there is room: other uploads take it too. */
const askEveryBytes = 8 * 1024 * 1024;

/**
 * Writes a stream into a file. Hashing is the slow part and works on this thread, writing on
 * another one, so the two go on at once.
 *
 * @param target what is small is handed to `writeWhole` at its end; else `open` gives the file to
 *   write to, which is left open and unsynced.
 * @param expected_bytes as many as announced, 0 when nobody did: a small file needs no large buffer.
 * @param requireRoom asked now and then; what it throws ends the writing.
 * @throws DomainError `too_large` past `max_bytes`, and whatever the stream fails with.
 */
export async function storeInto(
  target: { open(): Promise<FileHandle>; writeWhole(bytes: Buffer<ArrayBuffer>): Promise<void> },
  bytes: Readable,
  { max_bytes, expected_bytes }: { max_bytes: number; expected_bytes: number },
  requireRoom: () => Promise<void>,
): Promise<StoredObject & { file?: FileHandle }> {
  const hash = createHash('sha256');
  let size = 0;
  let file: FileHandle | undefined;
  // One more than expected, so that what is as long as that does not fill it before its end is seen.
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
    // Looked at by the next flush; this only keeps a failure in between from being "unhandled".
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

  // A stream that is destroyed takes its connection with it, and the answer to the client.
  const chunks: AsyncIterable<Buffer> = bytes.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > max_bytes)
      throw new DomainError('too_large', `More than the ${max_bytes} bytes allowed.`);
    hash.update(chunk);
    for (let taken = 0; taken < chunk.length; ) {
      const copied = chunk.copy(filling, filled, taken);
      taken += copied;
      filled += copied;
      if (filled === filling.length) await flush();
    }
  }
  const stored = { size_bytes: size, checksum_sha256: hash.digest('hex') };
  const rest = filling.subarray(0, filled);
  if (!file) {
    await target.writeWhole(rest);
    return stored;
  }
  await writing;
  await Promise.all([writeAll(file, rest), syncing]);
  return { ...stored, file };
}

/** A write may take less than it was given, for example when the disk is about to be full. */
async function writeAll(file: FileHandle, bytes: Buffer) {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done)).bytesWritten;
  }
}

/**
 * Sends bytes `start` to `end` (inclusive) of a file.
 *
 * @returns how many it sent; fewer when the file ends before.
 * @throws Error when `out` closes before it took all.
 */
export async function copyRange(
  file: FileHandle,
  start: number,
  end: number,
  out: Writable,
): Promise<number> {
  const { closed, forget } = watchClose(out);
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
      const sent = Promise.race([written(out, bytes), closed]);
      const [next] = await Promise.all([fill(spare), sent]);
      [current, spare] = [spare, current];
      bytes = next;
    }
    return position - start;
  } finally {
    forget();
  }
}

/** Sends bytes that are here. @throws Error when `out` closes before it took all. */
export async function sendAll(bytes: Buffer, out: Writable): Promise<void> {
  if (bytes.length === 0) return;
  const { closed, forget } = watchClose(out);
  try {
    await Promise.race([written(out, bytes), closed]);
  } finally {
    forget();
  }
}

/** A response whose connection is gone may never call back. */
function watchClose(out: Writable) {
  const { promise: closed, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new Error('The receiver closed before it had everything.'));
  closed.catch(() => {});
  out.once('close', stop);
  return { closed, forget: () => void out.off('close', stop) };
}

const written = (out: Writable, bytes: Buffer) =>
  new Promise<void>((resolve, reject) =>
    out.write(bytes, (error) => (error ? reject(error) : resolve())),
  );
