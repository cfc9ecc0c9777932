/**
 * Files that are being written, and folders that are being removed. Their names identify the writing process, so that those left by a
 * killed one can be told from those that another process on the same folder is writing.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A file of another host is abandoned if nothing was added to it for this long. */
const idle_ms = 6 * 3600 * 1000;

export async function partialFiles(dir: string) {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const host = hostname().replace(/[^A-Za-z0-9-]/g, '-');
  const startedAt_ms = Date.now() - process.uptime() * 1000;

  return {
    /** The path of a new partial file. */
    newPath: () => join(dir, `${host}.${process.pid}.${randomUUID()}`),

    /** Removes abandoned files. */
    removeAbandoned: async (now: Date): Promise<void> => {
      for (const name of await readdir(dir)) {
        const path = join(dir, name);
        const file = await stat(path).catch(() => undefined);
        if (file && isAbandoned(name, file.mtimeMs, now))
          await rm(path, { recursive: true, force: true });
      }
    },
  };

  function isAbandoned(name: string, modified_ms: number, now: Date) {
    const [writerHost, pid] = name.split('.');
    // Processes of another host, for example a container, are not visible from here.
    if (writerHost !== host) return now.getTime() - modified_ms > idle_ms;
    // In a container the server always has the same pid, usually 1.
    if (Number(pid) === process.pid) return modified_ms < startedAt_ms;
    return !isRunning(Number(pid));
  }
}

function isRunning(pid: number) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
