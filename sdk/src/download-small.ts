/**
 * Downloads small files, many in one request: as one ZIP that is taken apart while it comes. A request
 * for each would be slow, and soon over the limit of requests.
 */
import type { Client } from './client.ts';
import { chunksOf } from './download.ts';
import { newKey } from './upload-keys.ts';
import { zipMembers } from './zip-stream.ts';

export type SmallFile = { id: number; size_bytes: number; checksum_sha256: string };

/** Larger ones are better downloaded by themselves, as they can then be resumed. */
export const small_bytes = 256 * 1024;
/** Of one request. */
export const mostSmall = 500;

/** Long enough to begin. */
const life_seconds = 60;

/**
 * @param files at most `mostSmall`, of at most `small_bytes` each.
 * @returns those whose content is as recorded, in any order. The others are left to `download`, which
 *   tells what is wrong with them.
 * @throws ApiError if one of them is gone; TypeError if the network fails.
 */
export async function* downloadSmall<File extends SmallFile>(
  client: Client,
  files: readonly File[],
  signal?: AbortSignal,
): AsyncGenerator<{ file: File; bytes: Uint8Array<ArrayBuffer> }> {
  const { silence_ms } = client;
  const cog_ids = files.map(({ id }) => id);
  const body = { cog_ids, expires_in: life_seconds };
  const { url } = await client.createSelectionUrl({ body, signal, idempotencyKey: newKey() });
  const token = url.slice(url.lastIndexOf('/') + 1);
  const response = await client.send({ method: 'GET', path: `/d/${token}`, silence_ms, signal });
  // By content instead of by name: names may be changed in a ZIP, and this verifies them as well.
  const wanted = Map.groupBy(files, ({ checksum_sha256 }) => checksum_sha256);
  for await (const { bytes } of zipMembers(chunksOf(response, silence_ms), small_bytes)) {
    const file = wanted.get(await checksumOf(bytes))?.shift();
    if (file) yield { file, bytes };
  }
}

async function checksumOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
