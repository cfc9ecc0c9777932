/**
 * Files being written, before they are whole and get their place. Their names say which process
 * writes them, so that what a killed one left can be told from what another one, on the same
 * folder, is writing right now.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A file of another host is abandoned when nothing was added to it for that long. */
const idle_ms = 6 * 3600 * 1000;

export async function partialFiles(dir: string) {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const host = hostname().replace(/[^A-Za-z0-9-]/g, '-');
  const startedAt_ms = Date.now() - process.uptime() * 1000;

  return {
    /** Where to write next. */
    newPath: () => join(dir, `${host}.${process.pid}.${randomUUID()}`),

    /** Removes what nobody writes any more. */
    removeAbandoned: async (now: Date): Promise<void> => {
      for (const name of await readdir(dir)) {
        const path = join(dir, name);
        const file = await stat(path).catch(() => undefined);
        if (file && isAbandoned(name, file.mtimeMs, now)) await rm(path, { force: true });
      }
    },
  };

  function isAbandoned(name: string, modified_ms: number, now: Date) {
    const [writerHost, pid] = name.split('.');
    // Another host's processes can't be seen from here, for example those of a container.
    if (writerHost !== host) return now.getTime() - modified_ms > idle_ms;
    // In a container every life of the server has the same number, mostly 1.
    if (Number(pid) === process.pid) return modified_ms < startedAt_ms;
    return !isRunning(Number(pid));
  }
}

function isRunning(pid: number) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
