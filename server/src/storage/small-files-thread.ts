/** The thread of small-files.ts: writes one batch after another and reports failures. */
import { closeSync, fsync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { makeDirs } from './folders.ts';
import type { Fault, Faults, SmallFile } from './small-files.ts';

parentPort?.on('message', (files: readonly SmallFile[]) => {
  void writeFiles(files).then((faults) => parentPort?.postMessage(faults));
});

/**
 * Writes all files, then syncs them and their directories in parallel, which the file system
 * combines. No file is read before both are done.
 */
async function writeFiles(files: readonly SmallFile[]): Promise<Faults> {
  const written = files.map(writeNew);
  await Promise.allSettled(written);
  const named = new Set(files.flatMap(({ folder }) => folder ?? []));
  const folders = new Map([...named].map((folder) => [folder, faultOf(syncFolder(folder))]));
  const own = written.map((file) => faultOf(file.then(syncAndClose)));
  return Promise.all(
    files.map(async ({ folder = '' }, at) => (await own[at]) ?? (await folders.get(folder))),
  );
}

/** Creates a file with these bytes, not synced yet. */
async function writeNew({ path, bytes }: SmallFile): Promise<number> {
  const file = await openNew(path);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  // Frees the memory now: this thread allocates little else, so its next collection may be far off.
  bytes.buffer.transfer(0);
  return file;
}

async function openNew(path: string): Promise<number> {
  const openIt = () => openSync(path, 'wx', 0o600);
  try {
    return openIt();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await makeDirs(dirname(path));
    return openIt();
  }
}

const syncFolder = async (folder: string) => syncAndClose(openSync(folder, 'r'));

const sync = promisify(fsync);

async function syncAndClose(file: number): Promise<void> {
  try {
    await sync(file);
  } finally {
    closeSync(file);
  }
}

const faultOf = (work: Promise<void>): Promise<Fault | undefined> =>
  work.then(
    () => undefined,
    ({ code, message }: NodeJS.ErrnoException) => ({ code, message }),
  );
