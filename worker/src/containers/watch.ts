/** Looks at a running container's files: how much it wrote, and how far it says it is. */
import { constants } from 'node:fs';
import { chmod, lstat, open, opendir } from 'node:fs/promises';
import type { Workspace } from './types.ts';

const POLL_MS = 500;
const SHORTEST_POLL_MS = 25;
/** As fast as a program writes into the machine's page cache; what is left may be full by then. */
const FASTEST_BYTES_PER_MS = 2 * 1024 * 1024;
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
    Math.max(SHORTEST_POLL_MS, Math.min(POLL_MS, (limit - bytes) / FASTEST_BYTES_PER_MS));
  timer = setTimeout(look, pauseFor(0));

  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Everything that the program can write to a disk: its outputs, and what it says of its progress. */
export async function measure(
  { outputs, progress }: Pick<Workspace, 'outputs' | 'progress'>,
  diskMb: number,
): Promise<{ fault: string | null; bytes: number }> {
  return measureTree(outputs, await blocks(Buffer.from(progress)), diskMb);
}

/** A sentence when the folder holds more than it may, else null. */
export const diskFault = async (folder: string, diskMb: number): Promise<string | null> =>
  (await measureTree(folder, 0, diskMb)).fault;

async function measureTree(folder: string, before: number, diskMb: number) {
  let bytes = before;
  const fault = (text: string) => ({ fault: text, bytes });
  const limit = diskMb * 1024 * 1024;
  if (bytes > limit) return fault(`What it wrote grew over the node's disk of ${diskMb} MB.`);
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
        if (bytes > limit) return fault(`The outputs grew over the node's disk of ${diskMb} MB.`);
        if (files > MOST_FILES) return fault(`The program wrote more than ${MOST_FILES} files.`);
      }
    } catch (error) {
      // What lies deeper than a path can be long cannot be counted.
      if (code(error) === 'ENAMETOOLONG') return fault('The program nested folders too deeply.');
      // What is gone by now takes no space.
      if (code(error) !== 'ENOENT' && code(error) !== 'ENOTDIR') {
        return fault(`The outputs could not be measured (${code(error)}).`);
      }
    }
  }
  return { fault: null, bytes };
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
