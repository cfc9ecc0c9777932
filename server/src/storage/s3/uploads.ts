/**
 * Objects that arrive by presigned PUTs. Each is a multipart upload, also one of a single part:
 * only completing it makes the object, and its URLs are void from then on. By a URL of the object
 * itself, its holder could still replace bytes that were checked and are in use.
 */
import type { StoredPart } from '../parts.ts';
import type { StoredBytes } from '../storage.ts';
import type { Bucket } from './bucket.ts';

/** @returns false if a part is missing or was replaced, or the upload has ended. */
export async function completeUpload(
  bucket: Bucket,
  key: string,
  id: string,
  parts: readonly Pick<StoredPart, 'part_number' | 'etag'>[],
): Promise<boolean> {
  // S3 calls an empty list malformed.
  if (parts.length === 0) return false;
  const outcome = await bucket.complete(key, id, parts);
  if (outcome !== 'gone') return outcome === 'made';
  // Completed by another process, or by an earlier attempt whose answer was lost.
  return (await bucket.head(key)) !== undefined;
}

/** Ends all uploads that are not completed, with their parts. */
export async function abortUploads(bucket: Bucket, key: string): Promise<void> {
  const ids = await bucket.uploads(key);
  await Promise.all(ids.map((id) => bucket.abort(key, id)));
}

/**
 * Completes what was PUT as a single part. Of several uploads, each begun for a URL of its own, the
 * latest one that has its part is the object.
 */
export async function settleUpload(bucket: Bucket, key: string): Promise<StoredBytes | undefined> {
  const ids = await bucket.uploads(key);
  for (const id of ids.reverse()) {
    const [part] = (await bucket.parts(key, id)) ?? [];
    if (!part || !(await completeUpload(bucket, key, id, [part]))) continue;
    await abortUploads(bucket, key);
    return { size_bytes: part.size_bytes };
  }
  return bucket.head(key);
}
