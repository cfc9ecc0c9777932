/**
 * Where tests store files: on disk, or in the bucket of `npm run test:s3`. Each installation has a
 * prefix of its own there.
 */
import { createHash } from 'node:crypto';

const url = process.env.TEST_STORAGE_URL;

export const isInBucket = url !== undefined;

/** Settings of the installation with this DATA_DIR, in addition to its own. */
export function storageSettings(dataDir: string): Record<string, string> {
  if (!url) return {};
  const prefixed = new URL(url);
  prefixed.pathname = `/${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env;
  return { STORAGE_URL: prefixed.href, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
}
