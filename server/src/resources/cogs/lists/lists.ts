/** Lists of cogs. They contain only what a member may see, and pages count only that. */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { invalid } from '../../../errors.ts';
import type { Listed, Page } from '../../../pages.ts';
import {
  type DecidingGrant,
  isOutputs,
  reach,
  requireNeed,
  type Which,
} from '../../permissions/access.ts';
import { accessIn } from '../../permissions/rules.ts';
import { type Reading, visibleAmong } from '../cogs.ts';
import { searchable } from '../places/names.ts';
import { ofRoot } from '../places/root.ts';
import type { Cog, CogFilters } from '../schema.ts';
import {
  type CogText,
  countChildren,
  countSharedWith,
  findChildren,
  findOutOfReach,
  findSharedWith,
  type OwnRights,
  sortValue,
} from './queries.ts';

/** The sort keys in a page's cursor, for each sort order. */
export const cursorOf = (cog: Cog, sort: CogFilters['sort']): (string | number)[] => [
  sortValue(cog, sort),
  cog.id,
];

/** The children of a folder as JSON texts; of the root by default. */
export async function listCogs(
  { db, readDb }: Reading,
  caller: Caller,
  { parent_id, ...given }: CogFilters & { parent_id?: number },
  page: Page,
): Promise<Listed<string>> {
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

  const cogs = await findChildren(db, caller, folder, filters, page);
  const rows = textsOf(cogs, caller, grant);
  if (!page.with_total) return { rows };
  return { rows, total: await countChildren(db, caller, folder, filters) };
}

/** The cogs the caller may see, each with its access. @param inherited access from the folder. */
function textsOf(
  cogs: readonly CogText[],
  { role }: Caller,
  inherited: DecidingGrant | undefined,
): string[] {
  const accessBy = ({ purpose, deciding = inherited }: OwnRights) =>
    // The root is in no folder.
    JSON.stringify(
      accessIn({ is_root: false, is_outputs: isOutputs(purpose), role, grant: deciding }),
    );
  const usual = accessBy({});
  return cogs.flatMap(({ members, rights }) => {
    const access = rights ? accessBy(JSON.parse(rights)) : usual;
    return access === undefined ? [] : `{${members},"access":${access}}`;
  });
}

export async function listSharedWithMe(db: Db, caller: Caller, page: Page): Promise<Listed<Cog>> {
  const rows = visibleAmong(caller, await findSharedWith(db, caller, page));
  if (!page.with_total) return { rows };
  return { rows, total: await countSharedWith(db, caller) };
}

/** What was shared with the caller, and is in no folder that is shown to them. */
export const listOutOfReach = async (db: Db, caller: Caller, page: Page): Promise<Cog[]> =>
  visibleAmong(caller, await findOutOfReach(db, caller, page));
