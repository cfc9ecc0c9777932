/** The contents a file has had. Each change keeps the one before; all count as stored bytes. */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { admittedOnce, neverRepeats, type Repetition } from '../../../effects.ts';
import { conflict, notFound } from '../../../errors.ts';
import type { IncomingFile } from '../../../incoming-files.ts';
import {
  markDead,
  pendingSeconds,
  releaseObjects,
  requireRecorded,
} from '../../../objects/objects.ts';
import type { Listed, Page } from '../../../pages.ts';
import type { Services } from '../../../services.ts';
import { recordEvent } from '../../audit-events/audit-events.ts';
import { type Granted, reach } from '../../permissions/access.ts';
import type { Need } from '../../permissions/rules.ts';
import { getCog } from '../cogs.ts';
import {
  type Content,
  notStored,
  requireDeclared,
  storeBytes,
  typeOf,
  unstored,
} from '../files/uploads.ts';
import { lockCogs, lockFoldersOf } from '../queries.ts';
import type { Cog, FileVersion } from '../schema.ts';
import { keepVersion, requireFileOf, requireMatch } from './new-versions.ts';
import {
  countVersions,
  findVersion,
  findVersions,
  removeVersion,
  repeatVersion,
  takeOver,
  type VersionRow,
} from './queries.ts';

/** Newest first, the current one included. @throws DomainError 400 for a folder. */
export async function listVersions(
  db: Db,
  caller: Caller,
  id: number,
  page: Page,
): Promise<Listed<FileVersion>> {
  await requireFile(db, caller, id, 'view');
  const rows = (await findVersions(db, caller.tenant_id, id, page)).map(shown);
  if (!page.with_total) return { rows };
  return { rows, total: await countVersions(db, caller.tenant_id, id) };
}

const shown = ({ object_id: _, key: __, ...version }: VersionRow): FileVersion => version;

/** The bytes of one version. @throws DomainError 404 */
export async function versionToDownload(db: Db, caller: Caller, id: number, version: number) {
  await requireFile(db, caller, id, 'view');
  const [{ name }, found] = await Promise.all([
    getCog(db, caller, id),
    requireVersion(db, caller, id, version),
  ]);
  return { ...found, name };
}

/**
 * One new content: `store` receives its bytes, `keep` makes them the current version, `dropUnused`
 * discards them if they did not become one.
 *
 * @param ifMatch the header: ETags of the content to be replaced.
 * @param repetition bytes of a repetition are only compared.
 */
export function receiveContent(
  { db, storage }: Services,
  caller: Caller,
  id: number,
  ifMatch: string | undefined,
  repetition: Repetition = neverRepeats,
) {
  const { tenant_id } = caller;
  let content: Content | undefined;
  let declared_type = '';
  let object_id: number | undefined;
  let isUsed = false;

  return {
    /** @throws DomainError before any byte is read, if it could not be kept. */
    store: async (file: IncomingFile): Promise<void> => {
      declared_type = file.declared_type;
      const admitted = await admittedOnce(repetition, async () => {
        await requireFile(db, caller, id, 'edit');
        const { name, checksum_sha256 = '' } = await getCog(db, caller, id);
        requireMatch(ifMatch, checksum_sha256);
        return {
          name,
          object: await requireRecorded(db, tenant_id, file.expected_bytes, pendingSeconds),
        };
      });
      if (!admitted) {
        content = await unstored(file);
        return;
      }
      const { name, object } = admitted;
      content = await storeBytes({ db, storage }, tenant_id, object, { ...file, name });
      object_id = object.id;
    },

    /** @throws DomainError 409 `checksum_mismatch` if another checksum was declared. */
    requireDeclared: (fields: { checksum_sha256?: string }): void =>
      requireDeclared(content, fields),

    /** With all checks again, and the content locked. */
    keep: async (tx: Db): Promise<Cog> => {
      if (!content || object_id === undefined) throw notStored();
      const cog = await keepVersion(tx, caller, { ...content, cog_id: id, object_id, ifMatch });
      isUsed = true;
      return cog;
    },

    /** What makes two uploads the same request. The file's name may have changed since the first. */
    fingerprint: () => {
      const { size_bytes, checksum_sha256 } = content ?? {};
      return { declared_type, size_bytes, checksum_sha256 };
    },

    dropUnused: async (): Promise<void> => {
      if (object_id !== undefined && !isUsed) await markDead(db, tenant_id, [object_id]);
    },
  };
}

/** Makes an earlier content the current one again, as a new version. */
export const restoreVersion = (
  db: Db,
  caller: Caller,
  id: number,
  version: number,
  ifMatch: string | undefined,
): Promise<Cog> =>
  changing(db, caller, id, 'edit', ifMatch, async (tx) => {
    const { tenant_id, user_id } = caller;
    const { is_current } = await requireVersion(tx, caller, id, version);
    if (is_current) return;
    await repeatVersion(tx, { tenant_id, cog_id: id, user_id }, version);
    await recordEvent(tx, caller, {
      action: 'cog.version_restored',
      target_type: 'cog',
      target_id: id,
      details: { version },
    });
  });

/** Makes the content of another file, which the caller may see, a new version of this one. */
export const takeContent = (db: Db, caller: Caller, id: number, from: number): Promise<Cog> =>
  changing(
    db,
    caller,
    id,
    'edit',
    undefined,
    async (tx) => {
      const { tenant_id, user_id } = caller;
      const { name } = await getCog(tx, caller, id);
      await requireFile(tx, caller, from, 'view');
      const { mime_type = '' } = await getCog(tx, caller, from);
      const content = { from, mime_type: typeOf(name, mime_type) };
      await takeOver(tx, { tenant_id, cog_id: id, user_id }, content);
    },
    [from],
  );

/**
 * Removes an earlier content for ever.
 *
 * @throws DomainError 409 `current_version`, 404, `forbidden` without the right to delete the file.
 */
export async function deleteVersion(
  db: Db,
  caller: Caller,
  id: number,
  version: number,
): Promise<void> {
  await changing(db, caller, id, 'delete', undefined, async (tx) => {
    const { tenant_id } = caller;
    const { is_current } = await requireVersion(tx, caller, id, version);
    if (is_current) {
      throw conflict(
        'current_version',
        'This is the current content: delete the file, or restore another version first.',
      );
    }
    const object = await removeVersion(tx, tenant_id, id, version);
    if (object !== undefined) await releaseObjects(tx, [{ tenant_id, id: object }]);
    await recordEvent(tx, caller, {
      action: 'cog.version_deleted',
      target_type: 'cog',
      target_id: id,
      details: { version },
    });
  });
}

/**
 * Runs `change` on a file whose content is locked, if the caller may.
 *
 * @param others files that are locked too.
 * @returns the cog after it.
 */
function changing(
  db: Db,
  caller: Caller,
  id: number,
  need: Need,
  ifMatch: string | undefined,
  change: (tx: Db) => Promise<void>,
  others: readonly number[] = [],
): Promise<Cog> {
  return db.transaction(async (tx) => {
    await requireFile(tx, caller, id, need);
    // Against a deletion of the folder that is under way.
    await lockFoldersOf(tx, caller.tenant_id, [id, ...others]);
    await lockCogs(tx, caller.tenant_id, [id, ...others]);
    // Read again: a statement that waits for a lock reads other rows as of before the wait.
    await requireFile(tx, caller, id, need);
    const { checksum_sha256 = '' } = await getCog(tx, caller, id);
    requireMatch(ifMatch, checksum_sha256);
    await change(tx);
    return getCog(tx, caller, id);
  });
}

/** The file, if the caller may give it a new version. @throws DomainError 400 for a folder */
export async function requireVersionable(db: Db, caller: Caller, id: number): Promise<Cog> {
  await requireFile(db, caller, id, 'edit');
  return getCog(db, caller, id);
}

async function requireFile(db: Db, caller: Caller, id: number, need: Need): Promise<Granted> {
  const [cog] = await reach(db, caller, [id]);
  return requireFileOf(cog, need);
}

/** @throws DomainError 404 */
export async function requireVersion(db: Db, caller: Caller, id: number, version: number) {
  const found = await findVersion(db, caller.tenant_id, id, version);
  if (!found) throw notFound('Version');
  return found;
}
