/**
 * An image in a folder: its layer and what is known of it. Folders can be carried to installations
 * that have no network.
 */
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { architectureOf } from '@cogworks/graph/architectures';
import type { ImageName } from '../recipes/all.ts';
import type { Recipe } from '../recipes/recipe.ts';
import { digestOfFile, type Layer, makeLayer } from './layer.ts';
import { fetchPackages } from './packages.ts';
import { ImageProblem, requirePrograms } from './programs.ts';

export type Making = {
  /** Where to work: a folder below it is made, and removed in the end. */
  dir: string;
  signal: AbortSignal;
  say: (step: string) => void;
  /** Further settings of apt, for tests. */
  apt?: readonly string[];
};

const folderOf = ({ name, tag }: ImageName) => `${name}-${tag}`;

/** Makes an image, and gives it to `use` before it is removed. */
export async function withImage<T>(
  recipe: Recipe,
  { dir, signal, say, apt = [] }: Making,
  use: (layer: Layer) => Promise<T>,
): Promise<T> {
  await requirePrograms(signal);
  await mkdir(dir, { recursive: true });
  const folder = await mkdtemp(join(dir, `${recipe.name}-`));
  try {
    const places = { dir: folder, signal };
    const packages = await fetchPackages({ ...places, settings: apt }, recipe.packages, say);
    const layer = await makeLayer(recipe, packages, { ...places, say });
    say(`Storing ${(layer.size_bytes / 1e6).toFixed(0)} MB`);
    return await use(layer);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Makes an image into a folder, unless it is there. */
export async function makeInto(
  into: string,
  image: ImageName,
  recipe: Recipe,
  making: Omit<Making, 'dir'>,
): Promise<void> {
  if (await readMade(into, image)) return;
  await withImage(recipe, { ...making, dir: into }, async ({ path, ...layer }) => {
    const folder = await mkdtemp(join(into, 'made-'));
    await rename(path, join(folder, 'layer.tar.gz'));
    await writeFile(join(folder, 'image.json'), JSON.stringify(layer));
    // Who takes it to another machine need not be who made it.
    await chmod(folder, 0o755);
    // Of two that are made at the same time, one stays.
    await rename(folder, join(into, folderOf(image))).catch(() =>
      rm(folder, { recursive: true, force: true }),
    );
  });
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw new ImageProblem(`The folder of images cannot be read. (${error.message})`);
}

/** The image in a folder; undefined if it is not there. @throws ImageProblem if it is damaged. */
export async function readMade(from: string, image: ImageName): Promise<Layer | undefined> {
  const folder = join(from, folderOf(image));
  const path = join(folder, 'layer.tar.gz');
  const text = await readFile(join(folder, 'image.json'), 'utf8').catch(unlessMissing);
  const size = (await stat(path).catch(unlessMissing))?.size;
  if (text === undefined || size === undefined) return undefined;
  // Folders of earlier releases do not say for which processors they are.
  const own = { architecture: architectureOf(process.arch, endianness()) };
  const layer: Omit<Layer, 'path'> = { ...own, ...JSON.parse(text) };
  if (size === layer.size_bytes && (await digestOfFile(path)) === layer.digest)
    return { ...layer, path };
  throw new ImageProblem(`The image in ${folder} is damaged: remove that folder.`);
}
