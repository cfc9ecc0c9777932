/**
 * When each image was last used: the time stamp of an empty file named after it. The engine only
 * knows when an image was built, and removing by that age would first remove those in daily use.
 */
import { mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const folder = (scratch: string) => join(scratch, 'image-use');

export async function noteUse(scratch: string, id: string): Promise<void> {
  const now = new Date();
  const file = join(folder(scratch), id);
  await utimes(file, now, now).catch(async () => {
    await mkdir(folder(scratch), { recursive: true });
    await writeFile(file, '');
  });
}

/** Least recently used first. An image without a record gets one, and comes last. */
export async function byLastUse(scratch: string, ids: readonly string[]) {
  const used = await Promise.all(
    ids.map(async (id) => {
      const noted = await stat(join(folder(scratch), id)).catch(() => null);
      if (!noted) await noteUse(scratch, id);
      return { id, used_ms: noted?.mtimeMs ?? Date.now() };
    }),
  );
  return used.sort((a, b) => a.used_ms - b.used_ms);
}

export async function forgetImages(scratch: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) await rm(join(folder(scratch), id), { force: true });
}
