/**
 * Seals events in blocks, some time after they were written, so that writing them costs nothing
 * more. A block must have all events up to an id, but ids are taken before their transactions
 * commit: it is sealed up to an id once all transactions that wrote events at that moment have
 * ended.
 */
import type { Db } from '../../../db/connection.ts';
import type { Services } from '../../../services.ts';
import {
  addBlocks,
  type Fresh,
  findFresh,
  findLastId,
  findWriters,
  lockSealing,
  type NewBlock,
} from './queries.ts';
import { noBlock, sealOf } from './seals.ts';

/** The key of all seals. */
export const sealingKey = (keys: Pick<Services['keys'], 'derive'>): Buffer =>
  keys.derive('audit-seals');

/**
 * A duty of any engine.
 *
 * @returns a function that seals some events, and says how many.
 */
export function openSealing({
  db,
  keys,
}: { db: Db } & Pick<Services, 'keys'>): (limit: number) => Promise<number> {
  const key = sealingKey(keys);
  /** Up to where it is sealed when these have ended. */
  let waiting: { upTo: number; writers: readonly string[] } | undefined;
  let complete = 0;
  return async (limit) => {
    // In this order: who has taken one of these ids is still among the writers, or has ended.
    const upTo = await findLastId(db);
    const writers = await findWriters(db);
    if (waiting?.writers.every((writer) => !writers.includes(writer))) {
      complete = waiting.upTo;
      waiting = undefined;
    }
    if (!waiting && writers.length > 0) waiting = { upTo, writers };
    if (writers.length === 0) complete = upTo;
    return complete === 0 ? 0 : sealUpTo(db, key, complete, limit);
  };
}

const sealUpTo = (db: Db, key: Buffer, upTo: number, limit: number): Promise<number> =>
  db.transaction(async (tx: Db) => {
    const sealedTo = await lockSealing(tx);
    if (sealedTo === undefined || sealedTo >= upTo) return 0;
    const fresh = await findFresh(tx, sealedTo, upTo, limit);
    const ids = fresh.flatMap(({ event_ids }) => event_ids);
    const last_id = ids.length < limit ? upTo : Math.max(...ids);
    const blocks = fresh.map((events) => nextBlock(key, events, last_id));
    await addBlocks(tx, blocks, last_id);
    return ids.length;
  });

function nextBlock(
  key: Buffer,
  { tenant_id, event_ids, event_hashes, ...head }: Fresh,
  last_id: number,
): NewBlock {
  const { number, last_id: after_id, seal: previous } = { ...noBlock, ...head };
  const block = { tenant_id, number: number + 1, after_id, last_id };
  const sealing = { ...block, event_ids, event_hashes, previous };
  return { ...sealing, seal: sealOf(key, sealing) };
}
