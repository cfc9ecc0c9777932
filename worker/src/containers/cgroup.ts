/**
 * What a container used, read from the cgroup that all its processes were in. The engine removes the
 * container's own group at its end; a group above it, one for each container, keeps the sums.
 */
import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';

export interface Usage {
  cpu_seconds?: number;
  memory_peak_bytes?: number;
  oom_killed: boolean;
}

export async function readUsage(group: string, version: 1 | 2): Promise<Usage> {
  const read = (controller: string, path: string) =>
    readFile(join(ROOT, version === 1 ? controller : '', group, path), 'utf8').catch(() => '');

  if (version === 1) {
    const [all, monitor, peak] = await Promise.all([
      read('cpuacct', 'cpuacct.usage'),
      read('cpuacct', 'conmon/cpuacct.usage'),
      read('memory', 'memory.max_usage_in_bytes'),
    ]);
    return { ...usage((Number(all) - Number(monitor)) / 1e9, Number(peak)), oom_killed: false };
  }
  const [all, monitor, peak, events] = await Promise.all([
    read('', 'cpu.stat'),
    read('', 'conmon/cpu.stat'),
    read('', 'memory.peak'),
    read('', 'memory.events'),
  ]);
  const seconds = (field(all, 'usage_usec') - field(monitor, 'usage_usec')) / 1e6;
  return { ...usage(seconds, Number(peak)), oom_killed: field(events, 'oom_kill') > 0 };
}

const usage = (seconds: number, peak: number) => ({
  ...(seconds > 0 && { cpu_seconds: seconds }),
  ...(peak > 0 && { memory_peak_bytes: peak }),
});

const field = (text: string, name: string) =>
  Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0);

/** Removes the empty groups of one container, or of all ended ones below `group`. */
export async function removeGroup(group: string, version: 1 | 2): Promise<void> {
  const controllers = version === 1 ? await readdir(ROOT).catch(() => []) : [''];
  await Promise.all(controllers.map((controller) => removeTree(join(ROOT, controller, group))));
}

/** A group that still holds a process refuses; that is wanted. */
async function removeTree(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(path, entry.name));
  await rmdir(path).catch(() => undefined);
}
