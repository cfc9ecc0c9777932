/** A separate disk, small enough to be filled: a tmpfs, if this machine allows mounting one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { patience_ms } from '../until.ts';

const megabyte = 1024 * 1024;

export type SmallDisk = {
  /** Uses up all space except `left` bytes. */
  fill(left: number): Promise<void>;
  /** Frees the space used by `fill`. */
  empty(): Promise<void>;
  unmount(): void;
};

/** @returns a text instead if nothing can be mounted, with the reason. */
export function mountSmallDisk(dir: string, size_mb: number): SmallDisk | string {
  const args = ['-t', 'tmpfs', '-o', `size=${size_mb}m,mode=0700`, 'tmpfs', dir];
  const mounted = spawnSync('mount', args, { encoding: 'utf8' });
  if (mounted.status !== 0) {
    return `No small disk can be mounted: ${mounted.error?.message ?? mounted.stderr.trim()}`;
  }
  const filler = join(dir, 'filler');
  return {
    async fill(left) {
      await using file = await open(filler, 'a');
      // In ever smaller pieces, down to one page.
      for (let piece = megabyte; piece >= 4096; piece /= 4) {
        const bytes = Buffer.alloc(piece);
        while ((await free(dir)) - piece >= left) {
          const written = await file.write(bytes).catch(() => undefined);
          if (!written || written.bytesWritten < piece) break;
        }
      }
    },
    empty: () => rm(filler, { force: true }),
    unmount: () => void execFileSync('umount', ['--lazy', dir]),
  };
}

async function free(dir: string) {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

const inside = 'COGWORKS_TEST_NAMESPACE';

/**
 * Runs a test file in separate user and mount namespaces.
 *
 * @returns undefined inside that run; `ran: false` if there are no such namespaces.
 */
export function runInNamespace(
  file: string,
): { ran: boolean; passed: boolean; output: string } | undefined {
  if (process.env[inside]) return undefined;
  const enter = ['--user', '--map-root-user', '--mount', '--'];
  const possible = spawnSync('unshare', [...enter, 'true'], { encoding: 'utf8' });
  if (possible.status !== 0) {
    const why = possible.error?.message ?? possible.stderr.trim();
    return { ran: false, passed: false, output: `No namespace can be made: ${why}` };
  }
  // Without the test runner's variable, so that the child reports to us.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync('unshare', [...enter, process.execPath, file], {
    encoding: 'utf8',
    env: { ...env, [inside]: 'yes' },
    timeout: 2 * patience_ms,
  });
  return { ran: true, passed: status === 0, output: stdout + stderr };
}
