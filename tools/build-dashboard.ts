/**
 * Builds the dashboard if its sources have changed since the last build, which a stamp file
 * records. Used by `npm start` and `npm test`; alone: `node tools/build-dashboard.ts`.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { screenSizes, sizesInWords } from './dashboard-sizes.ts';

const root = join(import.meta.dirname, '..');
const home = join(root, 'dashboard');
const dist = join(home, 'dist');
const stampFile = join(dist, 'stamp');
const sources = [
  'dashboard',
  'graph/src',
  'sdk/src',
  'package-lock.json',
  'tools/build-dashboard.ts',
  'tools/texts',
];

/**
 * @throws Error with the builder's output if it fails, or if `signal` is aborted; the last good
 *   build remains.
 */
export async function buildDashboard({
  log = console.error as (text: string) => void,
  signal = undefined as AbortSignal | undefined,
} = {}) {
  const wanted = await fingerprint();
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === wanted) return;

  log('Building the dashboard (first run, or its sources changed) …');
  // Built in a separate folder and renamed, so that a server never serves a partial build and
  // concurrent builds do not interfere.
  const fresh = join(root, '.cache', `dashboard-${process.pid}`);
  await mkdir(join(root, '.cache'), { recursive: true });
  await runVite(fresh, signal);
  await compressAll(join(fresh, 'assets'));
  await writeFile(join(fresh, 'stamp'), wanted);
  await replaceBuild(fresh);
  log(sizesInWords(await screenSizes(dist)));
}

async function replaceBuild(fresh: string) {
  const old = `${fresh}-old`;
  await rename(dist, old).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(fresh, dist);
  await rm(old, { recursive: true, force: true });
}

/** In a child process, so that the calling server does not keep the builder's memory. */
async function runVite(outDir: string, signal: AbortSignal | undefined) {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'];
  const child = spawn(process.execPath, args, {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal && { signal }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', reject);
  });
  if (code !== 0) throw new Error(`The dashboard does not build:\n${output}`);
}

const compressible = /\.(js|css|svg|json)$/;

async function compressAll(dir: string) {
  const names = (await readdir(dir)).filter((name) => compressible.test(name));
  await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(dir, name));
      const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
      await writeFile(join(dir, `${name}.br`), await promisify(brotliCompress)(bytes, quality));
      await writeFile(join(dir, `${name}.gz`), await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const file of await filesOf(join(root, source))) {
      hash
        .update(relative(root, file))
        .update('\0')
        .update(await readFile(file))
        .update('\0');
    }
  }
  return hash.digest('hex');
}

const ignored = new Set(['dist', 'e2e', 'node_modules']);

async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined);
  if (!entries) return [path];
  const wanted = entries.filter(({ name }) => !ignored.has(name) && !name.includes('.test.'));
  const files = await Promise.all(wanted.map(({ name }) => filesOf(join(path, name))));
  return files.flat().sort();
}

if (import.meta.main) await buildDashboard();
