/**
 * Where bytes are stored: opaque keys, streams in both directions, no names, tenants or rights. The
 * database records each object (`objects`) before its first byte.
 */
import type { Readable, Writable } from 'node:stream';

export type StoredObject = {
  size_bytes: number;
  /** Hexadecimal SHA-256 of the bytes. */
  checksum_sha256: string;
  /** Known if the bytes passed through this service. */
  crc32?: number;
};

/** Inclusive byte range. */
export type ByteRange = { start: number; end: number };

export type PresignOptions = {
  /** Seconds until the URL expires. */
  expires_in: number;
  /** For `PUT`: the exact number of bytes. */
  size_bytes?: number;
};

export type WriteOptions = {
  max_bytes?: number;
  /** Called with their number when more than `max_bytes` come. @returns the new `max_bytes`. */
  more?: (size_bytes: number) => Promise<number>;
  /** Announced size, refused before the first byte if it does not fit. */
  expected_bytes?: number;
};

/** What a storage knows of an object; not all know the checksum. */
export type StoredBytes = { size_bytes: number; checksum_sha256?: string };

export type ListedObject = { key: string; size_bytes: number };

export interface Storage {
  /** Identifies the storage; created once, and the same for every process that opens it. */
  readonly id: string;
  /** Where that id is stored, for an operator. */
  readonly mark: string;
  /** Whether a PUT by URL does not pass through this service, which learns of it by `settle`. */
  readonly is_remote: boolean;
  /**
   * Stores the stream under an unused key, durably when it resolves. Until then the key has no
   * complete object. Memory use is independent of the size.
   *
   * @throws DomainError `too_large` above `max_bytes`, `storage_full` if the bytes do not fit (also
   *   if that is found on the way); after any error nothing is kept. The stream is not destroyed,
   *   so that a client that is still sending can get an answer.
   */
  write(key: string, bytes: Readable, options?: WriteOptions): Promise<StoredObject>;
  /**
   * Copies an object recorded with `size_bytes`, or a range of it, to the writable from `begin`,
   * which is called once the object is open and has that size; until then an error can still be
   * answered. Never copies more than recorded. Leaves the writable open.
   *
   * @throws DamagedObject if the object is missing, shorter or longer than recorded, or becomes
   *   shorter on the way; Error if the writable closes early.
   */
  copyTo(
    object: { key: string; size_bytes: number },
    range: ByteRange | undefined,
    begin: () => Writable,
  ): Promise<void>;
  /** What is stored under the key, however it was written; undefined if nothing is. */
  stat(key: string): Promise<StoredBytes | undefined>;
  /**
   * Makes what was PUT by URL the object, before it is checked and used. When the object is live, no
   * URL can replace its bytes any more.
   *
   * @returns like `stat`.
   */
  settle(key: string): Promise<StoredBytes | undefined>;
  /**
   * Removes the object, and what is being written under its key. Removing a missing one is not an
   * error.
   */
  remove(key: string): Promise<void>;
  /**
   * A URL that lets its holder GET or PUT this one object for a limited time, without a token. A
   * PUT is stored completely or not at all, and the last one counts until `settle`.
   */
  presign(method: 'GET' | 'PUT', key: string, options: PresignOptions): Promise<string>;
  /**
   * All objects in the ascending order of their keys, by code point. One that is made or removed
   * meanwhile may be missing.
   */
  list(): AsyncIterable<ListedObject>;
  /** Removes what interrupted writes left behind; writes under way are not affected. */
  removeAbandoned(now: Date): Promise<void>;
  /** Bytes that may still be stored; 0 or less if it is full. */
  room(): Promise<number>;
  /** Resolves if the storage answers and is still the one that was opened. */
  check(): Promise<void>;
}
