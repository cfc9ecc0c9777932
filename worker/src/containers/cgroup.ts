/**
 * Cgroups of containers. The engine removes a container's own group when it ends; its parent group,
 * one per container, still has the counters.
 */
import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

const root = '/sys/fs/cgroup';

/**
 * Whether the kernel killed a process of the group for lack of memory. Version 1 does not count it.
 */
export async function wasOutOfMemory(group: string, version: 1 | 2): Promise<boolean> {
  if (version === 1) return false;
  const events = await readFile(join(root, group, 'memory.events'), 'utf8').catch(() => '');
  return Number(/^oom_kill (\d+)/m.exec(events)?.[1] ?? 0) > 0;
}

/** Removes the empty groups of one container, or of all ended ones below `group`. */
export async function removeGroup(group: string, version: 1 | 2): Promise<void> {
  const controllers = version === 1 ? await readdir(root).catch(() => []) : [''];
  await Promise.all(controllers.map((controller) => removeTree(join(root, controller, group))));
}

/** The kernel refuses while the group has processes, as it should. */
async function removeTree(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(path, entry.name));
  await rmdir(path).catch(() => undefined);
}
