/** Watches the files of a running container: how much it has written, and its progress. */
import { constants } from 'node:fs';
import { chmod, lstat, open, opendir } from 'node:fs/promises';
import type { Workspace } from './types.ts';

const usualPause_ms = 500;
const shortestPause_ms = 25;
/**
 * The speed of writes to the page cache: determines how soon the rest of the disk could be full.
 */
const fastestBytesPerMs = 2 * 1024 * 1024;
/** Files cost more than their bytes; millions of empty ones would exhaust the disk's inodes. */
const mostFiles = 100_000;

export type WatchHooks = {
  onProgress(done: number, total: number): void;
  onDiskFull(message: string): void;
};

/** Measures slow folders less often. @returns a function that ends it. */
export function watchWorkspace(workspace: Workspace, diskMb: number, hooks: WatchHooks) {
  let stopped = false;
  let timer: NodeJS.Timeout;
  let shown = '';

  const look = async () => {
    const began = performance.now();
    const [{ fault, bytes }, progress] = await Promise.all([
      measure(workspace, diskMb),
      readProgress(workspace.progress),
    ]);
    if (stopped) return;
    if (progress && `${progress}` !== shown) {
      shown = `${progress}`;
      hooks.onProgress(...progress);
    }
    if (fault) hooks.onDiskFull(fault);
    else timer = setTimeout(look, Math.max(pauseFor(bytes), 5 * (performance.now() - began)));
  };
  const limit = diskMb * 1024 * 1024;
  const pauseFor = (bytes: number) =>
    Math.max(shortestPause_ms, Math.min(usualPause_ms, (limit - bytes) / fastestBytesPerMs));
  timer = setTimeout(look, pauseFor(0));

  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Measures everything the program can write to a disk: its outputs and its progress file. */
export async function measure(
  { outputs, progress }: Pick<Workspace, 'outputs' | 'progress'>,
  diskMb: number,
): Promise<{ fault: string | null; bytes: number }> {
  return measureTree(outputs, await blocks(Buffer.from(progress)), diskMb);
}

async function measureTree(folder: string, before: number, diskMb: number) {
  let bytes = before;
  const fault = (text: string) => ({ fault: text, bytes });
  const limit = diskMb * 1024 * 1024;
  if (bytes > limit) return fault(`What it wrote grew over the node's disk of ${diskMb} MB.`);
  let files = 0;
  // As bytes: a name that is not UTF-8 could not be opened by a string.
  const waiting: Buffer[] = [Buffer.from(folder)];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    try {
      for await (const entry of await openFolder(next)) {
        // The types declare only string names here.
        const name = entry.name as unknown as Buffer;
        const path = Buffer.concat([next, Buffer.from('/'), name]);
        if (entry.isDirectory()) waiting.push(path);
        bytes += await blocks(path);
        files += 1;
        if (bytes > limit) return fault(`The outputs grew over the node's disk of ${diskMb} MB.`);
        if (files > mostFiles) return fault(`The program wrote more than ${mostFiles} files.`);
      }
    } catch (error) {
      // Folders nested beyond the longest path cannot be measured.
      if (code(error) === 'ENAMETOOLONG') return fault('The program nested folders too deeply.');
      // A file removed in the meantime takes no space.
      if (code(error) !== 'ENOENT' && code(error) !== 'ENOTDIR') {
        return fault(`The outputs could not be measured (${code(error)}).`);
      }
    }
  }
  return { fault: null, bytes };
}

/** A program may remove rights from its own folders; a worker without root restores them. */
async function openFolder(path: Buffer) {
  const open = () => opendir(path as unknown as string, { encoding: 'buffer' as 'utf8' });
  return open().catch(async (error: unknown) => {
    if (code(error) !== 'EACCES') throw error;
    await chmod(path, 0o700);
    return open();
  });
}

const blocks = (path: Buffer): Promise<number> =>
  lstat(path).then(
    (stat) => stat.blocks * 512,
    (error: unknown) => {
      if (code(error) === 'ENOENT') return 0;
      throw error;
    },
  );

const code = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** The last complete `N/M` line; the program may write anything there. */
export async function readProgress(path: string): Promise<[done: number, total: number] | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null);
  if (!file) return null;
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(1024),
      position: Math.max(0, size - 1024),
    });
    const lines = buffer.toString('latin1', 0, bytesRead).split('\n');
    const last = lines.findLast((line) => /^\s*\d{1,9}\s*\/\s*\d{1,9}\s*$/.test(line));
    const [done = 0, total = 0] = last?.split('/').map(Number) ?? [];
    return total > 0 ? [Math.min(done, total), total] : null;
  } finally {
    await file.close();
  }
}
