/**
 * Files that arrive in folders with triggers. Notes of the database say that something came to a
 * place (migration 0110), whichever way it came; here is found out for which triggers.
 */
import { mediaTypeMatches } from '@cogworks/graph/assign';
import type { Db } from '../../../db/connection.ts';
import {
  type Arrived,
  addArrivalsIn,
  addTriggerFiles,
  findArrived,
  type NewTriggerFile,
  takeArrivals,
} from './queries.ts';

/**
 * Triggers of folders that feed each other would never end: after so many runs, one from the results
 * of the other, their files no longer count.
 */
const longestChain = 10;

/** Of what is in folders, so many arrive in one transaction. */
const mostInside = 10_000;

/**
 * A folder is replaced by what is in it, level by level and in portions.
 *
 * @returns how many arrivals there were.
 */
export function placeArrivals(db: Db, limit: number, most = mostInside): Promise<number> {
  return db.transaction(async (tx) => {
    const arrivals = await takeArrivals(tx, limit);
    if (arrivals.length === 0) return 0;
    const arrived = await findArrived(tx, arrivals);
    const found = new Set(
      arrived.filter(({ version }) => version === undefined).map(({ cog_id }) => cog_id),
    );
    const folders = arrivals.filter(({ cog_id }) => found.has(cog_id));
    if (folders.length > 0)
      await addArrivalsIn(tx, folders, Math.max(1, Math.floor(most / folders.length)));
    const files = arrived.flatMap(asTriggerFile);
    if (files.length > 0) await addTriggerFiles(tx, files);
    return arrivals.length;
  });
}

function asTriggerFile({
  version,
  mime_type = '',
  media_types,
  chain,
  ...file
}: Arrived): NewTriggerFile[] {
  const isWanted = !media_types || media_types.some((type) => mediaTypeMatches(type, mime_type));
  if (version === undefined || !isWanted) return [];
  const next = chain + 1;
  return [{ ...file, version, chain: next, state: next > longestChain ? 'passed' : 'waiting' }];
}
