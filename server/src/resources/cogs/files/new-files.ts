/**
 * Creates files for stored bytes, several of a tenant per transaction: one round trip reads, one
 * writes. A refused file does not affect the others.
 */
import { Batches, type Outcome } from '../../../batches.ts';
import type { Db } from '../../../db/connection.ts';
import { databaseTrouble } from '../../../db/trouble.ts';
import { nameCollision } from '../../../errors.ts';
import { objectExpired } from '../../../objects/objects.ts';
import type { StoredObject } from '../../../storage/storage.ts';
import { ownership, ownsWhatIsInside } from '../../permissions/rules.ts';
import { requireCompleting } from '../large-uploads/open-uploads.ts';
import { lockCompleting, setDone } from '../large-uploads/queries.ts';
import { requirePlace } from '../places/places.ts';
import { findPlaces, lockFolders, type Place, type Wanted } from '../places/queries.ts';
import { rootId } from '../places/root.ts';
import type { Cog } from '../schema.ts';
import { addFiles, type MadeFile, type NewFileRow } from './new-file-queries.ts';

/**
 * A file to create: who wants it where, and the stored, pending object. If it was announced, its
 * claimed upload ends with it.
 */
export type NewFile = Wanted &
  StoredObject & { object_id: number; mime_type: string; upload_id?: number };

/** Files per transaction; each takes a few tenths of a millisecond. */
const mostTogether = 64;

/**
 * Creates files in transactions shared by concurrent requests of a tenant. Files delayed by a
 * deletion wait separately, on one connection per folder.
 *
 * @returns a function that adds one file; it throws like `makeFile`.
 */
export function openNewFiles(db: Db): (tenantId: number, file: NewFile) => Promise<Cog> {
  type Held = { tenantId: number; file: NewFile };
  const held = new Batches<string, Held, Cog>(async (_, waiting) => {
    const outcomes: Outcome<Cog>[] = [];
    for (const { tenantId, file } of waiting) {
      outcomes.push(await outcomeOf(makeFile(db, tenantId, file)));
    }
    return outcomes;
  }, mostTogether);
  const make = async (tenantId: number, files: readonly NewFile[]): Promise<Outcome<Cog>[]> => {
    const outcomes = await makeFiles(db, tenantId, files);
    return files.map((file, at) => {
      const wait = () => held.add(`${tenantId}/${file.parent_id}`, { tenantId, file });
      return outcomes[at] ?? { result: wait() };
    });
  };
  const together = new Batches(make, mostTogether, 'after this moment');
  return (tenantId, file) => together.add(tenantId, file);
}

/**
 * Creates files of one tenant. If the database refuses the batch because of one of them, each is
 * created separately.
 *
 * @returns the outcome of each; undefined if it has to wait for a lock.
 */
export async function makeFiles(
  db: Db,
  tenantId: number,
  files: readonly NewFile[],
): Promise<(Outcome<Cog> | undefined)[]> {
  try {
    return await makeTogether(db, tenantId, files, 'skip');
  } catch (error) {
    if (files.length === 1 || databaseTrouble(error)) throw error;
    const outcomes: (Outcome<Cog> | undefined)[] = [];
    for (const file of files) {
      const [outcome] = await makeTogether(db, tenantId, [file], 'skip').catch(
        (why: unknown): Outcome<Cog>[] => [{ error: why }],
      );
      outcomes.push(outcome);
    }
    return outcomes;
  }
}

/**
 * Creates one file, in its own or the given transaction.
 *
 * @throws DomainError 409 `name_collision`, `name_reserved`, `object_expired`; 404, 403 or 400 for
 *   the folder.
 */
export function makeFile(db: Db, tenantId: number, file: NewFile): Promise<Cog> {
  return db.transaction(async (tx) => {
    // Created on first use.
    const parent_id = file.parent_id ?? (await rootId(tx, { ...file, tenant_id: tenantId }));
    const [outcome] = await makeTogether(tx, tenantId, [{ ...file, parent_id }], 'wait');
    if (outcome && 'result' in outcome) return outcome.result;
    throw outcome?.error ?? new Error('Nothing became of this file.');
  });
}

const outcomeOf = <Result>(work: Promise<Result>): Promise<Outcome<Result>> =>
  work.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );

/** @returns undefined for a file whose folder is locked, or is a root that does not exist yet. */
async function makeTogether(
  db: Db,
  tenantId: number,
  files: readonly NewFile[],
  whenHeld: 'wait' | 'skip',
): Promise<(Outcome<Cog> | undefined)[]> {
  const made = await db.transaction(
    async (tx) => {
      const ids = files.flatMap(({ upload_id }) => upload_id ?? []);
      const locks = lockFolders(tx, tenantId, files, whenHeld).send();
      const completing = ids.length > 0 ? lockCompleting(tx, tenantId, ids).send() : [];
      const [held, uploads, places] = await Promise.all([
        locks,
        completing,
        findPlaces(tx, tenantId, files),
      ]);
      const folders = new Set(held.map(({ id }) => id));
      const decided = decide(files, places, folders, uploads);
      const rows = decided.flatMap((one) => (one && 'row' in one ? one.row : []));
      const [added] = await tx.commit([
        rows.length > 0 ? addFiles(tx, tenantId, rows) : undefined,
        rows.length > 0 && ids.length > 0 ? setDone(tx, tenantId, ids) : undefined,
      ]);
      return { decided, added: new Map(added?.map((row) => [row.object_id, row])) };
    },
    { readsFirst: true, alongKeys: true },
  );
  return made.decided.map((one) => {
    if (!one || 'error' in one) return one;
    return madeOf(one.row, made.added.get(one.row.object_id));
  });
}

/** For each file: its row, or why it is refused; undefined if that is not known yet. */
function decide(
  files: readonly NewFile[],
  places: readonly Place[],
  held: ReadonlySet<number>,
  uploads: readonly { id: number; checksum_sha256?: string }[],
): ({ row: NewFileRow } | { error: unknown } | undefined)[] {
  const found = new Map(places.map((place) => [place.place, place]));
  const completing = new Map(uploads.map((upload) => [upload.id, upload]));
  return files.map((file, at) => {
    const place = found.get(at + 1);
    if (place ? !held.has(place.id) : file.parent_id === undefined) return undefined;
    try {
      const folder = requirePlace(place, file.name);
      if (file.upload_id !== undefined) requireCompleting(file, completing.get(file.upload_id));
      const granted = !ownsWhatIsInside(folder.access);
      const { user_id: owner_id, parent_id: _, upload_id: __, ...rest } = file;
      return { row: { ...rest, parent_id: folder.id, owner_id, granted } };
    } catch (error) {
      return { error };
    }
  });
}

function madeOf(row: NewFileRow, made: MadeFile | undefined): Outcome<Cog> {
  const { id, created_at, updated_at } = made ?? {};
  if (id === undefined || created_at === undefined || updated_at === undefined) {
    return { error: made?.is_pending ? nameCollision(row.name) : objectExpired() };
  }
  const { parent_id, name, owner_id, size_bytes, mime_type, checksum_sha256 } = row;
  const result: Cog = {
    ...{ id, name, cog_type: 'file', parent_id, owner_id, size_bytes, mime_type, checksum_sha256 },
    ...{ version: 1, created_at, updated_at },
    // The creator owns it, through the parent folder or by a grant.
    access: ownership,
  };
  return { result };
}
