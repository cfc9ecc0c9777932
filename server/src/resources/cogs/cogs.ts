/**
 * Files and folders: one record, the cog, in one tree per tenant. permissions/ decides about
 * rights, storage/ holds the bytes. For lists see lists.ts, for files in particular files.ts.
 */

import type { Caller } from '../../callers.ts';
import { type Db, violates } from '../../db/connection.ts';
import type { Pools } from '../../db/pools.ts';
import type { Tag } from '../../db/statement.ts';
import { conflict, forbidden, nameCollision, notFound } from '../../errors.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { type Granted, lockTree, placeOf, reach, requireAccess } from '../permissions/access.ts';
import {
  checkMoveOfRights,
  endGrantsOn,
  grantAfterMove,
  requireDeleteInside,
  rightfulOwner,
} from '../permissions/cog-grants.ts';
import { type Access, accessIn, ownership, ownsWhatIsInside } from '../permissions/rules.ts';
import { checkedName } from './places/names.ts';
import { requireFreeName, requireNoPurpose, requireOwnIn } from './places/outputs-root.ts';
import { requireFolder } from './places/places.ts';
import { ofRoot } from './places/root.ts';
import {
  addFolderRow,
  type CogRow,
  findCogs,
  findLevelsBelow,
  findPath,
  findPlaceName,
  lockForDeletion,
  type MadeCog,
  measureLevelsBelow,
  raiseLevelsAbove,
  setDeleted,
  updateCog,
} from './queries.ts';
import type { Cog, CogChanges, NewFolder, RestoredCog } from './schema.ts';

/** For reads that may have to create the root first. */
export type Reading = Pick<Pools, 'db' | 'readDb'>;

/** Levels of folders below the root. */
export const maxDepth = 100;

/** The tenant's root folder, created on first use. */
export async function getRoot({ db, readDb }: Reading, caller: Caller): Promise<Cog> {
  const find = async () => (await findCogs(readDb, caller, 'root'))[0];
  return requireVisible(caller, await ofRoot(db, caller, find));
}

export async function getCog(db: Tag, caller: Caller, id: number): Promise<Cog> {
  const [row] = await findCogs(db, caller, [id]);
  return requireVisible(caller, row);
}

function requireVisible(caller: Caller, row: CogRow | undefined): Cog {
  if (!row) throw notFound('Cog');
  const cog = visible(caller, row);
  if (!cog) throw forbidden('You have no access to this item.');
  return cog;
}

/** The path from the root to a cog, inclusive; folders the caller may not see are left out. */
export async function getPath(db: Db, caller: Caller, id: number): Promise<Cog[]> {
  await requireAccess(db, caller, id, 'view');
  return visibleAmong(caller, await findPath(db, caller, id));
}

/** The rows as the caller sees them. */
export function visibleAmong(caller: Caller, rows: readonly CogRow[]): Cog[] {
  return rows.flatMap((row) => visible(caller, row) ?? []);
}

/** The cog as the caller sees it; without `access` if they have none. */
export async function findShown(tx: Db, caller: Caller, id: number): Promise<RestoredCog> {
  const [row] = await findCogs(tx, caller, [id]);
  if (!row) throw notFound('Cog');
  const { deciding: _, purpose: __, ...cog } = row;
  return visible(caller, row) ?? cog;
}

function visible({ role }: Caller, { deciding, purpose, ...cog }: CogRow): Cog | undefined {
  const place = placeOf({ cog_type: cog.cog_type, ...(purpose ? { purpose } : {}) });
  const access = accessIn({ ...place, role, grant: deciding });
  return access && { ...cog, access };
}

/**
 * Creates a folder.
 *
 * @throws DomainError 409 `name_collision`, `name_reserved`, `depth_limit`; 400 in a file; 422 for
 *   the name.
 */
export async function createFolder(
  db: Db,
  caller: Caller,
  { name: given, parent_id }: NewFolder,
): Promise<Cog> {
  const name = checkedName(given);
  const { tenant_id, user_id: owner_id } = caller;
  const made = await db.transaction(
    async (tx) => {
      const locked = lockTree(tx, tenant_id, 'add').send();
      const [, parent] = await Promise.all([locked, requireFolder(tx, caller, parent_id)]);
      const [row] = await tx.commit([addFolder(tx, caller, parent, name)]);
      return row && { ...row, name, parent_id: parent.id, owner_id };
    },
    { readsFirst: true, alongKeys: true },
  );
  if (!made) throw nameCollision(name);
  // The creator owns it, through the parent folder or by a grant.
  return { ...made, cog_type: 'asset_folder', access: ownership };
}

/** Adds a folder to a locked one, under the tree lock. @returns undefined on a name collision. */
export async function addFolder(
  tx: Db,
  owner: Pick<Caller, 'tenant_id' | 'user_id'>,
  parent: { id: number; depth: number; access?: Access },
  name: string,
): Promise<MadeCog | undefined> {
  const { tenant_id, user_id } = owner;
  if (parent.depth >= maxDepth) throw depthLimit();
  requireFreeName(parent, name);
  return addFolderRow(tx, {
    tenant_id,
    parent_id: parent.id,
    name,
    owner_id: user_id,
    granted: !ownsWhatIsInside(parent.access),
  });
}

/**
 * Renames a cog, moves it, or both.
 *
 * @throws DomainError 409 `root_folder`, `shared_folder`, `cycle`, `depth_limit`, `name_collision`,
 *   `name_reserved`; 400 into a file; `forbidden` if the move removes or gives access that the
 *   caller may not remove or give.
 */
export function changeCog(db: Db, caller: Caller, id: number, changes: CogChanges): Promise<Cog> {
  const name = changes.name === undefined ? undefined : checkedName(changes.name);
  return db.transaction(async (tx) => {
    const seen = await requireAccess(tx, caller, id, 'view');
    if (seen.cog_type === 'master_folder') throw rootFolder('renamed or moved');
    const { parent_id } = changes;
    if (parent_id !== undefined && parent_id !== seen.parent_id) {
      await moveCog(tx, caller, id, parent_id, name);
    } else {
      const cog = await requireAccess(tx, caller, id, 'edit');
      requireNoPurpose(cog);
      if (name !== undefined) await checkNewName(tx, caller, cog, name);
      await setPlace(tx, caller, id, { name }, name);
    }
    return getCog(tx, caller, id);
  });
}

async function checkNewName(tx: Db, caller: Caller, cog: Granted, name: string) {
  const [folder] = await reach(tx, caller, cog.parent_id === undefined ? [] : [cog.parent_id]);
  if (!folder) return;
  requireFreeName(folder, name);
  requireOwnIn(folder, cog, caller);
}

async function moveCog(
  tx: Db,
  caller: Caller,
  id: number,
  parentId: number,
  name: string | undefined,
) {
  // Two harmless moves can together form a loop (A under B while B goes under A), and neither
  // transaction would see the other's row. Everything below is read after the lock.
  await lockTree(tx, caller.tenant_id, 'move');
  const cog = await requireAccess(tx, caller, id, 'edit');
  requireNoPurpose(cog);
  const target = await checkMove(tx, caller, cog, parentId);
  const grants = await checkMoveOfRights(tx, caller, cog, target);
  const from = await findPlaceName(tx, caller.tenant_id, id);
  const called = name ?? from?.name ?? '';
  requireFreeName(target, called);
  requireOwnIn(target, cog, caller);

  await setPlace(tx, caller, id, { name, parent_id: parentId }, called);
  if (cog.cog_type !== 'file') await raiseLevelsAbove(tx, caller.tenant_id, id);
  await grantAfterMove(tx, caller, id, grants);
  await recordEvent(tx, caller, {
    action: 'cog.moved',
    target_type: 'cog',
    target_id: id,
    details: { from, to: await findPlaceName(tx, caller.tenant_id, id), grants_written: grants },
  });
}

function setPlace(
  tx: Db,
  caller: Caller,
  id: number,
  place: { name: string | undefined; parent_id?: number },
  called = '',
) {
  return updateCog(tx, caller.tenant_id, id, place).catch((error: unknown) => {
    throw violates(error, 'cogs_name_unique_among_siblings') ? nameCollision(called, error) : error;
  });
}

async function checkMove(tx: Db, caller: Caller, cog: Granted, parentId: number): Promise<Granted> {
  const target = await requireFolder(tx, caller, parentId);
  if (cog.cog_type === 'file') return target;
  const path = await findPath(tx, caller, target.id);
  if (path.some((folder) => folder.id === cog.id)) {
    throw conflict('cycle', 'A folder cannot be moved into itself, or into a folder inside it.');
  }
  await requireDepth(tx, caller.tenant_id, target.depth + 1, cog.id);
  return target;
}

/**
 * For a folder that is about to be placed at this depth, with all below it.
 *
 * @throws DomainError 409 `depth_limit`.
 */
export async function requireDepth(tx: Db, tenantId: number, depth: number, id: number) {
  const fits = (levels: number) => depth + levels <= maxDepth;
  if (fits(await findLevelsBelow(tx, tenantId, id))) return;
  // The stored bound may be too high: measure, which takes time proportional to the folders below.
  if (!fits(await measureLevelsBelow(tx, tenantId, id))) throw depthLimit();
}

/**
 * Deletes a cog: hides it and everything below, removes its grants and frees its name. Only one row
 * is written; the bytes stay, so that it can be restored.
 *
 * @throws DomainError `forbidden` without the right to delete it and what lies below.
 */
export function deleteCog(db: Db, caller: Caller, id: number): Promise<void> {
  return db.transaction(async (tx) => {
    await lockTree(tx, caller.tenant_id, 'add');
    await lockForDeletion(tx, caller.tenant_id, id);
    const seen = await requireAccess(tx, caller, id, 'view');
    if (seen.cog_type === 'master_folder') throw rootFolder('deleted');
    requireNoPurpose(await requireAccess(tx, caller, id, 'delete'));
    await requireDeleteInside(tx, caller, seen);
    const { name, cog_type, parent_id } = await getCog(tx, caller, id);

    const owner_id = await rightfulOwner(tx, caller, seen);
    const ended = await endGrantsOn(tx, caller.tenant_id, id);
    await setDeleted(tx, caller, id, owner_id, ended);
    await recordEvent(tx, caller, {
      action: 'cog.deleted',
      target_type: 'cog',
      target_id: id,
      details: {
        ...{ name, cog_type, parent_id, owner_id },
        grants_removed_of: ended.map(({ user_id }) => user_id),
      },
    });
  });
}

export const rootFolder = (what: string) =>
  conflict('root_folder', `The root folder cannot be ${what}.`);

export const depthLimit = () =>
  conflict('depth_limit', `Folders can be nested at most ${maxDepth} deep.`);
