/** Whether work may be handed out: without disk space for its results it would fail. */
import type { Storage } from '../../storage/storage.ts';

/** How long an answer is cached. Asking the disk each time would be the slowest step of a round. */
const remembered_ms = 250;

/** @returns a function that tells, from a short cache, whether the storage has room for results. */
export function roomIn(storage: Pick<Storage, 'room'>): () => Promise<boolean> {
  let until = 0;
  return async () => {
    if (performance.now() < until) return true;
    const hasRoom = (await storage.room()) > 0;
    if (hasRoom) until = performance.now() + remembered_ms;
    return hasRoom;
  };
}
