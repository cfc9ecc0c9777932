/** Events of runs are kept for a short time: for streams that were cut, not for history. */
import type { Db } from '../../db/connection.ts';
import { type EventLimits, removeOldEvents } from '../tables/run-events.ts';

/** A stream that was cut for longer reads the whole again; so does one that missed more. */
const usualLimits: EventLimits = { seconds: 600, rows: 100_000, bytes: 256 * 1024 * 1024 };

const batch = 20_000;
/** What is left waits for the next round. */
const mostBatches = 10;

/** @returns how many were removed. */
export async function forgetOldEvents(db: Db, limits = usualLimits): Promise<number> {
  let removed = 0;
  for (let batches = 0; batches < mostBatches; batches += 1) {
    const count = await removeOldEvents(db, limits, batch);
    removed += count;
    if (count < batch) break;
  }
  return removed;
}
