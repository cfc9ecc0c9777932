/**
 * Where bytes live: opaque keys, streams both ways, nothing of names, tenants or rights.
 * What an object is for stands in the database (`objects`), recorded before its first byte.
 */
import type { Readable, Writable } from 'node:stream';

export type StoredObject = {
  size_bytes: number;
  /** Hexadecimal SHA-256 of the bytes. */
  checksum_sha256: string;
};

/** Inclusive byte range. */
export type ByteRange = { start: number; end: number };

export type PresignOptions = {
  /** Seconds until the URL is refused. */
  expires_in: number;
  /** For `put`: how many bytes at most. */
  max_bytes?: number;
};

export type WriteOptions = {
  max_bytes?: number;
  /** As many as announced, to be refused before the first one when they do not fit. */
  expected_bytes?: number;
};

/** What a storage tells of an object; not every one knows the checksum of what it holds. */
export type StoredBytes = { size_bytes: number; checksum_sha256?: string };

export interface Storage {
  /** Which storage this is; made once, and then the same for every process that opens it. */
  readonly id: string;
  /** Where that id stands, for an operator. */
  readonly mark: string;
  /**
   * Stores the stream under a key that has nothing yet, durably when it resolves; until then, what
   * the key has is no object. Memory stays flat whatever the size.
   *
   * @throws DomainError `too_large` past `max_bytes`, `storage_full` when they do not fit (also
   * when that shows on the way); then, as after any error, nothing is kept. The stream is left as
   * it is, so that a client that still sends can be answered.
   */
  write(key: string, bytes: Readable, options?: WriteOptions): Promise<StoredObject>;
  /**
   * Copies an object that is recorded with `size_bytes`, or a range of it, to the writable that
   * `begin` gives once the object is open and found to be that large; so until then an error can
   * still be answered. Never copies more than recorded. Leaves the writable open.
   *
   * @throws DamagedObject when the object is missing, shorter or longer than recorded, also when
   * it gets shorter on the way; Error when the writable closes early.
   */
  copyTo(
    object: { key: string; size_bytes: number },
    range: ByteRange | undefined,
    begin: () => Writable,
  ): Promise<void>;
  /** What is stored under the key, by whatever way it came; undefined when nothing is. */
  stat(key: string): Promise<StoredBytes | undefined>;
  /** Removing what is not there is fine. */
  remove(key: string): Promise<void>;
  /**
   * A URL that lets its holder GET or PUT this one object for a while, without a token. What is
   * PUT is stored as a whole or not at all.
   */
  presign(method: 'GET' | 'PUT', key: string, options: PresignOptions): Promise<string>;
  /** Removes what writes that never ended left behind; those under way are not touched. */
  removeAbandoned(now: Date): Promise<void>;
  /** Bytes that may still come in; 0 or less when it is full. */
  room(): Promise<number>;
  /** Resolves when the storage answers and is still the one that was opened. */
  check(): Promise<void>;
}
