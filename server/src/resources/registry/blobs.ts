/**
 * Blobs of images: bytes by their digest, each stored once for a tenant, whatever repositories use it.
 * A blob without a manifest is removed after a day, see collecting.ts.
 */
import { Readable } from 'node:stream';
import type { Db } from '../../db/connection.ts';
import {
  type ObjectName,
  objectStored,
  pendingSeconds,
  type RecordedObject,
  releaseObjects,
  requireLive,
  requireRecorded,
} from '../../objects/objects.ts';
import { receiveBytes } from '../../objects/receiving.ts';
import type { Services } from '../../services.ts';
import type { Storage, StoredObject } from '../../storage/storage.ts';
import { addBlob, type BlobRow, findBlob, replaceObject, touchBlob } from './blob-queries.ts';
import { tooLarge, unknownBlob } from './faults.ts';

type Store = Pick<Services, 'db' | 'storage'>;

/** Bytes as they come; `expected_bytes` is 0 if their number is not announced. */
export type Incoming = { bytes: Readable; expected_bytes: number };

/** A pending object whose bytes are stored. */
export type StoredPiece = RecordedObject & StoredObject;

/** @throws DomainError `BLOB_UNKNOWN` */
export async function requireBlob(
  { readDb }: Pick<Services, 'readDb'>,
  tenantId: number,
  digest: string,
): Promise<BlobRow> {
  const blob = await findBlob(readDb, tenantId, digest);
  if (!blob) throw unknownBlob();
  return blob;
}

/** A client that was told of a blob may name it for a day at least, within this. */
const touchedEvery_ms = 3600 * 1000;

/**
 * Like `requireBlob`, for a client that will not push the blob because it is here.
 *
 * @throws DomainError `BLOB_UNKNOWN`, also if its bytes are damaged: then a push replaces them.
 */
export async function requireKept(
  services: Pick<Services, 'db' | 'readDb' | 'storage'>,
  tenantId: number,
  digest: string,
): Promise<BlobRow> {
  const blob = await requireBlob(services, tenantId, digest);
  if (!(await isWhole(services.storage, blob))) throw unknownBlob();
  const { unused_since } = blob;
  const isFresh =
    unused_since === undefined || Date.parse(unused_since) > Date.now() - touchedEvery_ms;
  if (!isFresh && !(await touchBlob(services.db, tenantId, digest))) throw unknownBlob();
  return blob;
}

/**
 * Stores bytes as a pending object, which becomes a blob or a part of one.
 *
 * @throws DomainError `too_large`, 403 `quota_exceeded`, `storage_full`; then nothing is kept.
 */
export async function storePiece(
  store: Store,
  tenantId: number,
  { bytes, expected_bytes }: Incoming,
  most_bytes: number,
): Promise<StoredPiece> {
  if (expected_bytes > most_bytes) throw tooLarge(most_bytes);
  const object = await requireRecorded(store.db, tenantId, expected_bytes, pendingSeconds);
  const limits = { expected_bytes, most_bytes };
  const stored = await receiveBytes(store, tenantId, object, bytes, limits);
  await objectStored(store.db, tenantId, object.id, stored);
  return { ...object, ...stored };
}

/** The same for bytes in memory. */
export const storeBuffer = (store: Store, tenantId: number, bytes: Buffer) =>
  storePiece(
    store,
    tenantId,
    { bytes: Readable.from(bytes.length > 0 ? [bytes] : []), expected_bytes: bytes.length },
    bytes.length,
  );

/**
 * Makes a stored piece the blob of its digest, also instead of one whose bytes are damaged.
 *
 * @returns the object if it is not used: the blob is there already.
 */
export async function becomeBlob(
  tx: Db,
  storage: Storage,
  tenant_id: number,
  { id, size_bytes, checksum_sha256 }: StoredPiece,
): Promise<ObjectName | undefined> {
  const digest = digestOf(checksum_sha256);
  const used = await addBlob(tx, tenant_id, { digest, object_id: id, size_bytes });
  if (used !== id) {
    const there = await findBlob(tx, tenant_id, digest);
    if (there && (await isWhole(storage, there))) return { tenant_id, id };
    await replaceObject(tx, tenant_id, digest, id);
    await releaseObjects(tx, [{ tenant_id, id: used }]);
  }
  await requireLive(tx, [{ tenant_id, id }]);
  return undefined;
}

async function isWhole(storage: Storage, { key, size_bytes }: BlobRow): Promise<boolean> {
  return (await storage.stat(key))?.size_bytes === size_bytes;
}

export const digestOf = (checksum_sha256: string): string => `sha256:${checksum_sha256}`;
