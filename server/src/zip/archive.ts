/** Sends a ZIP, or a range of it: only the members in the range are read. */
import { Writable } from 'node:stream';
import { sendAll } from '../storage/copy.ts';
import type { ByteRange } from '../storage/storage.ts';
import { centralHeader, endRecords, localHeader } from './format.ts';
import type { Layout } from './members.ts';

/** The bytes of the members. */
export type Source = {
  /** Prepares for reading these objects next. */
  expect(objectIds: readonly number[]): Promise<void>;
  /** Like `Storage.copyTo`. */
  copyTo(objectId: number, range: ByteRange, begin: () => Writable): Promise<void>;
};

/** Members whose bytes are looked up together. */
const page = 500;
/** A member up to this size is read into memory, several at a time: waiting for each took 10 s for 70,000. */
const smallBytes = 64 * 1024;
const readTogether = 16;
/** Headers and small members are sent together up to this size. */
const heldBytes = 64 * 1024;

/**
 * Copies the ZIP to the writable from `begin`, which is called as late as possible: with the first
 * bytes of a member or when many headers are ready. Until then an error can still be answered.
 *
 * @throws whatever the source throws: then the bytes sent so far are right, and the rest is missing.
 */
export async function copyArchive(
  layout: Layout,
  source: Source,
  range: ByteRange | undefined,
  begin: () => Writable,
): Promise<void> {
  const out = new RangeWriter(range ?? { start: 0, end: layout.size_bytes - 1 }, begin);
  await sendMembers(layout, source, out);
  await sendDirectory(layout, out);
  await out.flush();
}

async function sendMembers(layout: Layout, source: Source, out: RangeWriter): Promise<void> {
  const { count } = layout.directory;
  let place = firstAt(layout, out.start);
  while (place < count && layout.offset(place) <= out.end) {
    const start = place;
    const isWanted = () => place < Math.min(start + page, count) && layout.offset(place) <= out.end;
    while (isWanted()) place += 1;
    await sendPage(layout, source, out, { start, end: place });
  }
}

/** Sends the members from `start` to before `end`. */
async function sendPage(
  layout: Layout,
  source: Source,
  out: RangeWriter,
  { start, end }: ByteRange,
): Promise<void> {
  const places = Array.from({ length: end - start }, (_, at) => start + at);
  const objects = places.map((place) => {
    const bytes = layout.bytesOf(place);
    return 'object_id' in bytes && layout.sizeOf(place) > 0 ? bytes.object_id : undefined;
  });
  await source.expect(objects.filter((id) => id !== undefined));
  const reading: (Promise<Buffer> | undefined)[] = [];
  for (const [at, place] of places.entries()) {
    for (let next = reading.length; next < Math.min(at + readTogether, places.length); next += 1) {
      const id = objects[next];
      const isSmall = layout.sizeOf(start + next) <= smallBytes;
      reading[next] =
        id !== undefined && isSmall
          ? readSmall(source, id, layout.sizeOf(start + next))
          : undefined;
    }
    await out.put(layout.offset(place), localHeader(layout.member(place)));
    const bytes = layout.bytesOf(place);
    const size = layout.sizeOf(place);
    const offset = layout.offset(place + 1) - size;
    const [small, id] = ['text' in bytes ? bytes.text : await reading[at], objects[at]];
    delete reading[at];
    if (small) await out.put(offset, small);
    else if (id !== undefined) {
      await out.copy(offset, size, (range, begin) => source.copyTo(id, range, begin));
    }
  }
}

/** Its error is thrown to whoever awaits it, if anybody does. */
function readSmall(source: Source, id: number, size_bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const collect = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      // The sender may use its buffer again.
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  const copied = source.copyTo(id, { start: 0, end: size_bytes - 1 }, () => collect);
  const bytes = copied.then(() => Buffer.concat(chunks));
  bytes.catch(() => {});
  return bytes;
}

/** The last member that begins at or before this offset. */
function firstAt({ offset, directory }: Layout, wanted: number): number {
  let [low, high] = [0, directory.count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offset(middle + 1) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function sendDirectory(layout: Layout, out: RangeWriter): Promise<void> {
  const { directory } = layout;
  let at = directory.offset;
  for (let place = 0; place < directory.count && at <= out.end; place += 1) {
    const bytes = layout.centralBytes(place);
    if (at + bytes > out.start) {
      await out.put(at, centralHeader(layout.member(place), layout.offset(place)));
    }
    at += bytes;
  }
  await out.put(directory.offset + directory.size_bytes, endRecords(directory));
}

/** Lets through what is in the range. Its parts are given in order, each with its offset. */
class RangeWriter {
  readonly start: number;
  readonly end: number;
  readonly #begin: () => Writable;
  #out: Writable | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor({ start, end }: ByteRange, begin: () => Writable) {
    this.start = start;
    this.end = end;
    this.#begin = begin;
  }

  async put(offset: number, bytes: Buffer): Promise<void> {
    const part = bytes.subarray(
      Math.max(0, this.start - offset),
      Math.max(0, this.end + 1 - offset),
    );
    if (part.length === 0) return;
    this.#held.push(part);
    this.#heldBytes += part.length;
    if (this.#heldBytes >= heldBytes) await this.flush();
  }

  /** Copies `size` bytes by `copy`, which gets the range of them that is wanted. */
  async copy(
    offset: number,
    size: number,
    copy: (range: ByteRange, begin: () => Writable) => Promise<void>,
  ): Promise<void> {
    const start = Math.max(0, this.start - offset);
    const end = Math.min(size - 1, this.end - offset);
    if (start > end) return;
    await copy({ start, end }, () => {
      const out = this.#open();
      // Followed by the member's own bytes, for which `copy` waits.
      if (this.#heldBytes > 0) out.write(this.#take());
      return out;
    });
  }

  async flush(): Promise<void> {
    await sendAll(this.#take(), this.#open());
  }

  #open(): Writable {
    this.#out ??= this.#begin();
    return this.#out;
  }

  #take(): Buffer {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    return bytes;
  }
}
