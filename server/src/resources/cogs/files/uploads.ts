/**
 * Files uploaded in one request. Their bytes are recorded, stored, and become a cog; if anything
 * fails, they are never visible and the collector removes them.
 */
import mime from 'mime';
import { Batches, type Outcome } from '../../../batches.ts';
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { admittedOnce, neverRepeats, type Repetition } from '../../../effects.ts';
import { badField, DomainError, nameCollision } from '../../../errors.ts';
import type { IncomingFile } from '../../../incoming-files.ts';
import { checksumsOfStream } from '../../../objects/checksums.ts';
import {
  markDead,
  pendingSeconds,
  type RecordedObject,
  recordObjects,
} from '../../../objects/objects.ts';
import { quotaExceeded } from '../../../objects/quota.ts';
import { receiveBytes } from '../../../objects/receiving.ts';
import type { Services } from '../../../services.ts';
import type { StoredObject } from '../../../storage/storage.ts';
import { checksumMismatch } from '../large-uploads/open-uploads.ts';
import { checkedName } from '../places/names.ts';
import { requirePlace } from '../places/places.ts';
import { findPlaces, type Place } from '../places/queries.ts';
import type { Cog } from '../schema.ts';
import { keepVersion } from '../versions/new-versions.ts';
import { makeFile, openNewFiles } from './new-files.ts';

/** The content of a file: what a cog is made of, besides the object that has the bytes. */
export type Content = StoredObject & { name: string; mime_type: string };

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
   * @param repetition if it may be one, the name may exist already as the result of the
   *   first request. If it is one, its bytes are only compared, so it needs neither room nor rights.
   */
  function receive(caller: Caller, repetition: Repetition = neverRepeats) {
    const { tenant_id, user_id } = caller;
    let content: Content | undefined;
    let object_id: number | undefined;
    let isUsed = false;

    return {
      /** @throws DomainError before any byte is read, if `before` includes the folder. */
      store: async (file: IncomingFile, before: Fields): Promise<void> => {
        const parent_id = parentIdOf(before);
        const name = checkedName(file.name, ['body', 'file']);
        const { expected_bytes } = file;
        const object = await admittedOnce(repetition, (mayRepeat) =>
          arrivals.add(tenant_id, { caller, name, parent_id, mayRepeat, expected_bytes }),
        );
        if (!object) {
          content = await unstored({ ...file, name });
          return;
        }
        content = await storeBytes({ db, storage }, tenant_id, object, { ...file, name });
        object_id = object.id;
      },

      /** @throws DomainError 409 `checksum_mismatch` if another checksum was declared. */
      requireDeclared: (fields: Fields): void => requireDeclared(content, fields),

      /** With all checks again: rights may have been revoked while the bytes arrived. */
      makeFile: async (tx: Db, fields: Fields): Promise<Cog> => {
        if (!content || object_id === undefined) throw notStored();
        const file = { ...content, object_id, user_id, parent_id: parentIdOf(fields) };
        // With an idempotency key, the cog must be created in that key's transaction.
        const cog = await (tx === db ? addFile(tenant_id, file) : makeFile(tx, tenant_id, file));
        isUsed = true;
        return cog;
      },

      /** The new content of a file that got the name meanwhile, if the caller may change it. */
      keepAsVersion: async (tx: Db, cog_id: number, ifMatch?: string): Promise<Cog> => {
        if (!content || object_id === undefined) throw notStored();
        const cog = await keepVersion(tx, caller, { ...content, object_id, cog_id, ifMatch });
        isUsed = true;
        return cog;
      },

      /** What makes two uploads the same request. */
      fingerprint: (fields: Fields) => {
        const { crc32: _, ...compared } = content ?? { crc32: 0 };
        return { ...compared, parent_id: parentIdOf(fields) };
      },

      dropUnused: async (): Promise<void> => {
        if (object_id !== undefined && !isUsed) await markDead(db, tenant_id, [object_id]);
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
 * @returns what is stored, with the type of the file.
 */
export async function storeBytes(
  store: Pick<Services, 'db' | 'storage'>,
  tenant_id: number,
  object: RecordedObject,
  { name, declared_type, expected_bytes, bytes }: IncomingFile,
): Promise<Content> {
  const stored = await receiveBytes(store, tenant_id, object, bytes, { expected_bytes });
  return { name, mime_type: typeOf(name, declared_type), ...stored };
}

/** Reads the bytes of a repeated request, which are stored already. */
export const unstored = async ({ name, declared_type, bytes }: IncomingFile): Promise<Content> => ({
  ...{ name, mime_type: typeOf(name, declared_type) },
  ...(await checksumsOfStream(bytes)),
});

/** The answer of the first request was forgotten while the bytes of its repetition came. */
export const notStored = () =>
  new DomainError('unavailable', 'These bytes were not kept. Send them again.', {
    retry_after_seconds: 1,
  });

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
