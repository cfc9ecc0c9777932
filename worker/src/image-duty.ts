/** Keeps the images of a worker within a part of its disk, for as long as it works. */
import { statfs } from 'node:fs/promises';
import type { ContainerEngine } from './containers/types.ts';
import type { Log } from './log.ts';

const every_ms = 10 * 60_000;
/** Long enough for a container to start from an image that was just pulled for it. */
const fresh_seconds = 15 * 60;
const share = 0.2;
const least_bytes = 2e9;

/** One look. @returns how many images were removed. */
export async function trimImages(
  engine: ContainerEngine,
  stateDir: string,
  freshSeconds = fresh_seconds,
): Promise<number> {
  const { blocks, bsize } = await statfs(stateDir);
  return engine.removeOldestImages(Math.max(least_bytes, blocks * bsize * share), freshSeconds);
}

/** @returns how to end it. */
export function keepImagesBounded(engine: ContainerEngine, stateDir: string, log: Log): () => void {
  const look = () =>
    trimImages(engine, stateDir)
      .then((removed) => removed > 0 && log('info', 'removed images not used lately', { removed }))
      .catch((error: unknown) => log('warn', 'images were not tidied', { error: String(error) }));
  const timer = setInterval(() => void look(), every_ms);
  return () => clearInterval(timer);
}
