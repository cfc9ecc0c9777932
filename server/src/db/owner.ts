/** One process at a time may run the database of a folder; a killed one must not lock it for ever. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config.ts';

const fileOf = (dir: string) => join(dir, 'owner');

/**
 * Makes this process the owner of the folder's database.
 *
 * @returns a function that gives it up.
 * @throws ConfigError that names the process which owns it now.
 */
export async function own(dir: string): Promise<() => Promise<void>> {
  const mine = await identityOf(process.pid);
  const line = `${process.pid} ${mine}\n`;
  for (let tries = 0; tries < 2; tries += 1) {
    const written = await writeFile(fileOf(dir), line, { flag: 'wx' }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        return false;
      },
    );
    if (written) return () => rm(fileOf(dir), { force: true });
    const owner = await aliveOwner(dir);
    if (owner !== undefined) {
      throw new ConfigError(
        `Another Cogworks process (${owner}) uses ${dir}. Stop it first, or give this one a DATA_DIR of its own.`,
      );
    }
    await rm(fileOf(dir), { force: true });
  }
  throw new ConfigError(`Another Cogworks process is starting on ${dir}.`);
}

async function aliveOwner(dir: string): Promise<number | undefined> {
  const [pid = '', identity = ''] = (await readFile(fileOf(dir), 'utf8').catch(() => ''))
    .trim()
    .split(' ');
  const number = Number.parseInt(pid, 10);
  if (!Number.isInteger(number) || number === process.pid) return undefined;
  try {
    process.kill(number, 0);
  } catch (error) {
    // Somebody else's process: it is alive, we only may not signal it.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  // A number is used again after a while; together with the start time it is one process.
  return (await identityOf(number)) === identity ? number : undefined;
}

/** Start time of a process in clock ticks since boot (proc(5), field 22); 'unknown' without /proc. */
async function identityOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return 'unknown';
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? 'gone' : (fields[19] ?? 'unknown');
}
