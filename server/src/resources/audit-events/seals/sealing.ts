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
 * @param now the clock that says when blocks are sealed.
 *
 * @returns a function that seals some events, and says how many. It throws an Error if the database
 *   says that events are not sealed yet which this process knows to be sealed: whoever says so wants
 *   to have others sealed in their place.
 */
export function openSealing(
  { db, keys }: { db: Db } & Pick<Services, 'keys'>,
  now: () => Date = () => new Date(),
): (limit: number) => Promise<number> {
  const key = sealingKey(keys);
  /** Up to where it is sealed when these have ended. */
  let waiting: { upTo: number; writers: readonly string[] } | undefined;
  let complete = 0;
  /** Up to where all were sealed when this process looked last. */
  let known = 0;
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
    if (complete === 0) return 0;
    const { sealed, sealedTo } = await sealUpTo(db, key, now, { known, upTo: complete, limit });
    known = sealedTo;
    return sealed;
  };
}

type Part = { known: number; upTo: number; limit: number };

const sealUpTo = (db: Db, key: Buffer, now: () => Date, { known, upTo, limit }: Part) =>
  db.transaction(async (tx: Db) => {
    const sealedTo = await lockSealing(tx);
    if (sealedTo === undefined) return { sealed: 0, sealedTo: known };
    if (sealedTo < known) throw isSetBack(sealedTo, known);
    if (sealedTo >= upTo) return { sealed: 0, sealedTo };
    const fresh = await findFresh(tx, sealedTo, upTo, limit);
    const ids = fresh.flatMap(({ event_ids }) => event_ids);
    const last_id = ids.length < limit ? upTo : Math.max(...ids);
    const sealed_at = now().toISOString();
    const blocks = fresh.map((events) => {
      if ((events.last_id ?? 0) > sealedTo) throw isSetBack(sealedTo, events.last_id);
      return nextBlock(key, events, { last_id, sealed_at });
    });
    await addBlocks(tx, blocks, last_id);
    return { sealed: ids.length, sealedTo: last_id };
  });

function nextBlock(
  key: Buffer,
  { tenant_id, event_ids, event_hashes, ...head }: Fresh,
  end: Pick<NewBlock, 'last_id' | 'sealed_at'>,
): NewBlock {
  const { number, last_id: after_id, seal: previous } = { ...noBlock, ...head };
  const block = { tenant_id, number: number + 1, after_id, ...end };
  const sealing = { ...block, event_ids, event_hashes, previous };
  return { ...sealing, seal: sealOf(key, sealing) };
}

const isSetBack = (sealedTo: number, known: number | undefined) =>
  new Error(
    `Events up to ${known} were sealed, but audit_sealing says ${sealedTo}: no events are sealed, because somebody may have changed them since. If the database was put back to an earlier state, start this process again.`,
  );
