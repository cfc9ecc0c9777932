/** What a confirmation does with an upload that it has claimed: its object, its checksum, its file. */
import type { Party } from '../../../barrier.ts';
import { Batches } from '../../../batches.ts';
import type { Caller } from '../../../callers.ts';
import { checksumsOf } from '../../../objects/checksums.ts';
import { noteStored } from '../../../objects/objects.ts';
import type { Services } from '../../../services.ts';
import type { StoredObject } from '../../../storage/storage.ts';
import { Turns } from '../../../turns.ts';
import { openNewFiles } from '../files/new-files.ts';
import type { Cog } from '../schema.ts';
import { openNewVersions } from '../versions/new-versions.ts';
import { isWhole } from './layout.ts';
import { checksumMismatch, type OpenUpload, storedPartsOf } from './open-uploads.ts';
import { type GivenPart, partsMismatch, requireAllParts } from './part-lists.ts';

/** How a confirmation is observed and stopped. */
export type Progress = { verified_bytes: number; stopping: AbortController };

/** What the client confirms: the upload, perhaps with another place or name, and its parts. */
export type Order = {
  caller: Caller;
  upload: OpenUpload;
  parts: readonly GivenPart[];
  ifMatch?: string;
  /** Of a request for many: files whose bytes need no long reading are made together. */
  party?: Party | undefined;
};

/**
 * Up to this size, bytes are read without a turn: waiting for a bucket takes longer than computing
 * their checksum.
 */
const smallBytes = 256 * 1024;

const mostNoted = 500;

/** @returns a function that makes the file of a claimed upload. */
export function openCompletion(
  services: Services,
): (order: Order, progress: Progress) => Promise<Cog> {
  const { db, limits, storage } = services;
  const turns = new Turns(limits.uploads.verifications);
  const addFile = openNewFiles(db);
  const addVersion = openNewVersions(db);
  // Those found together share a statement.
  const notes = new Batches<number, StoredObject & { id: number }, void>(
    async (tenantId, found) => {
      await noteStored(db, tenantId, found);
      return found.map(() => ({ result: undefined }));
    },
    mostNoted,
    'after this moment',
  );

  /**
   * Makes an object of the parts and finds out its checksum, each unless done before.
   *
   * @returns `is_new`: whether the checksum is still to be recorded.
   */
  async function complete(
    { upload, parts, party }: Order,
    progress: Progress,
  ): Promise<{ stored: StoredObject; is_new: boolean }> {
    const { key, file_size: size_bytes } = upload;
    if (size_bytes > smallBytes) party?.leave();
    const stored = await storedPartsOf(services, upload);
    if (stored) {
      requireAllParts(upload, parts, stored);
      if (!isWhole(storage, upload) && !(await storage.completeParts(upload, stored))) {
        throw partsMismatch(['A part was replaced during the confirmation.']);
      }
    }
    const { stored_sha256, stored_crc32: crc32 } = upload;
    if (stored_sha256 !== undefined) {
      const checksums = { checksum_sha256: stored_sha256, ...(crc32 !== undefined && { crc32 }) };
      return { stored: { size_bytes, ...checksums }, is_new: false };
    }
    const known = (await storage.stat(key))?.checksum_sha256;
    const found =
      known === undefined ? await read(upload, progress) : { size_bytes, checksum_sha256: known };
    return { stored: found, is_new: true };
  }

  async function read(upload: OpenUpload, progress: Progress): Promise<StoredObject> {
    const { signal } = progress.stopping;
    const isSmall = upload.file_size <= smallBytes;
    const end = isSmall ? undefined : await turns.take(upload, signal);
    try {
      const object = { key: upload.key, size_bytes: upload.file_size };
      const told = (bytes: number) => {
        progress.verified_bytes = bytes;
      };
      return await checksumsOf(storage, object, { told, stopping: signal });
    } finally {
      end?.();
    }
  }

  async function makeOf({ caller, upload, ifMatch }: Order, stored: StoredObject): Promise<Cog> {
    const { id: upload_id, object_id, mime_type, name, parent_id, cog_id } = upload;
    const content = { ...stored, upload_id, object_id, mime_type };
    const { tenant_id, user_id } = caller;
    if (cog_id === undefined) return addFile(tenant_id, { ...content, user_id, name, parent_id });
    return addVersion(caller, { ...content, cog_id, ifMatch });
  }

  return async (order, progress) => {
    const { stored, is_new } = await complete(order, progress);
    await order.party?.arrive();
    const { tenant_id, object_id: id } = order.upload;
    if (is_new) await notes.add(tenant_id, { id, ...stored });
    const { checksum_sha256: declared = stored.checksum_sha256 } = order.upload;
    if (declared !== stored.checksum_sha256) throw checksumMismatch();
    return makeOf(order, stored);
  };
}
