/** Podman's log of events, as the file of its events logger `file`. */
import { readFile } from 'node:fs/promises';

/**
 * The exit code of a container's program; undefined if the program has not ended, or if its entry
 * is gone: podman drops the older half of the log at 1 MB. Podman writes the entry before it reports
 * the code, and keeps it when the container is removed.
 */
export async function loggedExitCode(log: string, name: string): Promise<number | undefined> {
  const text = await readFile(log, 'utf8').catch(() => '');
  const died = text
    .split('\n')
    // Another entry may be half written.
    .filter((line) => line.includes(name) && line.includes('"died"'))
    .map((line) => JSON.parse(line))
    .find(({ Name, Status }) => Name === name && Status === 'died');
  // Podman 4 leaves a 0 out.
  return died && (died.ContainerExitCode ?? 0);
}
