/** The libraries of the embedded PostgreSQL, by the names its programs look for. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/**
 * The package's install script would create these links, but installs run without scripts. They are
 * relative, so that the project's folder can be moved; one that leads nowhere is replaced.
 *
 * @param home the package's folder.
 */
export async function linkLibraries(home: string): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(home, 'native/pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const path = join(home, target);
    if (existsSync(path)) continue;
    // Several processes may start at once: a rename replaces what another has made meanwhile.
    const fresh = `${path}.${randomUUID()}`;
    await symlink(relative(dirname(target), source), fresh);
    await rename(fresh, path);
  }
}
