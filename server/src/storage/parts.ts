/**
 * Objects that arrive in parts, each by a presigned PUT of its own, like a multipart upload of S3
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html).
 */

/** An object that is arriving: its key, and the id that `beginParts` answered. */
export type PartUpload = { key: string; storage_upload_id: string };

/** A part that is stored completely. `etag` is as the PUT answered it, without quotes. */
export type StoredPart = { part_number: number; size_bytes: number; etag: string };

export interface PartStorage {
  /**
   * Begins an object of several parts: each has `part_bytes`, the last one the rest.
   *
   * @returns the storage's id of the upload. A key has at most one.
   */
  beginParts(key: string, layout: { size_bytes: number; part_bytes: number }): Promise<string>;
  /**
   * A URL that lets its holder PUT this part, of exactly this size, without a token. The answer
   * has an `ETag`. A PUT is stored completely or not at all; the last one of a part counts.
   *
   * @param expires_in seconds.
   */
  presignPart(
    upload: PartUpload,
    part: { part_number: number; size_bytes: number },
    expires_in: number,
  ): Promise<string>;
  /** The stored parts, in ascending order; undefined if the upload is completed, ended or unknown. */
  storedParts(upload: PartUpload): Promise<StoredPart[] | undefined>;
  /**
   * Makes the object of exactly these parts, which `storedParts` answered; durable when it
   * resolves. The parts are not copied. Completing again is not an error.
   *
   * @returns false if one of them is missing or was replaced meanwhile; then nothing is changed.
   */
  completeParts(upload: PartUpload, parts: readonly StoredPart[]): Promise<boolean>;
  /**
   * Removes all parts of uploads that began under the key, also of one whose id was lost. The
   * object, if one was completed, is not affected. Nothing to remove is not an error.
   */
  abortParts(key: string): Promise<void>;
}
