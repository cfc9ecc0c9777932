/** Where a bucket is, for those who do not need the SDK. */
import type { S3Location } from '../../config.ts';

/** The public URL of the bucket, below which presigned URLs are. */
export function bucketUrl({ bucket, endpoint, region }: S3Location): string {
  if (endpoint !== undefined) return `${endpoint}/${bucket}`;
  // A certificate for *.s3… does not cover names with dots.
  if (bucket.includes('.')) return `https://s3.${region}.amazonaws.com/${bucket}`;
  return `https://${bucket}.s3.${region}.amazonaws.com`;
}
