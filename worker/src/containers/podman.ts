/** Podman as a ContainerEngine. probe.ts first finds out what it can do here. */

import { AttemptError } from '../attempt-error.ts';
import { removeGroup } from './cgroup.ts';
import { callProgram } from './command.ts';
import { byLastUse, forgetImages, noteUse } from './image-use.ts';
import type { Podman } from './podman-program.ts';
import { removeContainers, runContainer } from './podman-run.ts';
import { type PulledImages, pullImage } from './pull.ts';
import { labels } from './run-arguments.ts';
import type { ContainerEngine } from './types.ts';

export function podmanEngine(podman: Podman): ContainerEngine {
  const pulled: PulledImages = new Map();
  const removeImages = async (ids: readonly string[]): Promise<number> => {
    const removed: string[] = [];
    for (const id of ids) {
      // An image with two names cannot be removed by id, and `force` would end containers that use
      // it.
      await callProgram(podman, ['untag', id]);
      const { code } = await callProgram(podman, ['rmi', id]);
      if (code === 0) removed.push(id);
    }
    forget(pulled, removed);
    await forgetImages(podman.scratch, removed);
    return removed.length;
  };
  return {
    report: podman.report,
    private_dir: podman.private_dir,

    async pull(image, auth, signal, say) {
      const found = await pullImage(podman, pulled, image, auth, { signal, say });
      await noteUse(podman.scratch, found.image_id);
      return found;
    },

    run(spec, hooks, signal) {
      return runContainer(podman, spec, hooks, signal).catch((error: unknown) => {
        // Another process removed the image: the next pull must not rely on it.
        if (error instanceof AttemptError && error.error_class === 'image_pull') {
          forget(pulled, [spec.image_id]);
        }
        throw error;
      });
    },

    async removeLeftovers() {
      const names = await leftovers(podman);
      if (names.length > 0) await removeContainers(podman, names);
      if (podman.cgroup) await removeGroup(podman.cgroup, podman.report.cgroup_version);
      return names;
    },

    async close() {
      if (!podman.report.rootless) return;
      // Stops the process that holds the user's namespace between calls; it belongs to this store
      // alone.
      await callProgram(podman, ['system', 'migrate'], { timeout_ms: 10_000 }).catch(() => {});
    },

    async removeOldestImages(mostBytes, freshSeconds) {
      const rows = await lines(podman, ['images', '--no-trunc', '--format', '{{.ID}} {{.Size}}']);
      const sizes = new Map(rows.map((row) => sizeOf(row)));
      let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      const before = Date.now() - freshSeconds * 1000;
      const chosen: string[] = [];
      for (const { id, used_ms } of await byLastUse(podman.scratch, [...sizes.keys()])) {
        if (total <= mostBytes || used_ms > before) break;
        chosen.push(id);
        total -= sizes.get(id) ?? 0;
      }
      return removeImages(chosen);
    },
  };
}

/** `sha256:… 2.13 MB`; decimal, as podman writes it. Shared layers count for each image. */
function sizeOf(row: string): [id: string, bytes: number] {
  const [id = '', size = '0', unit = 'B'] = row.split(' ');
  const factors: Record<string, number> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };
  return [id.replace(/^sha256:/, ''), Number(size) * (factors[unit] ?? 1)];
}

function forget(pulled: PulledImages, ids: readonly string[]) {
  for (const [key, id] of pulled) if (ids.includes(id)) pulled.delete(key);
}

const leftovers = (podman: Podman): Promise<string[]> =>
  lines(podman, [
    ...['ps', '--all', '--filter', `label=${labels.installation}=${podman.installation}`],
    ...['--format', '{{.Names}}'],
  ]);

async function lines(podman: Podman, args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await callProgram(podman, args);
  if (code !== 0) {
    throw new AttemptError('infrastructure', `podman ${args[0]} failed: ${stderr.slice(-300)}`);
  }
  return stdout.split('\n').filter((line) => line !== '');
}
