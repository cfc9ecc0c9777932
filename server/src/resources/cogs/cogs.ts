/**
 * Files and folders: one record, the cog, in one tree per tenant. permissions/ decides about
 * rights, storage/ holds the bytes. For lists see lists.ts, for files in particular files.ts.
 */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import type { Pools } from '../../db/pools.ts';
import type { Tag } from '../../db/statement.ts';
import { conflict, forbidden, nameCollision, notFound } from '../../errors.ts';
import { lockTree, placeOf } from '../permissions/access.ts';
import { type Access, accessIn, ownership, ownsWhatIsInside } from '../permissions/rules.ts';
import { depthLimit, maxDepth } from './places/depth.ts';
import { checkedName } from './places/names.ts';
import { requireFreeName } from './places/outputs-root.ts';
import { requireFolder } from './places/places.ts';
import { ofRoot } from './places/root.ts';
import { addFolderRow, type CogRow, findCogs, findPath, type MadeCog } from './queries.ts';
import type { Cog, NewFolder, RestoredCog } from './schema.ts';

/** For reads that may have to create the root first. */
export type Reading = Pick<Pools, 'db' | 'readDb'>;

/** The tenant's root folder, created on first use. */
export async function getRoot({ db, readDb }: Reading, caller: Caller): Promise<Cog> {
  const find = async () => (await findCogs(readDb, caller, 'root'))[0];
  return requireVisible(caller, await ofRoot(db, caller, find));
}

export async function getCog(db: Tag, caller: Caller, id: number): Promise<Cog> {
  const [row] = await findCogs(db, caller, [id]);
  return requireVisible(caller, row);
}

/** @throws DomainError 404, or 403 if the caller may not see it. */
export function requireVisible(caller: Caller, row: CogRow | undefined): Cog {
  if (!row) throw notFound('Cog');
  const cog = visible(caller, row);
  if (!cog) throw forbidden('You have no access to this item.');
  return cog;
}

/** The path from the root to a cog, inclusive; folders the caller may not see are left out. */
export async function getPath(db: Db, caller: Caller, id: number): Promise<Cog[]> {
  // In one statement: rights that are revoked between two would leave the cog out of its own path.
  const rows = await findPath(db, caller, id);
  requireVisible(caller, rows.at(-1));
  return visibleAmong(caller, rows);
}

/** The rows as the caller sees them. */
export function visibleAmong(caller: Caller, rows: readonly CogRow[]): Cog[] {
  return rows.flatMap((row) => visible(caller, row) ?? []);
}

/** The cog as the caller sees it; without `access` if they have none. */
export async function findShown(tx: Db, caller: Caller, id: number): Promise<RestoredCog> {
  const [row] = await findCogs(tx, caller, [id]);
  return shown(caller, row);
}

/** The same for a cog that has been read, or not found. */
export function shown(caller: Caller, row: CogRow | undefined): RestoredCog {
  if (!row) throw notFound('Cog');
  const { deciding: _, purpose: __, ...cog } = row;
  return visible(caller, row) ?? cog;
}

function visible({ role }: Caller, { deciding, purpose, ...cog }: CogRow): Cog | undefined {
  const place = placeOf({ cog_type: cog.cog_type, ...(purpose ? { purpose } : {}) });
  const access = accessIn({ ...place, role, grant: deciding });
  return access && { ...cog, ...(place.is_test_results && { test_results: true }), access };
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
    { readsFirst: true, alongKeys: true, isRepeatable: true },
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

export const rootFolder = (what: string) =>
  conflict('root_folder', `The root folder cannot be ${what}.`);
