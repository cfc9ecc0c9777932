/** Lists of cogs. A member finds in them only what they may see, and pages count only that. */
import type { Db } from '../../db/connection.ts';
import { invalid } from '../../errors.ts';
import type { Listed, Page } from '../../pages.ts';
import type { Caller } from '../../services.ts';
import { reach, requireNeed, type Which } from '../permissions/access.ts';
import { type Reading, visibleAmong } from './cogs.ts';
import {
  countChildren,
  countSharedWith,
  findChildren,
  findSharedWith,
  sortValue,
} from './list-queries.ts';
import { searchable } from './names.ts';
import { ofRoot } from './root.ts';
import type { Cog, CogFilters } from './schema.ts';

/** What a page's cursor is made of, for each sort. */
export const cursorOf = (cog: Cog, sort: CogFilters['sort']): (string | number)[] => [
  sortValue(cog, sort),
  cog.id,
];

/** The children of a folder; of the root unless one is given. */
export async function listCogs(
  { db, readDb }: Reading,
  caller: Caller,
  { parent_id, ...given }: CogFilters & { parent_id?: number },
  page: Page,
): Promise<Listed<Cog>> {
  const find = async (which: Which) => (await reach(readDb, caller, which))[0];
  const reached = await (parent_id === undefined
    ? ofRoot(db, caller, () => find('root'))
    : find([parent_id]));
  const { id, grant, cog_type } = requireNeed(reached, 'view');
  if (cog_type === 'file') throw invalid('This is a file, not a folder: nothing can be in it.');
  const filters = {
    ...given,
    ...(given.name === undefined ? {} : { name: searchable(given.name, 'name') }),
  };
  const folder = { id, sees_all: caller.role === 'admin' || grant !== undefined };

  const rows = await findChildren(db, caller, folder, filters, page);
  const cogs = visibleAmong(
    caller,
    rows.map((row) => (row.deciding || !grant ? row : { ...row, deciding: grant })),
  );
  if (!page.with_total) return { rows: cogs };
  return { rows: cogs, total: await countChildren(db, caller, folder, filters) };
}

export async function listSharedWithMe(db: Db, caller: Caller, page: Page): Promise<Listed<Cog>> {
  const rows = visibleAmong(caller, await findSharedWith(db, caller, page));
  if (!page.with_total) return { rows };
  return { rows, total: await countSharedWith(db, caller) };
}
