/** Processes that podman leaves when it is killed. */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const tries = 40;
const pause_ms = 50;

/**
 * Ends the processes of one `podman run` that have outlived it. If podman was killed while it
 * started a container, `podman rm` does not know of the container's monitor, which would wait with
 * the container's first process as long as the machine runs.
 *
 * @param pidFile where the monitor writes the id of the container's first process; an argument of
 *   podman, of the monitor and of the runtime.
 */
export async function endLeftProcesses(pidFile: string): Promise<void> {
  for (let attempt = 1; attempt <= tries; attempt++) {
    const left = await processesWith(pidFile);
    if (left.length === 0) return;
    const first = Number(await readFile(pidFile, 'utf8').catch(() => ''));
    // The monitor ends by itself once its child has ended.
    if (left.includes(await parentOf(first))) kill(first);
    if (attempt >= tries / 2) for (const pid of left) kill(pid);
    await sleep(pause_ms);
  }
}

async function processesWith(argument: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return text.split('\0').includes(argument) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

async function parentOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^PPid:\s*(\d+)$/m.exec(text)?.[1] ?? 0);
}

function kill(pid: number) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
