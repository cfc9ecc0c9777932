/** Search by part of a name, ignoring case. A member finds only what they may see. */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Listed, Page } from '../../../pages.ts';
import { requireAccess } from '../../permissions/access.ts';
import { visibleAmong } from '../cogs.ts';
import { searchable } from '../places/names.ts';
import { findCogs } from '../queries.ts';
import type { Cog } from '../schema.ts';
import {
  beginSearch,
  countMatches,
  findBatch,
  findFromAbove,
  type Place,
  type Search,
} from './search-queries.ts';

/**
 * The first batch has the size of the page, later ones what is probably needed for the rest of it:
 * most pages are full after one.
 */
const growth = 4;
const shortestBatch = 100;
const longestBatch = 10_000;
const usualLimits = {
  /** About two seconds of database time. An incomplete page has a `Link` to continue. */
  mostExamined: 400_000,
  statement_ms: 5000,
  /** Files and folders below a folder, or below a member's grants: about 50 ms. */
  mostFromAbove: 20_000,
};
/** When so few of the candidates are shown that it is worth a try to read from above. */
const isSparse = (found: number, examined: number) => examined >= 500 && found * 20 < examined;

/** Cogs with `q` in their name, anywhere or below a folder, ordered by name. */
export function searchCogs(
  db: Db,
  caller: Caller,
  { q, under }: { q: string; under?: number },
  page: Page,
  limits: Partial<typeof usualLimits> = {},
): Promise<Listed<Cog>> {
  const { statement_ms, ...most } = { ...usualLimits, ...limits };
  const part = searchable(q, 'q');
  return db.transaction(async (tx) => {
    const folder = under === undefined ? undefined : await requireAccess(tx, caller, under, 'view');
    const isEverywhere = folder === undefined || folder.cog_type === 'master_folder';
    const search = { part, under: isEverywhere ? undefined : under };
    // In the root and the folder for results members see only what grants show.
    const seesAll = caller.role === 'admin' || folder?.grant !== undefined;
    const mostFromAbove = isEverywhere === seesAll ? 0 : most.mostFromAbove;
    await beginSearch(tx, statement_ms);
    const { ids, next } = await findPage(tx, caller, search, page, { ...most, mostFromAbove });
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
  { mostExamined, mostFromAbove }: { mostExamined: number; mostFromAbove: number },
): Promise<{ ids: number[]; next?: Place }> {
  const wanted = offset + limit;
  const ids: number[] = [];
  let place = after as Place | undefined;
  let size = Math.min(wanted, longestBatch);
  let most = mostFromAbove;
  for (let examined = 0; ; size = nextSize(size, wanted - ids.length, ids.length / examined)) {
    const batch = await findBatch(tx, caller, search, place, size);
    ids.push(...batch.ids);
    examined += batch.examined;
    if (ids.length >= wanted || batch.examined < size) return { ids: ids.slice(offset, wanted) };
    place = [batch.last_name ?? '', batch.last_id ?? 0];
    if (most > 0 && isSparse(ids.length, examined)) {
      const start = after as Place | undefined;
      const found = await findFromAbove(tx, caller, search, start, { wanted, most });
      if (found) return { ids: found.slice(offset) };
      most = 0;
    }
    // A cursor cannot carry an offset, so such a page is searched to its end.
    if (offset === 0 && examined >= mostExamined) return { ids, next: place };
  }
}

/** @param share of the candidates that are shown. */
function nextSize(size: number, missing: number, share: number): number {
  const probably = Math.ceil((missing * 1.25) / share);
  return Math.min(longestBatch, size * growth, Math.max(shortestBatch, probably));
}
