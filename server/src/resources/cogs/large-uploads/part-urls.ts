/** Presigned URLs for the bytes of an upload. */
import type { PartStorage } from '../../../storage/parts.ts';
import type { Storage } from '../../../storage/storage.ts';
import { isWhole, type Layout, type Part } from './layout.ts';
import type { PartUrl } from './schema.ts';

const urlSeconds = 3600;

/** A URL for each of these parts. That of a file that arrives whole stores the object itself. */
export function urlsOf(
  storage: Storage & PartStorage,
  upload: Layout & { key: string; storage_upload_id: string },
  parts: readonly Part[],
): Promise<PartUrl[]> {
  const sign = ({ part_number, size_bytes }: Part) =>
    isWhole(storage, upload)
      ? storage.presign('PUT', upload.key, { expires_in: urlSeconds, size_bytes })
      : storage.presignPart(upload, { part_number, size_bytes }, urlSeconds);
  return Promise.all(parts.map(async (part) => ({ ...part, url: await sign(part) })));
}
