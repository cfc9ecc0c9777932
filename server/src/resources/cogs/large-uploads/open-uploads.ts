/** A user's own uploads between their announcement and their end. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { conflict, notFound } from '../../../errors.ts';
import { discardObjects } from '../../../objects/objects.ts';
import type { Listed, Page } from '../../../pages.ts';
import type { Services } from '../../../services.ts';
import type { StoredPart } from '../../../storage/parts.ts';
import type { StoredBytes } from '../../../storage/storage.ts';
import { isWhole, partOf } from './layout.ts';
import { partsMismatch, requirePartNumbers } from './part-lists.ts';
import { urlsOf } from './part-urls.ts';
import {
  countOpenUploads,
  type EndedUpload,
  findOpenUploads,
  findUploads,
  releaseUploads,
  setAborted,
  takeEndedOf,
  type UploadRow,
} from './queries.ts';
import type { PartUrl, UploadDetails, UploadRecord } from './schema.ts';

type Store = Pick<Services, 'db' | 'storage'>;

/** An upload that the client has been told of and that has not ended. */
export type OpenUpload = UploadRow & { key: string; storage_upload_id: string; object_id: number };

/** The caller's uploads that have not ended, newest first. */
export async function listUploads(
  db: Db,
  caller: Caller,
  page: Page,
): Promise<Listed<UploadRecord>> {
  const rows = (await findOpenUploads(db, caller, page)).map(recordOf);
  if (!page.with_total) return { rows };
  return { rows, total: await countOpenUploads(db, caller) };
}

/** One upload of the caller, with what is stored of it. */
export async function getUpload(
  { db, storage }: Store,
  caller: Caller,
  id: number,
): Promise<UploadDetails> {
  const upload = await requireUpload(db, caller, id);
  const parts = isOpen(upload) ? await storedPartsOf({ storage }, upload) : [];
  const is_stored = parts === undefined || upload.state === 'done';
  return { ...recordOf(upload), is_stored, parts: parts ?? [] };
}

function recordOf(row: UploadRow): UploadRecord {
  const { id: upload_id, storage_upload_id = '', parent_id, cog_id, checksum_sha256 } = row;
  const { name, file_size, chunk_size, mime_type, state, verified_bytes } = row;
  const { created_at, expires_at } = row;
  return {
    ...{ upload_id, storage_upload_id, name, file_size, chunk_size, mime_type },
    ...(parent_id === undefined ? {} : { parent_id }),
    ...(cog_id === undefined ? {} : { cog_id }),
    ...(checksum_sha256 === undefined ? {} : { checksum_sha256 }),
    ...{ state, verified_bytes, created_at, expires_at },
  };
}

/**
 * The stored parts of an upload.
 *
 * @returns undefined if they have been put together, so that all are stored.
 */
export async function storedPartsOf(
  { storage }: Pick<Services, 'storage'>,
  upload: OpenUpload,
): Promise<StoredPart[] | undefined> {
  const { key, file_size, stored_bytes, stored_sha256 } = upload;
  if (isWhole(storage, upload)) {
    return wholeOf(await storage.stat(key), stored_sha256, file_size);
  }
  if (stored_bytes !== undefined) return undefined;
  const parts = await storage.storedParts(upload);
  if (parts) return parts;
  return (await storage.stat(key))?.size_bytes === file_size ? undefined : [];
}

/**
 * An object that arrived by one PUT, as a list of one part. The PUT recorded its checksum, which is
 * the ETag, unless the server died just then.
 */
function wholeOf(
  found: StoredBytes | undefined,
  etag: string | undefined,
  file_size: number,
): StoredPart[] | undefined {
  if (!found) return [];
  const { size_bytes } = found;
  if (etag !== undefined) return [{ part_number: 1, size_bytes, etag }];
  return size_bytes === file_size ? undefined : [];
}

/** Fresh URLs for some parts. @throws DomainError 409 `upload_ended`, 422 for numbers it has not */
export async function freshUrls(
  { db, storage }: Store,
  caller: Caller,
  id: number,
  numbers: readonly number[],
): Promise<PartUrl[]> {
  const upload = await requireUpload(db, caller, id);
  requirePartNumbers(upload, numbers);
  if (!isOpen(upload)) throw uploadEnded(upload.state);
  return urlsOf(
    storage,
    upload,
    numbers.map((number) => partOf(upload, number)),
  );
}

/**
 * Aborts an upload and removes what is stored of it. If a confirmation is under way, that removes
 * it.
 *
 * @throws DomainError 409 `upload_done` if the file has been made.
 */
export async function abortUpload(store: Store, caller: Caller, id: number): Promise<void> {
  const { db } = store;
  const { state } = await requireUpload(db, caller, id);
  if (state !== 'done') await setAborted(db, caller, [id]);
  if ((await requireUpload(db, caller, id)).state === 'done') {
    throw conflict('upload_done', 'The file has been made. Delete the file instead.');
  }
  await removeEnded(store, await takeEndedOf(db, caller.tenant_id, [id]));
}

/** Removed at once; concurrent requests to the storage. */
const removedTogether = 50;

/**
 * Aborts those of these uploads that are the caller's and have not ended. What the storage cannot
 * remove now is removed later, as for expired ones.
 */
export async function abortUploads(
  store: Store,
  caller: Caller,
  ids: readonly number[],
): Promise<void> {
  const aborted = await setAborted(store.db, caller, ids);
  const ended = await takeEndedOf(
    store.db,
    caller.tenant_id,
    aborted.map(({ id }) => id),
  );
  for (let at = 0; at < ended.length; at += removedTogether) {
    await removeEnded(store, ended.slice(at, at + removedTogether));
  }
}

/** Removes what the storage has of ended uploads: parts first, then the objects. */
export async function removeEnded(
  { db, storage }: Store,
  ended: readonly EndedUpload[],
): Promise<void> {
  if (ended.length === 0) return;
  await Promise.all(ended.map(({ key }) => storage.abortParts(key)));
  await db.transaction(async (tx) => {
    await releaseUploads(tx, ended);
    const objects = ended.map(({ tenant_id, object_id }) => ({ tenant_id, id: object_id }));
    await tx.commit([discardObjects(tx, objects)]);
  });
}

/** @throws DomainError `not_found` unless it is the caller's. */
async function requireUpload(db: Db, caller: Caller, id: number): Promise<UploadRow> {
  const { tenant_id, user_id } = caller;
  const [upload] = await findUploads(db, tenant_id, [{ id, user_id }]);
  if (!upload) throw notFound('Upload');
  return upload;
}

export const isOpen = (upload: UploadRow): upload is OpenUpload =>
  ['open', 'completing'].includes(upload.state) && upload.key !== undefined;

export const uploadEnded = (state?: UploadRow['state']) =>
  state === 'failed'
    ? checksumMismatch()
    : conflict('upload_ended', 'This upload has ended. Begin a new one.');

export const checksumMismatch = () =>
  conflict(
    'checksum_mismatch',
    'The bytes do not have the declared checksum: they were changed on the way, or before.',
  );

/**
 * For a locked upload that was verified.
 *
 * @throws DomainError 409 `upload_ended` if it has ended, `parts_mismatch` if its bytes were
 *   replaced meanwhile.
 */
export function requireCompleting(
  verified: { checksum_sha256: string },
  locked: { checksum_sha256?: string } | undefined,
): void {
  if (!locked) throw uploadEnded();
  if (locked.checksum_sha256 === verified.checksum_sha256) return;
  throw partsMismatch(['Part 1 was replaced during the confirmation.']);
}
