/**
 * Unpacks packages into one layer of an image: as any user, without a container engine, and without
 * running their scripts. The same packages make the same bytes.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { dirname, join } from 'node:path';
import { architectureOf } from '@cogworks/graph/architectures';
import type { Recipe } from '../recipes/recipe.ts';
import { call, ImageProblem } from './programs.ts';

export type Layer = {
  /** Compressed by gzip. */
  path: string;
  digest: string;
  size_bytes: number;
  /** The digest of the bytes before they were compressed. */
  diff_id: string;
  /** Of the machine that made it, whose packages it has. */
  architecture: string;
};

/** Packages name files by both; a system has one folder of each. */
const mergedFolders = ['bin', 'sbin', 'lib', 'lib64'];

type Work = { dir: string; signal: AbortSignal; say: (step: string) => void };

/** Packages that are unpacked at once. */
const portion = 20;

export async function makeLayer(
  recipe: Recipe,
  packages: readonly string[],
  { dir, signal, say }: Work,
): Promise<Layer> {
  const root = join(dir, 'root');
  for (const folder of mergedFolders) {
    await mkdir(join(root, 'usr', folder), { recursive: true });
    await symlink(`usr/${folder}`, join(root, folder));
  }
  const isLeftOut = (path: string) =>
    recipe.leave_out.some((name) => path.includes(`/archives/${name}_`));
  const unpacked = packages.filter((path) => !isLeftOut(path));
  for (let at = 0; at < unpacked.length; at += portion) {
    say(`Unpacking ${unpacked.length} packages: ${Math.floor((100 * at) / unpacked.length)} %`);
    await unpack(unpacked.slice(at, at + portion), root, signal);
  }
  say('Putting the image together');
  await call('chmod', ['-R', 'u+rwX,a+rX', root], signal);
  for (const path of recipe.remove) await rm(join(root, path), { recursive: true, force: true });
  await addBasics(root);
  await addLinks(root, recipe);
  await addBusybox(root, signal);
  return pack(root, dir, signal);
}

/**
 * Of another release of Debian, programs may be called otherwise: an image without them would be
 * ready, and fail in every run.
 */
async function addLinks(root: string, { name, links }: Recipe): Promise<void> {
  for (const [path, targets] of Object.entries(links)) {
    const folder = dirname(path);
    const there = new Set(await readdir(join(root, folder)));
    const target = targets.find((one) => there.has(one));
    if (!target) {
      throw new ImageProblem(
        `The packages that apt has on this machine bring no /${join(folder, targets[0] ?? '')}, which the image ${name} needs; those of Debian 12 and 13 do.`,
      );
    }
    await symlink(target, join(root, path));
  }
}

/** Each through a pipe of its own, so that a folder that is a link here stays one. */
async function unpack(packages: readonly string[], root: string, signal: AbortSignal) {
  const script = `set -e
    root=$1; shift
    for package; do
      dpkg-deb --fsys-tarfile "$package" > "$root.tar"
      tar -xf "$root.tar" -C "$root" --keep-directory-symlink --no-same-owner
    done
    rm -f "$root.tar"`;
  await call('sh', ['-c', script, 'unpack', root, ...packages], signal);
}

async function addBasics(root: string): Promise<void> {
  for (const folder of ['etc', 'tmp', 'var/tmp', 'run', 'data', 'proc', 'sys', 'dev']) {
    await mkdir(join(root, folder), { recursive: true });
  }
  for (const folder of ['tmp', 'var/tmp']) await chmod(join(root, folder), 0o1777);
  const people = ['root:x:0:0:root:/:/bin/sh', 'nobody:x:65534:65534:nobody:/tmp:/bin/sh'];
  await writeFile(join(root, 'etc/passwd'), `${people.join('\n')}\n`);
  await writeFile(join(root, 'etc/group'), 'root:x:0:\nnogroup:x:65534:\n');
}

/** The tools of busybox, where no package has a better one. */
async function addBusybox(root: string, signal: AbortSignal): Promise<void> {
  const busybox = join(root, 'usr/bin/busybox');
  const tools = (await call(busybox, ['--list'], signal)).split('\n').filter(Boolean);
  const taken = new Set([
    ...(await readdir(join(root, 'usr/bin'))),
    ...(await readdir(join(root, 'usr/sbin'))),
  ]);
  for (const tool of tools) {
    if (!taken.has(tool)) await symlink('busybox', join(root, 'usr/bin', tool));
  }
}

const reproducible = [
  ...['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'],
];

async function pack(root: string, dir: string, signal: AbortSignal): Promise<Layer> {
  const tar = join(dir, 'layer.tar');
  await call('tar', [...reproducible, '-C', root, '-cf', tar, '.'], signal);
  await rm(root, { recursive: true, force: true });
  const diff_id = await digestOfFile(tar);
  // The fastest level: the bytes rarely leave the machine, and half the time is saved.
  await call('gzip', ['-1', '-n', tar], signal);
  const path = `${tar}.gz`;
  const architecture = architectureOf(process.arch, endianness());
  const digest = await digestOfFile(path);
  return { path, digest, size_bytes: (await stat(path)).size, diff_id, architecture };
}

export async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
}
