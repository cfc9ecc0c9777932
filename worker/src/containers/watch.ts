/** Looks at a running container's files: how much it wrote, and how far it says it is. */
import { constants } from 'node:fs';
import { chmod, lstat, open, opendir } from 'node:fs/promises';
import type { Workspace } from './types.ts';

const POLL_MS = 500;
/** Files cost more than their bytes; millions of empty ones would exhaust the disk's inodes. */
const MOST_FILES = 100_000;

export interface WatchHooks {
  onProgress(done: number, total: number): void;
  onDiskFull(message: string): void;
}

/** Call the answer to stop. A tree that takes long to walk is looked at less often. */
export function watchWorkspace(workspace: Workspace, diskMb: number, hooks: WatchHooks) {
  let stopped = false;
  let timer: NodeJS.Timeout;
  let shown = '';

  const look = async () => {
    const began = performance.now();
    const [fault, progress] = await Promise.all([
      diskFault(workspace.outputs, diskMb),
      readProgress(workspace.progress),
    ]);
    if (stopped) return;
    if (progress && `${progress}` !== shown) {
      shown = `${progress}`;
      hooks.onProgress(...progress);
    }
    if (fault) hooks.onDiskFull(fault);
    else timer = setTimeout(look, Math.max(POLL_MS, 5 * (performance.now() - began)));
  };
  timer = setTimeout(look, POLL_MS);

  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** A sentence when the outputs are more than they may be, else null. */
export async function diskFault(folder: string, diskMb: number): Promise<string | null> {
  const limit = diskMb * 1024 * 1024;
  let bytes = 0;
  let files = 0;
  // As bytes: a name that is no UTF-8 would not be found again by its text.
  const waiting: Buffer[] = [Buffer.from(folder)];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    try {
      for await (const entry of await openFolder(next)) {
        // The types know only text names here.
        const name = entry.name as unknown as Buffer;
        const path = Buffer.concat([next, Buffer.from('/'), name]);
        if (entry.isDirectory()) waiting.push(path);
        bytes += await blocks(path);
        files += 1;
        if (bytes > limit) return `The outputs grew over the node's disk of ${diskMb} MB.`;
        if (files > MOST_FILES) return `The program wrote more than ${MOST_FILES} files.`;
      }
    } catch (error) {
      // What lies deeper than a path can be long cannot be counted.
      if (code(error) === 'ENAMETOOLONG') return 'The program nested folders too deeply.';
      // What is gone by now takes no space.
      if (code(error) !== 'ENOENT' && code(error) !== 'ENOTDIR') {
        return `The outputs could not be measured (${code(error)}).`;
      }
    }
  }
  return null;
}

/** A program may close its own folders; where the worker is not root, it opens them again. */
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

/** The last complete `N/M` line; the program may write anything at all there. */
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
