/**
 * Blobs that are arriving: in one request, or in an upload of any number of pieces, each stored as an
 * object of its own. Most clients send one piece, which becomes the blob; several are copied into one
 * object at the end. An upload that nobody goes on with ends after a day.
 */
import { PassThrough } from 'node:stream';
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { DomainError } from '../../errors.ts';
import { discardObjects, extendPending, markDead } from '../../objects/objects.ts';
import type { Services } from '../../services.ts';
import {
  becomeBlob,
  digestOf,
  type Incoming,
  type StoredPiece,
  storeBuffer,
  storePiece,
} from './blobs.ts';
import { digestDiffers, outOfOrder, unknownUpload, uploadInvalid } from './faults.ts';
import {
  type Arrived,
  addUpload,
  appendPiece,
  type EndedUpload,
  findPieces,
  findUpload,
  removeExpired,
  removeUpload,
  removeUploadsOf,
  type Upload,
} from './upload-queries.ts';

type Parts = Pick<Services, 'db' | 'storage' | 'limits'>;

/** Since its last piece. */
const uploadSeconds = 24 * 3600;

/** @throws DomainError `too_many_requests` if the user has too many uploads under way. */
export async function beginUpload(
  { db, limits }: Parts,
  { tenant_id, user_id }: Caller,
  repository: string,
): Promise<string> {
  const most = limits.registry.most_uploads;
  const id = await addUpload(db, { tenant_id, user_id, repository }, uploadSeconds, most);
  if (id !== undefined) return id;
  throw new DomainError(
    'too_many_requests',
    `You have ${most} uploads under way: finish or cancel some first.`,
  );
}

/** Stores a blob that comes in one request. @throws DomainError `DIGEST_INVALID` for other bytes. */
export async function storeBlob(
  services: Parts,
  { tenant_id }: Pick<Caller, 'tenant_id'>,
  digest: string,
  incoming: Incoming,
): Promise<void> {
  const { db, limits } = services;
  const piece = await storePiece(services, tenant_id, incoming, limits.registry.most_blob_bytes);
  await droppingUnused(db, tenant_id, [piece.id], async () => {
    requireDigest(piece, digest);
    await db.transaction(async (tx) => {
      const unused = await becomeBlob(tx, services.storage, tenant_id, piece);
      if (unused) await discardObjects(tx, [unused]);
    });
  });
}

/** The bytes that have arrived. @throws DomainError `BLOB_UPLOAD_UNKNOWN` */
export async function requireUpload(db: Db, upload: Upload): Promise<Arrived> {
  const arrived = await findUpload(db, upload);
  if (!arrived) throw unknownUpload();
  return arrived;
}

/** Inclusive; as the header `Content-Range` has it. */
export type Range = { start: number; end: number };

/**
 * Receives the next piece.
 *
 * @returns what has arrived.
 * @throws DomainError 416 if it is not the next one, or another came first; then it is not kept.
 */
export async function receivePiece(
  services: Parts,
  upload: Upload,
  range: Range | undefined,
  incoming: Incoming,
): Promise<Arrived> {
  const { db, limits } = services;
  const { most_blob_bytes, most_pieces } = limits.registry;
  const before = await requireUpload(db, upload);
  if (range && range.start !== before.size_bytes) throw outOfOrder(before.size_bytes);
  if (before.object_ids.length >= most_pieces) {
    throw uploadInvalid(`An upload has at most ${most_pieces} pieces: send larger ones.`);
  }
  const announced = range && range.end - range.start + 1;
  const { tenant_id } = upload;
  const piece = await storePiece(
    services,
    tenant_id,
    { ...incoming, expected_bytes: incoming.expected_bytes || (announced ?? 0) },
    most_blob_bytes - before.size_bytes,
  );
  return droppingUnused(db, tenant_id, [piece.id], async () => {
    const { id, size_bytes } = piece;
    if (announced !== undefined && announced !== size_bytes) {
      throw uploadInvalid(`Content-Range announced ${announced} bytes, and ${size_bytes} came.`);
    }
    if (size_bytes === 0) {
      await markDead(db, tenant_id, [id]);
      return before;
    }
    const object_ids = [...before.object_ids, id];
    await db.transaction(async (tx) => {
      const isNext = await appendPiece(tx, upload, before, piece, uploadSeconds);
      if (!isNext) throw outOfOrder((await requireUpload(tx, upload)).size_bytes);
      await extendPending(tx, tenant_id, object_ids, uploadSeconds);
    });
    return { size_bytes: before.size_bytes + size_bytes, object_ids };
  });
}

/**
 * Makes what has arrived a blob, and ends the upload.
 *
 * @param takeTurn waits until several pieces may be copied into one object, however often a client asks
 *   for that.
 * @throws DomainError `DIGEST_INVALID` if it has another digest; then the upload has ended as well.
 */
export async function finishUpload(
  services: Parts,
  upload: Upload,
  digest: string,
  takeTurn: () => Promise<() => void>,
): Promise<void> {
  const arrived = await requireUpload(services.db, upload);
  if (arrived.object_ids.length < 2) return makeBlob(services, upload, digest, arrived);
  const endTurn = await takeTurn();
  try {
    // The same request may have come before, and have ended the upload meanwhile.
    await makeBlob(services, upload, digest, await requireUpload(services.db, upload));
  } finally {
    endTurn();
  }
}

async function makeBlob(
  services: Parts,
  upload: Upload,
  digest: string,
  arrived: Arrived,
): Promise<void> {
  const { db } = services;
  const { tenant_id } = upload;
  const pieces = await piecesOf(db, tenant_id, arrived);
  const [only] = pieces;
  const whole = pieces.length === 1 && only ? only : await joined(services, tenant_id, pieces);
  const isTaken = await droppingUnused(db, tenant_id, whole === only ? [] : [whole.id], () =>
    db.transaction(async (tx) => {
      if (!(await removeUpload(tx, upload, arrived))) throw unknownUpload();
      const isRight = digestOf(whole.checksum_sha256) === digest;
      const unused = isRight ? await becomeBlob(tx, services.storage, tenant_id, whole) : whole;
      const parts = whole === only ? [] : pieces;
      const left = [...parts, ...(unused ? [unused] : [])];
      await discardObjects(
        tx,
        left.map(({ id }) => ({ tenant_id, id })),
      );
      return isRight;
    }),
  );
  if (!isTaken) throw digestDiffers(digestOf(whole.checksum_sha256));
}

/** Ends an upload without a blob. */
export async function cancelUpload(db: Db, upload: Upload): Promise<void> {
  await db.transaction(async (tx) => {
    const arrived = await requireUpload(tx, upload);
    if (!(await removeUpload(tx, upload, arrived))) throw unknownUpload();
    await markDead(tx, upload.tenant_id, arrived.object_ids);
  });
}

/** Ends uploads that nobody went on with. @returns how many. */
export function endExpiredImageUploads(db: Db, now: Date, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const ended = await removeExpired(tx, now, limit);
    await discardPieces(tx, ended);
    return ended.length;
  });
}

/** Ends all uploads of a user, who may not go on with them. */
export async function endImageUploadsOf(
  tx: Db,
  user: { tenant_id: number; user_id: number },
): Promise<void> {
  await discardPieces(tx, await removeUploadsOf(tx, user));
}

async function discardPieces(tx: Db, ended: readonly EndedUpload[]): Promise<void> {
  const objects = ended.flatMap(({ tenant_id, object_ids }) =>
    object_ids.map((id) => ({ tenant_id, id })),
  );
  if (objects.length > 0) await discardObjects(tx, objects);
}

/** The stored pieces in their order. @throws DomainError if some are gone with their time. */
async function piecesOf(db: Db, tenantId: number, { object_ids }: Arrived) {
  const found = new Map((await findPieces(db, tenantId, object_ids)).map((one) => [one.id, one]));
  const pieces = object_ids.map((id) => found.get(id)).filter((piece) => piece !== undefined);
  if (pieces.length < object_ids.length) throw unknownUpload();
  return pieces;
}

/** Copies pieces into one object, which has their digest. */
async function joined(
  services: Parts,
  tenantId: number,
  pieces: readonly StoredPiece[],
): Promise<StoredPiece> {
  if (pieces.length === 0) return storeBuffer(services, tenantId, Buffer.alloc(0));
  const { storage } = services;
  const expected_bytes = pieces.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const bytes = new PassThrough();
  const copy = async () => {
    for (const piece of pieces) await storage.copyTo(piece, undefined, () => bytes);
    bytes.end();
  };
  const copied = copy().catch((error: Error) => void bytes.destroy(error));
  try {
    return await storePiece(services, tenantId, { bytes, expected_bytes }, expected_bytes);
  } finally {
    bytes.destroy();
    await copied;
  }
}

function requireDigest({ checksum_sha256 }: StoredPiece, digest: string) {
  const found = digestOf(checksum_sha256);
  if (found !== digest) throw digestDiffers(found);
}

/** Drops pending objects if the work fails; those that went live are not affected. */
async function droppingUnused<T>(
  db: Db,
  tenantId: number,
  ids: readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await markDead(db, tenantId, ids);
    throw error;
  }
}
