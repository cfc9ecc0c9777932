/** Run events are kept for a short time: to resume interrupted streams, not as a history. */
import type { Db } from '../../db/connection.ts';
import { type EventLimits, removeOldEvents } from '../tables/run-events.ts';

/**
 * A stream that was interrupted for longer, or missed more events, has to read the full state
 * again.
 */
const usualLimits: EventLimits = { seconds: 600, rows: 100_000, bytes: 256 * 1024 * 1024 };

const batch = 20_000;
/** The rest is left for the next round. */
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
