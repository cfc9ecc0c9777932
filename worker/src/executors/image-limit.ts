/** Limits the disk space of a worker's images while it runs. */
import { statfs } from 'node:fs/promises';
import type { ContainerEngine } from '../containers/types.ts';
import type { Log } from '../log.ts';

const pause_ms = 10 * 60_000;
/** Long enough for a container to start from an image that was just pulled for it. */
const fresh_s = 15 * 60;
const shareOfDisk = 0.2;
const least_bytes = 2e9;

/** @returns a function that ends it. */
export function keepImagesBounded(engine: ContainerEngine, stateDir: string, log: Log): () => void {
  const removeOldest = async () => {
    const { blocks, bsize } = await statfs(stateDir);
    const most_bytes = Math.max(least_bytes, blocks * bsize * shareOfDisk);
    const removed = await engine.removeOldestImages(most_bytes, fresh_s);
    if (removed > 0) log.info({ removed }, 'removed images that were not used lately');
  };
  const timer = setInterval(() => {
    removeOldest().catch((err: unknown) => log.warn({ err }, 'old images could not be removed'));
  }, pause_ms);
  return () => clearInterval(timer);
}
