/**
 * Uploads one file: a small one in one request, a large one in parts that go directly to the
 * storage, and that can be resumed.
 */
import type { Client } from './client.ts';
import type { Cog, StoredPart, UploadDetails } from './contract.gen.ts';
import { Slots } from './slots.ts';
import { chunk_size } from './upload-announcements.ts';
import { openConfirmer } from './upload-confirmer.ts';
import { uploadFile } from './upload-form.ts';
import { newKey, persisting, removeUpload } from './upload-keys.ts';
import { type Announced, sendParts } from './upload-parts.ts';

export type UploadOptions = {
  /** Its name in the folder. Not used for a new version. */
  name: string;
  /**
   * A browser's `File`, or in Node `await openAsBlob(path)`: read while it is sent. Its type is
   * that of the file.
   */
  bytes: Blob;
  /** The folder; omitted for the root. */
  parent_id?: number | undefined;
  /** Instead of a new file: a new version of this one. */
  cog_id?: number | undefined;
  /** Hexadecimal. The file is made only if its bytes have this checksum. */
  checksum_sha256?: string | undefined;
  /** Resumes this upload: only the parts that are not stored are sent. */
  upload_id?: number | undefined;
  /** Whether a large upload that fails or is aborted is kept, to be resumed. Otherwise it is removed. */
  keep?: boolean | undefined;
  /** Requests under way at once; may be shared. Four unless given. */
  slots?: Slots | undefined;
  /** Called when a large upload has begun, with what resumes it. */
  onBegun?: ((upload_id: number) => void) | undefined;
  /** Called often, with the bytes sent so far. */
  onProgress?: ((sent_bytes: number) => void) | undefined;
  signal?: AbortSignal | undefined;
};

/** Up to here a failed upload is cheap to repeat. */
const simple_bytes = 8 * 1024 ** 2;

/**
 * @throws ApiError, e.g. 409 `name_collision`, `upload_ended`, `checksum_mismatch`; FileChanged;
 *   TypeError if the network fails for long, or if `bytes` are not those of the upload to resume.
 */
export async function upload(client: Client, options: UploadOptions): Promise<Cog> {
  const { bytes, upload_id, cog_id, checksum_sha256, signal, keep } = options;
  const isSimple = bytes.size <= simple_bytes && cog_id === undefined && !checksum_sha256;
  if (isSimple && upload_id === undefined) return uploadFile(client, options);

  const found = upload_id === undefined ? undefined : await find(client, upload_id, options);
  if (found?.cog_id !== undefined && found.state === 'done') {
    return client.getCog({ path: { id: found.cog_id }, signal });
  }
  const begun: Announced = found ? { ...found, parts: [] } : await begin(client, options);
  options.onBegun?.(begun.upload_id);
  try {
    return await finish(client, begun, options, found);
  } catch (error) {
    if (!keep) await removeUpload(client, begun.upload_id);
    throw error;
  }
}

async function finish(
  client: Client,
  announced: Announced,
  { bytes, slots = new Slots(4), onProgress, signal }: UploadOptions,
  found: UploadDetails | undefined,
): Promise<Cog> {
  const send = async () => {
    // All parts are there, and have been put together.
    if (found?.is_stored && found.parts.length === 0) return [];
    const stored = found && (await intactParts(found, bytes));
    return sendParts(client, { upload: announced, bytes, slots, stored, onProgress, signal });
  };
  const sending = send().then((parts) => ({ upload: announced, file_size: bytes.size, parts }));
  return openConfirmer(client, signal).confirm(sending);
}

const begin = (client: Client, options: UploadOptions): Promise<Announced> => {
  const { name, bytes, parent_id, cog_id, checksum_sha256, signal } = options;
  const place = cog_id === undefined ? { name, parent_id } : { cog_id };
  const file = { file_size: bytes.size, mime_type: bytes.type || undefined, checksum_sha256 };
  return client.initiateUpload({
    body: { ...place, ...file, chunk_size },
    ...{ signal, idempotencyKey: newKey(), ...persisting(client) },
  });
};

async function find(
  client: Client,
  upload_id: number,
  { bytes, signal }: UploadOptions,
): Promise<UploadDetails> {
  const found = await client.getUpload({ path: { upload_id }, signal, ...persisting(client) });
  if (found.file_size !== bytes.size) {
    throw new TypeError(
      `These are not the bytes of this upload: it has ${found.file_size} bytes, not ${bytes.size}.`,
    );
  }
  return found;
}

/** Above this, a part is not read into memory to compare it. */
const mostCompared_bytes = 256 * 1024 ** 2;

/**
 * The stored parts that have the size and, where the storage tells it by the ETag, the checksum of
 * these bytes: the file may have changed since its upload began.
 */
async function intactParts(found: UploadDetails, bytes: Blob): Promise<StoredPart[]> {
  const intact: StoredPart[] = [];
  for (const part of found.parts) {
    const start = (part.part_number - 1) * found.chunk_size;
    const slice = bytes.slice(start, start + found.chunk_size);
    if (slice.size === part.size_bytes && (await hasChecksum(slice, part.etag))) intact.push(part);
  }
  return intact;
}

async function hasChecksum(bytes: Blob, etag: string): Promise<boolean> {
  const given = etag.replaceAll('"', '').toLowerCase();
  if (bytes.size > mostCompared_bytes) return true;
  if (/^[0-9a-f]{32}$/.test(given)) return ((await md5Of(bytes)) ?? given) === given;
  // Browsers compute checksums only on pages of a secure origin.
  const subtle = globalThis.crypto.subtle as typeof crypto.subtle | undefined;
  if (!/^[0-9a-f]{64}$/.test(given) || !subtle) return true;
  const digest = new Uint8Array(await subtle.digest('SHA-256', await bytes.arrayBuffer()));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('') === given;
}

type NodeCrypto = { hash(algorithm: 'md5', bytes: Uint8Array): string };
type NodeProcess = { getBuiltinModule(name: 'node:crypto'): NodeCrypto };

/** What most buckets have as the ETag of a part. @returns undefined in browsers, which have no MD5. */
async function md5Of(bytes: Blob): Promise<string | undefined> {
  const { process } = globalThis as { process?: NodeProcess };
  if (!process) return undefined;
  const { hash } = process.getBuiltinModule('node:crypto');
  return hash('md5', new Uint8Array(await bytes.arrayBuffer()));
}
