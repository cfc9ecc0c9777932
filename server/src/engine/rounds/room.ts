/** Whether work may be handed out: results that cannot be stored would fail it. */
import type { Storage } from '../../storage/storage.ts';

/** For so long the disk is not asked again: it would be the longest wait of a round. */
const remembered_ms = 250;

/** @returns asks whether there is room for results, of which a while ago is soon enough. */
export function roomIn(storage: Pick<Storage, 'room'>): () => Promise<boolean> {
  let until = 0;
  return async () => {
    if (performance.now() < until) return true;
    const hasRoom = (await storage.room()) > 0;
    if (hasRoom) until = performance.now() + remembered_ms;
    return hasRoom;
  };
}
