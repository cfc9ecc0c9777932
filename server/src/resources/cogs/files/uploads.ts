/**
 * Files uploaded in one request. Their bytes are recorded, stored, and become a cog; if anything
 * fails, they are never visible and the collector removes them.
 */
import mime from 'mime';
import { Batches, type Outcome } from '../../../batches.ts';
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { badField, nameCollision } from '../../../errors.ts';
import type { IncomingFile } from '../../../incoming-files.ts';
import {
  markDead,
  pendingSeconds,
  type RecordedObject,
  recordObjects,
  whileWriting,
} from '../../../objects/objects.ts';
import { quotaExceeded, reserveMore } from '../../../objects/quota.ts';
import type { Services } from '../../../services.ts';
import type { StoredObject } from '../../../storage/storage.ts';
import { checksumMismatch } from '../large-uploads/open-uploads.ts';
import { checkedName } from '../places/names.ts';
import { requirePlace } from '../places/places.ts';
import { findPlaces, type Place } from '../places/queries.ts';
import type { Cog } from '../schema.ts';
import { makeFile, openNewFiles } from './new-files.ts';

export type Upload = StoredObject & { object_id: number; name: string; mime_type: string };

type Fields = Readonly<{ parent_id?: string; checksum_sha256?: string }>;

/** A file whose bytes are about to be received. */
type Arrival = {
  caller: Caller;
  name: string;
  /** The target folder, if known before the bytes. */
  parent_id: number | undefined;
  mayRepeat: boolean;
  expected_bytes: number;
};

/** Objects recorded per transaction. */
const mostTogether = 64;

/** Accepts the uploads of a process; concurrent ones of a tenant share their transactions. */
export function openUploads({ db, storage }: Services) {
  const arrivals = new Batches<number, Arrival, RecordedObject>(
    (tenantId, waiting) => admit(db, tenantId, waiting),
    mostTogether,
    'after this moment',
  );
  const addFile = openNewFiles(db);

  /**
   * One upload: `store` receives its bytes, `makeFile` creates the cog, and `dropUnused` discards
   * the bytes if no cog was created.
   *
   * @param mayRepeat whether the name may exist already, as the result of an earlier identical
   *   request.
   */
  function receive(caller: Caller, mayRepeat: boolean) {
    const { tenant_id, user_id } = caller;
    let upload: Upload | undefined;
    let isUsed = false;

    return {
      /** @throws DomainError before any byte is read, if `before` includes the folder. */
      store: async (file: IncomingFile, before: Fields): Promise<void> => {
        const parent_id = parentIdOf(before);
        const name = checkedName(file.name, ['body', 'file']);
        const { expected_bytes } = file;
        const arrival = { caller, name, parent_id, mayRepeat, expected_bytes };
        const object = await arrivals.add(tenant_id, arrival);
        upload = await storeBytes({ db, storage }, tenant_id, object, { ...file, name });
      },

      /** @throws DomainError 409 `checksum_mismatch` if another checksum was declared. */
      requireDeclared: (fields: Fields): void => requireDeclared(upload, fields),

      /** With all checks again: rights may have been revoked while the bytes arrived. */
      makeFile: async (tx: Db, fields: Fields): Promise<Cog> => {
        if (!upload) throw new Error('There is no file to make a cog of.');
        const file = { ...upload, user_id, parent_id: parentIdOf(fields) };
        // With an idempotency key, the cog must be created in that key's transaction.
        const cog = await (tx === db ? addFile(tenant_id, file) : makeFile(tx, tenant_id, file));
        isUsed = true;
        return cog;
      },

      /** What makes two uploads the same request. */
      fingerprint: (fields: Fields) => {
        const { object_id: _, crc32: __, ...content } = upload ?? { object_id: 0, crc32: 0 };
        return { ...content, parent_id: parentIdOf(fields) };
      },

      dropUnused: async (): Promise<void> => {
        if (upload && !isUsed) await markDead(db, tenant_id, [upload.object_id]);
      },
    };
  }

  return { receive };
}

/**
 * Records an object for each upload, and refuses those that may not go to their folder, or for which
 * there is no room.
 */
async function admit(
  db: Db,
  tenantId: number,
  arrivals: readonly Arrival[],
): Promise<Outcome<RecordedObject>[]> {
  const wanted = arrivals.map(({ caller, ...rest }) => ({ ...rest, user_id: caller.user_id }));
  const [places, objects] = await db.transaction(
    (tx) =>
      tx.commit([
        findPlaces(tx, tenantId, wanted, 'look up'),
        recordObjects(tx, tenantId, sizesOf(arrivals), pendingSeconds),
      ]),
    { readsFirst: true, alongKeys: true },
  );
  const found = new Map(places.map((place) => [place.place, place]));
  const refusals = arrivals.map((arrival, at) => refusalOf(arrival, found.get(at + 1)));
  const unused = objects.flatMap((object, at) => (object && refusals[at] ? object.id : []));
  await markDead(db, tenantId, unused);
  const left = arrivals.filter((_, at) => !objects[at] && !refusals[at]);
  // Bytes that were reserved for refused ones may be what these need.
  const late =
    unused.length > 0 && left.length > 0
      ? (await recordObjects(db, tenantId, sizesOf(left), pendingSeconds)).values()
      : [].values();
  return Promise.all(
    arrivals.map(async ({ expected_bytes }, at): Promise<Outcome<RecordedObject>> => {
      const error = refusals[at];
      if (error) return { error };
      const result = objects[at] ?? late.next().value;
      return result ? { result } : { error: await quotaExceeded(db, tenantId, expected_bytes) };
    }),
  );
}

const sizesOf = (arrivals: readonly Arrival[]) => arrivals.map((one) => one.expected_bytes);

/** Why a file may not go where it is to go, as far as that is known; else undefined. */
function refusalOf({ name, parent_id, mayRepeat }: Arrival, place: Place | undefined): unknown {
  if (parent_id === undefined) return undefined;
  try {
    requirePlace(place, name);
    return place?.is_taken && !mayRepeat ? nameCollision(name) : undefined;
  } catch (error) {
    return error;
  }
}

/**
 * Stores the bytes of a file under an object that was recorded with its expected size; if that
 * fails, the object is dropped.
 *
 * @returns what a cog is made of, with the type of the file.
 */
export async function storeBytes(
  { db, storage }: Pick<Services, 'db' | 'storage'>,
  tenant_id: number,
  { id, key }: RecordedObject,
  { name, declared_type, expected_bytes, bytes }: IncomingFile,
): Promise<Upload> {
  try {
    const stored = await whileWriting(db, { tenant_id, id }, () =>
      storage.write(key, bytes, {
        expected_bytes,
        max_bytes: expected_bytes,
        more: (size) => reserveMore(db, tenant_id, id, size),
      }),
    );
    return { object_id: id, name, mime_type: typeOf(name, declared_type), ...stored };
  } catch (error) {
    await markDead(db, tenant_id, [id]);
    throw error;
  }
}

/**
 * Compares the bytes with the checksum that the form declares, before or after them.
 *
 * @throws DomainError 409 `checksum_mismatch`; 422 if it is not one.
 */
export function requireDeclared(
  stored: StoredObject | undefined,
  { checksum_sha256: text }: Pick<Fields, 'checksum_sha256'>,
): void {
  if (text === undefined) return;
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw badField('checksum_sha256', 'Must be a SHA-256 in hexadecimal.', 'pattern');
  }
  if (stored?.checksum_sha256 !== text.toLowerCase()) throw checksumMismatch();
}

function parentIdOf({ parent_id: text }: Fields): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badField('parent_id', 'Must be a whole number.', 'type');
}

/**
 * The client's declared type or, if that is a generic default, the type of the name. Passed on but
 * never trusted: see downloads.ts.
 */
export function typeOf(name: string, declared: string): string {
  const isDefault = ['application/octet-stream', 'text/plain'].includes(declared);
  const isType = /^[a-z0-9][\w.+-]{0,126}\/[a-z0-9][\w.+-]{0,126}$/.test(declared);
  if (isType && !isDefault) return declared;
  return mime.getType(name) ?? (isType ? declared : 'application/octet-stream');
}
