/** How deep folders can be nested. */
import type { Db } from '../../../db/connection.ts';
import { conflict } from '../../../errors.ts';
import { findLevelsBelow, measureLevelsBelow } from './level-queries.ts';

/** Levels of folders below the root. */
export const maxDepth = 100;

export const depthLimit = () =>
  conflict('depth_limit', `Folders can be nested at most ${maxDepth} deep.`);

/** A folder that is about to be placed at this depth, with all below it. */
type Placing = { id: number; depth: number; levels_below: number };

/** The ids of those that would be too deep, or would have something below them that is. */
export async function findTooDeep(
  tx: Db,
  tenantId: number,
  folders: readonly Placing[],
): Promise<Set<number>> {
  const isTooDeep = ({ depth, levels_below }: Placing) => depth + levels_below > maxDepth;
  const suspected = folders.filter(isTooDeep);
  if (suspected.length === 0) return new Set();
  // The stored bound may be too high: measure, which takes time proportional to the folders below.
  const ids = suspected.map(({ id }) => id);
  const measured = await measureLevelsBelow(tx, tenantId, ids);
  const actual = new Map(measured.map(({ id, levels_below }) => [id, levels_below]));
  const all = suspected.map((one) => ({ ...one, levels_below: actual.get(one.id) ?? 0 }));
  return new Set(all.filter(isTooDeep).map(({ id }) => id));
}

/**
 * For a single folder.
 *
 * @throws DomainError 409 `depth_limit`.
 */
export async function requireDepth(tx: Db, tenantId: number, depth: number, id: number) {
  const [found] = await findLevelsBelow(tx, tenantId, [id]);
  const folder = { id, depth, levels_below: found?.levels_below ?? 0 };
  if ((await findTooDeep(tx, tenantId, [folder])).has(id)) throw depthLimit();
}
