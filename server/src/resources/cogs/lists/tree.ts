/** Everything below a folder, for what copies or compares it: a few statements for each page. */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Listed, Page } from '../../../pages.ts';
import { type DecidingGrant, reach, requireNeed } from '../../permissions/access.ts';
import { visibleAmong } from '../cogs.ts';
import type { CogRow } from '../queries.ts';
import type { TreeCog } from '../schema.ts';
import type { FolderToList } from './queries.ts';
import { countTree, findPassed, type Position, walkTree } from './tree-queries.ts';

/** Of a folder: its path below the listed one, and what decides about the access to what is in it. */
type Known = { path: string; grant: DecidingGrant | undefined };
type Folders = Map<number, Known>;

/**
 * Everything below a cog that the caller may see; nothing below a file. Each folder comes before
 * what is in it. The position of a page is kept by ids, so it stays valid while things are renamed,
 * deleted or moved.
 *
 * @throws DomainError 404, or 403 if the caller may not see the cog.
 */
export async function listTree(
  db: Db,
  caller: Caller,
  id: number,
  { after = [], limit, offset, with_total }: Page,
): Promise<Listed<TreeCog>> {
  const [reached] = await reach(db, caller, [id]);
  const { grant } = requireNeed(reached, 'view');
  const top = { id, sees_all: caller.role === 'admin' || grant !== undefined };
  const known: Folders = new Map([[id, { path: '', grant }]]);
  const from = await resume(db, caller, top, after.map(Number), known);
  const rows = await walkTree(db, caller, top, from, { limit, offset });
  // Their names are in a page before, which nobody has asked for.
  if (offset > 0) await resume(db, caller, top, rows[0]?.ids.slice(0, -1) ?? [], known);
  // One more than wanted says that there is more.
  const page = rows.slice(0, limit - 1);
  const next = rows.length > page.length ? page.at(-1)?.ids : undefined;
  return {
    rows: page.flatMap(({ ids: _, ...row }) => shownAt(caller, row, known) ?? []),
    ...(next && { next }),
    ...(with_total && { total: await countTree(db, caller, top) }),
  };
}

/**
 * Where to go on after the cog with this way down to it, and notes the folders of the way. If one of
 * them is no longer there, after its former place; if it was removed for ever, that is not known,
 * and the folder that it was in is listed again.
 */
async function resume(
  db: Db,
  caller: Caller,
  top: FolderToList,
  way: readonly number[],
  known: Folders,
): Promise<Position> {
  const found = way.length > 0 ? await findPassed(db, caller, way) : [];
  const rows = new Map(found.map((row) => [row.id, row]));
  const ids: number[] = [];
  const sees_all: boolean[] = [];
  let isInside = true;
  let { id: parentId, sees_all: seesAll } = top;
  for (const id of way) {
    const row = rows.get(id);
    if (!row) break;
    const isShown = seesAll || row.deciding !== undefined || row.purpose !== undefined;
    seesAll ||= row.deciding !== undefined;
    ids.push(id);
    sees_all.push(seesAll);
    isInside = !row.is_deleted && row.parent_id === parentId && isShown && row.cog_type !== 'file';
    if (!isInside) break;
    note(row, known);
    parentId = id;
  }
  return { ids, sees_all, isInside };
}

/** @returns its path and what decides about the access to it, from the folder that it is in. */
function note({ id, parent_id, name, deciding, cog_type }: CogRow, known: Folders): Known {
  const above = known.get(parent_id ?? 0) ?? { path: '', grant: undefined };
  const path = above.path === '' ? name : `${above.path}/${name}`;
  const noted = { path, grant: deciding ?? above.grant };
  if (cog_type !== 'file') known.set(id, noted);
  return noted;
}

function shownAt(caller: Caller, row: CogRow, known: Folders): TreeCog | undefined {
  const { path, grant } = note(row, known);
  const [cog] = visibleAmong(caller, [{ ...row, ...(grant && { deciding: grant }) }]);
  return cog && { ...cog, path };
}
