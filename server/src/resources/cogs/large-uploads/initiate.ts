/**
 * Announces files whose bytes the client then sends directly to the storage. An upload and its
 * object are recorded before the storage knows anything of them; one that the client is never told
 * of ends within the hour.
 */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { attempt, type Decided, resultOf, resultsOf } from '../../../decided.ts';
import type { Effect } from '../../../effects.ts';
import { badField, conflict, nameCollision } from '../../../errors.ts';
import { newKey, pendingSeconds } from '../../../objects/objects.ts';
import { noRoomFor, nothingStored, readUsage } from '../../../objects/quota.ts';
import type { Services } from '../../../services.ts';
import { storageFull } from '../../../storage/room.ts';
import { typeOf } from '../files/uploads.ts';
import { checkedName } from '../places/names.ts';
import { requirePlace } from '../places/places.ts';
import { findPlaces, type Place } from '../places/queries.ts';
import { rootId } from '../places/root.ts';
import { requireVersionable } from '../versions/versions.ts';
import { type Existing, findExisting } from './existing.ts';
import { chunkFor, isWhole, type Layout, partCount, partsOf } from './layout.ts';
import { urlsOf } from './part-urls.ts';
import { addUploads, countUpTo, type NewUploadRow, setBegun } from './queries.ts';
import type { BegunUpload, NewUpload } from './schema.ts';

/** From when it is begun, a client has this long to send all bytes. */
const uploadSeconds = 7 * 24 * 3600;

/** A file as announced: a new one in the folder `parent_id`, or a new version of `cog_id`. */
export type Announced = Layout & {
  name: string;
  mime_type: string;
  checksum_sha256?: string;
  parent_id?: number;
  cog_id?: number;
  /** Whether a file that has the name already gets a new version: always, or for another content. */
  existing?: 'version' | 'changed' | undefined;
};

/** Nothing is to be sent: the file has this content. */
export type Unchanged = { cog_id: number; is_unchanged: true };

/** An upload that is recorded and, from `begin`, known to the storage. */
export type Recorded = Announced & { id: number; key: string };
export type Begun = Recorded & { storage_upload_id: string };

/**
 * Announces one file.
 *
 * @throws DomainError 404, 403 or 400 for the folder or file, 422 for the name, 409
 *   `name_collision`, 403 `quota_exceeded`, 507 `storage_full`.
 */
export async function initiate(
  services: Services,
  caller: Caller,
  wanted: NewUpload,
): Promise<Effect<BegunUpload>> {
  const { db, limits } = services;
  const file = await announcedBy(db, caller, wanted);
  await requireRoom(services, [file]);
  const readsFirst = file.parent_id !== undefined;
  const [outcome] = await db.transaction(
    (tx) => recordUploads(tx, caller, [file], limits.uploads.most_open),
    { readsFirst, alongKeys: true },
  );
  const begun = await begin(services, [resultOf(outcome)].filter(isRecorded));
  return async (tx) => {
    const [told] = await tell(services, tx, caller.tenant_id, begun);
    if (!told) throw new Error('The upload has ended already.');
    return told;
  };
}

async function announcedBy(db: Db, caller: Caller, wanted: NewUpload): Promise<Announced> {
  const { cog_id, name, parent_id, file_size, chunk_size, mime_type, checksum_sha256 } = wanted;
  const content = contentOf({ file_size, chunk_size, checksum_sha256 });
  if (cog_id !== undefined) {
    for (const field of ['name', 'parent_id'] as const) {
      if (wanted[field] !== undefined) throw badField(field, 'Not with cog_id.');
    }
    const cog = await requireVersionable(db, caller, cog_id);
    return { ...content, name: cog.name, mime_type: declaredType(cog.name, mime_type), cog_id };
  }
  if (name === undefined) throw badField('name', 'This field is required.', 'required');
  const checked = checkedName(name);
  return {
    ...content,
    name: checked,
    mime_type: declaredType(checked, mime_type),
    parent_id: parent_id ?? (await rootId(db, caller)),
  };
}

/** What the announced bytes are, in the form in which it is recorded. */
export const contentOf = ({
  file_size,
  chunk_size,
  checksum_sha256,
}: {
  file_size: number;
  chunk_size?: number | undefined;
  checksum_sha256?: string | undefined;
}) => ({
  file_size,
  chunk_size: chunkFor(file_size, chunk_size),
  ...(checksum_sha256 === undefined ? {} : { checksum_sha256: checksum_sha256.toLowerCase() }),
});

export const declaredType = (name: string, type = 'application/octet-stream') =>
  typeOf(name, type.toLowerCase());

/** @throws DomainError 507 `storage_full` if the files together do not fit. */
export async function requireRoom(
  { storage }: Pick<Services, 'storage'>,
  files: readonly Layout[],
): Promise<void> {
  const bytes = files.reduce((sum, { file_size }) => sum + file_size, 0);
  if (bytes > (await storage.room())) throw storageFull();
}

/**
 * Records files with their announced sizes, if the caller may make them and there is room; each
 * reserves its bytes.
 *
 * @param mostOpen of the user, with these.
 * @returns the outcome of each.
 */
export async function recordUploads(
  tx: Transaction,
  caller: Caller,
  files: readonly Announced[],
  mostOpen: number,
): Promise<Decided<Recorded | Unchanged>[]> {
  const { tenant_id, user_id } = caller;
  const placed = files.filter(({ parent_id }) => parent_id !== undefined);
  const wanted = placed.map(({ name, parent_id }) => ({ user_id, name, parent_id }));
  const [open, rows] = await Promise.all([
    countUpTo(tx, caller, mostOpen),
    placed.length > 0 ? findPlaces(tx, tenant_id, wanted, 'look up') : [],
  ]);
  const places = new Map(rows.map((row) => [placed[row.place - 1], row]));
  const existing = await existingOf(tx, caller, placed, places);
  const names = new Set<string>();
  const possible = files.map((file) =>
    attempt((): (NewUploadRow & Announced) | Unchanged => {
      const row = { ...file, user_id, key: newKey(tenant_id) };
      if (file.parent_id === undefined) return row;
      const place = places.get(file);
      const found = existing.get(file);
      const { id } = found ? { id: file.parent_id } : requirePlace(place, file.name);
      const own = `${id}/${file.name}`;
      if (names.has(own)) throw nameCollision(file.name);
      if (place?.is_taken && !found) throw nameCollision(file.name);
      const { parent_id: _, ...rest } = row;
      const known = found && resultOf(found);
      names.add(own);
      if (known?.is_unchanged) return { cog_id: known.cog_id, is_unchanged: true };
      return known ? { ...rest, cog_id: known.cog_id } : row;
    }),
  );
  let left = mostOpen - open.count;
  const decided = possible.map((one) => {
    if ('error' in one || !('key' in one.result)) return one;
    left -= 1;
    return left < 0 ? { error: tooManyOpen(mostOpen, open.expires_at) } : one;
  });
  const allowed = resultsOf(decided).filter((one) => 'key' in one);
  const [added, usage] = await tx.commit(
    allowed.length > 0
      ? [addUploads(tx, tenant_id, allowed, pendingSeconds), readUsage(tx, tenant_id)]
      : [],
  );
  const ids = new Map(added?.map(({ key, id }) => [key, id]));
  return decided.map((one) => {
    if ('error' in one) return one;
    const { result: row } = one;
    if (!('key' in row)) return { result: row };
    const id = ids.get(row.key);
    if (id !== undefined) return { result: { ...row, id } };
    return { error: noRoomFor(usage ?? nothingStored, row.file_size) };
  });
}

export const isRecorded = (one: Recorded | Unchanged): one is Recorded => 'key' in one;

/** Each costs rows and, in parts, something in the storage, however few bytes it has. */
const tooManyOpen = (most: number, expiresAt: string | undefined) =>
  conflict(
    'too_many_uploads',
    `You have ${most} uploads that are neither confirmed nor aborted, and may not begin more. Confirm or abort some of them (GET /cogs/uploads lists them)${
      expiresAt === undefined ? '' : `, or wait: the next one expires at ${expiresAt}`
    }.`,
  );

/** The files that are to get a new version, where something has the name. */
async function existingOf(
  tx: Transaction,
  caller: Caller,
  files: readonly Announced[],
  places: ReadonlyMap<Announced | undefined, Place>,
): Promise<Map<Announced, Decided<Existing>>> {
  const wanted = files.flatMap((file) => {
    const folder = places.get(file);
    if (!file.existing || !folder?.is_taken) return [];
    const other_than = file.existing === 'changed' ? file : undefined;
    return { file, name: file.name, folder, other_than };
  });
  const found = await findExisting(tx, caller, wanted);
  return new Map(
    wanted.flatMap(({ file }, at) => {
      const one = found[at];
      return one ? [[file, one] as const] : [];
    }),
  );
}

/** Concurrent requests to the storage. */
const together = 8;

/** Lets the storage begin the uploads that are put together of parts. */
export async function begin(
  { storage }: Pick<Services, 'storage'>,
  uploads: readonly Recorded[],
): Promise<Begun[]> {
  const begun: Begun[] = [];
  for (let at = 0; at < uploads.length; at += together) {
    const some = uploads.slice(at, at + together).map(async (upload) => {
      const { key, file_size: size_bytes, chunk_size: part_bytes } = upload;
      const storage_upload_id = isWhole(storage, upload)
        ? randomUUID()
        : await storage.beginParts(key, { size_bytes, part_bytes });
      return { ...upload, storage_upload_id };
    });
    begun.push(...(await Promise.all(some)));
  }
  return begun;
}

/** URLs in one answer; a client asks for the rest. */
const mostUrls = 10_000;

/** What the client is told of begun uploads; from now on they are kept for a week. */
export async function tell(
  { storage }: Pick<Services, 'storage'>,
  tx: Db,
  tenantId: number,
  begun: readonly Begun[],
): Promise<BegunUpload[]> {
  const kept = await setBegun(tx, tenantId, begun, uploadSeconds);
  const times = new Map(kept.map(({ id, expires_at }) => [id, expires_at]));
  let left = mostUrls;
  const told: BegunUpload[] = [];
  for (const upload of begun) {
    const { id, storage_upload_id, chunk_size } = upload;
    const expires_at = times.get(id);
    if (expires_at === undefined) continue;
    const parts = partCount(upload) <= left ? partsOf(upload) : [];
    left -= parts.length;
    const urls = await urlsOf(storage, upload, parts);
    told.push({ upload_id: id, storage_upload_id, chunk_size, expires_at, parts: urls });
  }
  return told;
}
