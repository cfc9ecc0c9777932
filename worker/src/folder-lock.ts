/**
 * Only one process at a time may use a folder: the server its database's, a worker its own. A
 * process is identified by its id and start time, so a killed one holds no lock.
 */
import { createHash } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Another running process uses the folder. */
export class FolderInUse extends Error {
  /** Undefined while that process is taking the lock. */
  readonly pid: number | undefined;

  constructor(dir: string, pid?: number) {
    const who = pid === undefined ? 'Another process' : `Process ${pid}`;
    super(`${who} works in ${dir}.`);
    this.name = 'FolderInUse';
    this.pid = pid;
  }
}

/**
 * Locks the folder for this process.
 *
 * @returns a function that releases the lock.
 * @throws FolderInUse
 */
export async function lockFolder(dir: string): Promise<() => Promise<void>> {
  const file = join(dir, 'owner');
  const line = `${process.pid} ${await startOf(process.pid)}\n`;
  for (let tries = 0; tries < 3; tries += 1) {
    if (await create(file, line)) return () => rm(file, { force: true });
    const found = await readFile(file, 'utf8').catch(() => '');
    const pid = await aliveIn(found);
    if (pid !== undefined) throw new FolderInUse(dir, pid);
    if (await replaceDead(file, found, line)) return () => rm(file, { force: true });
  }
  throw new FolderInUse(dir);
}

/**
 * Takes over the lock of a process that has ended. Of several that try, one succeeds: the one that
 * creates the file named after the old lock's line. Deleting the old file and creating a new one
 * would not be safe: a slow process could delete the file of a faster one.
 */
async function replaceDead(file: string, found: string, line: string): Promise<boolean> {
  const name = createHash('sha256').update(found).digest('hex').slice(0, 16);
  const claim = `${file}.after-${name}`;
  if (!(await create(claim, line))) {
    // Left by a process that was killed at this point.
    if ((await aliveIn(await readFile(claim, 'utf8').catch(() => ''))) === undefined) {
      await rm(claim, { force: true });
    }
    return false;
  }
  const isStill = (await readFile(file, 'utf8').catch(() => undefined)) === found;
  if (isStill) await rename(claim, file);
  else await rm(claim, { force: true });
  return isStill;
}

/** Creates a file with its content atomically. @returns false if it exists. */
async function create(file: string, line: string): Promise<boolean> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, line, { mode: 0o600 });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    return await createWithoutLinks(file, line);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Some network and FAT file systems have no links. */
function createWithoutLinks(file: string, line: string): Promise<boolean> {
  return writeFile(file, line, { flag: 'wx', mode: 0o600 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
}

/** The running process that a line names. A line with our own id is from before a restart. */
async function aliveIn(line: string): Promise<number | undefined> {
  const [pid = '', start = ''] = line.trim().split(' ');
  const number = Number.parseInt(pid, 10);
  if (!Number.isInteger(number) || number <= 0 || number === process.pid) return undefined;
  try {
    process.kill(number, 0);
  } catch (error) {
    // A process of another user: it runs, but we may not signal it.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  // Ids are reused after a while; id and start time together are unique.
  return (await startOf(number)) === start ? number : undefined;
}

/** Start time of a process in clock ticks since boot (proc(5), field 22); 'unknown' without /proc. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return 'unknown';
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? 'gone' : (fields[19] ?? 'unknown');
}
