/** Where the cogs of a list are: the folders above them, read for all of them at once. */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Listed } from '../../../pages.ts';
import { type DecidingGrant, placeOf } from '../../permissions/access.ts';
import { accessIn } from '../../permissions/rules.ts';
import type { AboveCog } from '../schema.ts';
import { type FolderAbove, findFoldersAbove } from './above-queries.ts';

/**
 * Adds to each row the folders above it that the caller may see, from the root. Without them if the
 * folder that it was in is deleted.
 */
export async function withFoldersAbove<Row extends { parent_id?: number }>(
  db: Db,
  caller: Caller,
  listing: Listed<Row>,
): Promise<Listed<Row & { above?: AboveCog[] }>> {
  const parents = new Set(listing.rows.flatMap(({ parent_id }) => parent_id ?? []));
  if (parents.size === 0) return listing;
  const folders = await findFoldersAbove(db, caller, [...parents]);
  const known = new Map(folders.map((folder) => [folder.id, folder]));
  const paths = new Map([...parents].map((id) => [id, pathTo(id, known, caller)]));
  return {
    ...listing,
    rows: listing.rows.map((row) => {
      const above = row.parent_id === undefined ? undefined : paths.get(row.parent_id);
      return above ? { ...row, above } : row;
    }),
  };
}

/** From the root to that folder; undefined if one of them is deleted. */
function pathTo(
  id: number,
  known: ReadonlyMap<number, FolderAbove>,
  { role }: Caller,
): AboveCog[] | undefined {
  const chain: FolderAbove[] = [];
  for (let next = known.get(id); next; next = known.get(next.parent_id ?? 0)) {
    if (next.is_deleted) return undefined;
    chain.unshift(next);
  }
  // Inherited on the way down, as access is.
  let grant: DecidingGrant | undefined;
  return chain.flatMap((folder) => {
    grant = folder.deciding ?? grant;
    const access = accessIn({ ...placeOf(folder), role, grant });
    return access ? [{ id: folder.id, name: folder.name, cog_type: folder.cog_type }] : [];
  });
}
