/**
 * Makes stored bytes the contents of existing files, as new versions; several of a user per
 * transaction: one round trip locks and reads, one writes. A refused one does not affect the others.
 */
import { Batches } from '../../../batches.ts';
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { databaseTrouble } from '../../../db/trouble.ts';
import { attempt, type Decided, joined, resultOf, resultsOf } from '../../../decided.ts';
import { DomainError, forbidden, invalid } from '../../../errors.ts';
import { objectExpired } from '../../../objects/objects.ts';
import { type Granted, type Reached, reachedBy, requireNeed } from '../../permissions/access.ts';
import type { Need } from '../../permissions/rules.ts';
import { findUser } from '../../users/users.ts';
import { requireVisible } from '../cogs.ts';
import { requireCompleting } from '../large-uploads/open-uploads.ts';
import { lockCompleting, setDone } from '../large-uploads/queries.ts';
import { findCogs, findPlacedCogs, lockCogs, lockFoldersOf } from '../queries.ts';
import type { Cog } from '../schema.ts';
import { type NewContent, storeVersions } from './queries.ts';

/** If it was announced, its claimed upload ends with it. */
export type NewVersion = NewContent & {
  upload_id?: number;
  /** The header: ETags of the content to be replaced. */
  ifMatch?: string | undefined;
};

/** Versions per transaction. */
const mostTogether = 64;

/**
 * Stores versions in transactions shared by concurrent requests of a user.
 *
 * @returns a function that stores one; it throws like `keepVersion`.
 */
export function openNewVersions(db: Db): (caller: Caller, version: NewVersion) => Promise<Cog> {
  type Asked = { caller: Caller; version: NewVersion };
  const together = new Batches<string, Asked, Cog>(
    async (_, asked) => {
      const [first] = asked;
      if (!first) return [];
      return keepVersions(
        db,
        first.caller,
        asked.map(({ version }) => version),
      );
    },
    mostTogether,
    'after this moment',
  );
  return (caller, version) =>
    together.add(`${caller.tenant_id}/${caller.user_id}`, { caller, version });
}

/**
 * Stores one, in its own or the given transaction.
 *
 * @throws DomainError 404, 403, 400 for a folder, 409 `object_expired`, 412 if the content is not
 *   the one of `ifMatch`.
 */
export async function keepVersion(db: Db, caller: Caller, version: NewVersion): Promise<Cog> {
  const [outcome] = await keepTogether(db, caller, [version]);
  return resultOf(outcome);
}

/** Of several for one file, each is the next version. @returns the outcome of each. */
async function keepVersions(
  db: Db,
  caller: Caller,
  versions: readonly NewVersion[],
): Promise<Decided<Cog>[]> {
  const outcomes = new Map<NewVersion, Decided<Cog>>();
  for (let left = versions; left.length > 0; ) {
    const firsts = new Map(left.toReversed().map((one) => [one.cog_id, one]));
    const some = [...firsts.values()];
    const kept = await keepEach(db, caller, some);
    for (const [at, one] of some.entries()) {
      outcomes.set(one, kept[at] ?? { error: new Error('Nothing became of this version.') });
    }
    left = left.filter((one) => !outcomes.has(one));
  }
  return versions.map((one) => outcomes.get(one) ?? { error: new Error('It was left out.') });
}

/** If the database refuses them because of one of them, each is stored separately. */
async function keepEach(
  db: Db,
  caller: Caller,
  versions: readonly NewVersion[],
): Promise<Decided<Cog>[]> {
  try {
    return await keepTogether(db, caller, versions);
  } catch (error) {
    const concernsAll = error instanceof DomainError || databaseTrouble(error) !== undefined;
    if (versions.length === 1 || concernsAll) return versions.map(() => ({ error }));
    const outcomes: Decided<Cog>[] = [];
    for (const one of versions) outcomes.push(...(await keepEach(db, caller, [one])));
    return outcomes;
  }
}

/** @param versions of different files. */
function keepTogether(
  db: Db,
  caller: Caller,
  versions: readonly NewVersion[],
): Promise<Decided<Cog>[]> {
  const { tenant_id, user_id } = caller;
  const ids = versions.map(({ cog_id }) => cog_id);
  const uploads = versions.flatMap(({ upload_id }) => upload_id ?? []);
  return db.transaction(
    async (tx) => {
      // Against a deletion of the folder that is under way.
      const folders = lockFoldersOf(tx, tenant_id, ids).send();
      const files = lockCogs(tx, tenant_id, ids).send();
      const completing = uploads.length > 0 ? lockCompleting(tx, tenant_id, uploads).send() : [];
      // Read after the locks: a statement that waits for one reads other rows as of before the wait.
      const [, , locked, rows, user] = await Promise.all([
        folders,
        files,
        completing,
        findPlacedCogs(tx, caller, ids),
        // Reading the bytes may have taken long: the user's role may have changed.
        findUser(tx, tenant_id, user_id),
      ]);
      if (user?.status !== 'active') throw forbidden('This user is disabled.');
      const cogs = new Map(rows.map((row) => [row.id, row]));
      const open = new Map(locked.map((upload) => [upload.id, upload]));
      const decided = versions.map((version) =>
        attempt(() => {
          const row = cogs.get(version.cog_id);
          requireFileOf(row && reachedBy(user.role, row), 'edit');
          requireMatch(version.ifMatch, row?.checksum_sha256);
          const { upload_id } = version;
          if (upload_id !== undefined) requireCompleting(version, open.get(upload_id));
          return version;
        }),
      );
      const allowed = resultsOf(decided);
      const kept = await carryOut(tx, { ...caller, role: user.role }, allowed);
      return joined(decided, kept);
    },
    { readsFirst: true },
  );
}

async function carryOut(
  tx: Transaction,
  caller: Caller,
  versions: readonly NewVersion[],
): Promise<Decided<Cog>[]> {
  if (versions.length === 0) return [];
  const ids = versions.map(({ cog_id }) => cog_id);
  const uploads = versions.flatMap(({ upload_id }) => upload_id ?? []);
  const [stored, , rows] = await tx.commit([
    storeVersions(tx, caller, versions),
    uploads.length > 0 ? setDone(tx, caller.tenant_id, uploads) : undefined,
    findCogs(tx, caller, ids),
  ]);
  const changed = new Set(stored.map(({ id }) => id));
  const found = new Map(rows.map((row) => [row.id, row]));
  return versions.map(({ cog_id }) =>
    attempt(() => {
      if (!changed.has(cog_id)) throw objectExpired();
      return requireVisible(caller, found.get(cog_id));
    }),
  );
}

/** The file, if the caller's access allows this. @throws DomainError 404, 403, 400 for a folder. */
export function requireFileOf(reached: Reached | undefined, need: Need): Granted {
  const cog = requireNeed(reached, need);
  if (cog.cog_type !== 'file') throw invalid('This is a folder: only files have versions.');
  return cog;
}

/** RFC 9110, section 13.1.1, with strong comparison. @throws DomainError 412 */
export function requireMatch(ifMatch: string | undefined, checksum = ''): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  if (ifMatch.split(',').some((tag) => tag.trim() === `"${checksum}"`)) return;
  throw new DomainError('precondition_failed', 'The content has changed since you read it.');
}
