/** Where a file or folder stands in the list of its folder, as the service orders it. Pure. */
import type { Cog } from '@cogworks/sdk/contract.gen';
import type { Sort } from '../../app/search.ts';
import { compareNames, compareValues } from '../../cogs.ts';

/**
 * Puts a new one into the loaded pages of a list.
 *
 * @param hasMore what stands behind the last loaded row is left to the next page.
 */
export function withInserted<Page extends { rows: Cog[] }>(
  pages: readonly Page[],
  cog: Cog,
  { sort, hasMore }: { sort: Sort; hasMore: boolean },
): Page[] {
  const isAfter = (row: Cog) => compare(row, cog, sort) > 0;
  const found = pages.findIndex(({ rows }) => rows.some(isAfter));
  if (found < 0 && hasMore) return [...pages];
  const at = found < 0 ? pages.length - 1 : found;
  return pages.map((page, nth) => {
    if (nth !== at) return page;
    const index = page.rows.findIndex(isAfter);
    return { ...page, rows: page.rows.toSpliced(index < 0 ? page.rows.length : index, 0, cog) };
  });
}

/** Folders come first; they have no size to sort by. */
function compare(a: Cog, b: Cog, sort: Sort): number {
  const rank = (cog: Cog) => (cog.cog_type === 'file' ? 1 : 0);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  const wanted = sort.replace('-', '') as 'name' | 'updated_at' | 'size_bytes';
  const isBySize = wanted === 'size_bytes';
  const field = isBySize && rank(a) === 0 ? 'name' : wanted;
  const sign = sort.startsWith('-') && field === wanted ? -1 : 1;
  if (field === 'name') return sign * (compareNames(a.name, b.name) || a.id - b.id);
  return sign * (compareValues(a[field] ?? -1, b[field] ?? -1) || a.id - b.id);
}
