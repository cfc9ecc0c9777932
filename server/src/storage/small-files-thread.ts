/** The thread of small-files.ts: writes one batch after the other and says what failed. */
import { closeSync, fsync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { makeDirs, syncFolder } from './folders.ts';
import type { Fault, Faults, SmallFile } from './small-files.ts';

parentPort?.on('message', (files: readonly SmallFile[]) => {
  void writeFiles(files).then((faults) => parentPort?.postMessage(faults));
});

const sync = promisify(fsync);

async function writeFiles(files: readonly SmallFile[]): Promise<Faults> {
  const faults: Faults = await Promise.all(files.map((file) => faultOf(writeFile(file))));
  // A name lasts when its folder is synced after the file is there.
  const synced = new Map<string, Promise<Fault | undefined>>();
  for (const { folder } of files) {
    if (folder !== undefined && !synced.has(folder))
      synced.set(folder, faultOf(syncFolder(folder)));
  }
  return Promise.all(files.map(async ({ folder }, at) => faults[at] ?? synced.get(folder ?? '')));
}

/** Written at once, and synced beside the others, which the file system then does together. */
async function writeFile({ path, bytes }: SmallFile): Promise<void> {
  const file = await openNew(path);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    // Given back now: this thread makes little else, so its next collection may be far.
    bytes.buffer.transfer(0);
    await sync(file);
  } finally {
    closeSync(file);
  }
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

const faultOf = (work: Promise<void>): Promise<Fault | undefined> =>
  work.then(
    () => undefined,
    ({ code, message }: NodeJS.ErrnoException) => ({ code, message }),
  );
