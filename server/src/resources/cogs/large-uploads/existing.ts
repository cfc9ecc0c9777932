/** The existing files of which announced ones become new versions, unless they have the same content. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { attempt, type Decided } from '../../../decided.ts';
import { nameCollision } from '../../../errors.ts';
import { reachedBy, requireNeed } from '../../permissions/access.ts';
import { type Child, holdChildren } from '../places/folder-tree-queries.ts';
import type { Place } from '../places/queries.ts';

/** Where something has the name already; `other_than` is what needs no new version. */
type Wanted = { name: string; folder: Place; other_than?: Content | undefined };

type Content = { file_size: number; checksum_sha256?: string };

/** `is_unchanged` if the file has the announced content already. */
export type Existing = { cog_id: number; is_unchanged: boolean };

/**
 * Looks for the files that have these names, and holds them.
 *
 * @returns what was found of each, or why it cannot get a new version: 403, or 409 `name_collision` for a
 *   folder.
 */
export async function findExisting(
  tx: Db,
  caller: Caller,
  wanted: readonly Wanted[],
): Promise<Decided<Existing>[]> {
  if (wanted.length === 0) return [];
  const names = wanted.map(({ name, folder }) => ({ name, parent_id: folder.id }));
  const children = await holdChildren(tx, caller, names);
  const found = new Map(children.map((child) => [child.place, child]));
  return wanted.map(({ name, folder, other_than }, at) =>
    attempt(() => {
      const child = found.get(at + 1);
      if (child?.cog_type !== 'file') throw nameCollision(name);
      // Access is inherited on the way down.
      const deciding = child.deciding ?? folder.deciding;
      const { place: _, ...row } = { ...child, depth: folder.depth + 1 };
      const cog = reachedBy(caller.role, { ...row, ...(deciding && { deciding }) });
      // Seeing it is enough where nothing is to be done.
      const is_unchanged = other_than !== undefined && hasContent(child, other_than);
      return { cog_id: requireNeed(cog, is_unchanged ? 'view' : 'edit').id, is_unchanged };
    }),
  );
}

/** What is announced without a checksum counts as different. */
const hasContent = (child: Child, { file_size, checksum_sha256 }: Content): boolean =>
  checksum_sha256 !== undefined &&
  child.size_bytes === file_size &&
  child.checksum_sha256 === checksum_sha256;
