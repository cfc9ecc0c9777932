/** Search by part of a name, ignoring case. A member finds only what they may see. */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Listed, Page } from '../../../pages.ts';
import { requireAccess } from '../../permissions/access.ts';
import { visibleAmong } from '../cogs.ts';
import { searchable } from '../places/names.ts';
import { findCogs } from '../queries.ts';
import type { Cog } from '../schema.ts';
import { beginSearch, countMatches, findBatch, type Place, type Search } from './search-queries.ts';

/**
 * The first batch has the size of the page, later ones are larger: most pages are full after one.
 */
const growth = 4;
const longestBatch = 10_000;
const usualLimits = {
  /** About two seconds of database time. An incomplete page has a `Link` to continue. */
  mostExamined: 400_000,
  statement_ms: 5000,
};

/** Cogs with `q` in their name, anywhere or below a folder, ordered by name. */
export function searchCogs(
  db: Db,
  caller: Caller,
  { q, under }: { q: string; under?: number },
  page: Page,
  { mostExamined, statement_ms } = usualLimits,
): Promise<Listed<Cog>> {
  const search = { part: searchable(q, 'q'), under };
  return db.transaction(async (tx) => {
    if (under !== undefined) await requireAccess(tx, caller, under, 'view');
    await beginSearch(tx, statement_ms);
    const { ids, next } = await findPage(tx, caller, search, page, mostExamined);
    const found = new Map((await findCogs(tx, caller, ids)).map((row) => [row.id, row]));
    const rows = visibleAmong(
      caller,
      ids.flatMap((id) => found.get(id) ?? []),
    );
    return {
      rows,
      ...(next === undefined ? {} : { next: [...next] }),
      ...(page.with_total ? { total: await countMatches(tx, caller, search) } : {}),
    };
  });
}

/**
 * @returns the ids of the page, and `next` if it ends early and the search continues after that
 *   position.
 */
async function findPage(
  tx: Db,
  caller: Caller,
  search: Search,
  { after, offset, limit }: Page,
  mostExamined: number,
): Promise<{ ids: number[]; next?: Place }> {
  const wanted = offset + limit;
  const ids: number[] = [];
  let place = after as Place | undefined;
  let size = Math.min(wanted, longestBatch);
  for (let examined = 0; ; size = Math.min(longestBatch, size * growth)) {
    const batch = await findBatch(tx, caller, search, place, size);
    ids.push(...batch.ids);
    examined += batch.examined;
    if (ids.length >= wanted || batch.examined < size) return { ids: ids.slice(offset, wanted) };
    place = [batch.last_name ?? '', batch.last_id ?? 0];
    // A cursor cannot carry an offset, so such a page is searched to its end.
    if (offset === 0 && examined >= mostExamined) return { ids, next: place };
  }
}
