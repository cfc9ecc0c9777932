/** The existing files of which announced ones become new versions. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { attempt, type Decided } from '../../../decided.ts';
import { nameCollision } from '../../../errors.ts';
import { reachedBy, requireNeed } from '../../permissions/access.ts';
import { holdChildren } from '../places/folder-tree-queries.ts';
import type { Place } from '../places/queries.ts';

/** Where something has the name already. */
type Wanted = { name: string; folder: Place };

/**
 * Looks for the files that have these names, and holds them.
 *
 * @returns the id of each, or why it cannot get a new version: 403, or 409 `name_collision` for a
 *   folder.
 */
export async function findExisting(
  tx: Db,
  caller: Caller,
  wanted: readonly Wanted[],
): Promise<Decided<number>[]> {
  if (wanted.length === 0) return [];
  const names = wanted.map(({ name, folder }) => ({ name, parent_id: folder.id }));
  const children = await holdChildren(tx, caller, names);
  const found = new Map(children.map((child) => [child.place, child]));
  return wanted.map(({ name, folder }, at) =>
    attempt(() => {
      const child = found.get(at + 1);
      if (child?.cog_type !== 'file') throw nameCollision(name);
      // Access is inherited on the way down.
      const deciding = child.deciding ?? folder.deciding;
      const { place: _, ...row } = { ...child, depth: folder.depth + 1 };
      const cog = reachedBy(caller.role, { ...row, ...(deciding && { deciding }) });
      return requireNeed(cog, 'edit').id;
    }),
  );
}
