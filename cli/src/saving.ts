/**
 * Saves a file of the service on this machine. It appears under its name only when it is complete
 * and its checksum is verified. Until then it is a hidden partial file beside it, which the next
 * attempt goes on with, also that of another program.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ContentChanged, type Downloading, download, type Have } from '@cogworks/sdk/download';
import type { Cli } from './command.ts';
import { Problem } from './problem.ts';

/** What is saved: a file, or a folder as a ZIP. */
export type Source = {
  id: number;
  /** Of a file; the current one unless given. */
  version?: number | undefined;
  size_bytes: number;
  /** Of a file, as recorded when it was found. */
  checksum_sha256?: string | undefined;
  /** Whether only the recorded content is wanted; otherwise a newer one is saved instead. */
  isPinned?: boolean | undefined;
};

/** A file to save. `name` is its name for people, `to` its path in the folder that it is saved in. */
export type Wanted = Source & { name: string; to: string };
export type Place = {
  path: string;
  /** Otherwise an existing file with other contents is kept, and saving fails. */
  overwrite: boolean;
};

export type SaveProgress = {
  sized?: ((size_bytes: number) => void) | undefined;
  moved?: ((bytes: number, there: number) => void) | undefined;
};

/** Less than this is fetched again rather than left behind. */
const leastKept_bytes = 1024 ** 2;
/** How often a content that changes meanwhile, or a spoiled partial file, is begun anew. */
const mostBeginnings = 3;

/** @throws Problem if files cannot be saved there; nothing is created yet. */
export async function checkFolder(into: string): Promise<void> {
  const found = await stat(into).catch(() => undefined);
  if (found && !found.isDirectory()) throw new Problem(`${into} is a file, not a folder.`);
}

/** Makes the folder, and those above. @throws Problem if it is a file. */
export async function makeTarget(into: string): Promise<void> {
  await checkFolder(into);
  if (await stat(into).catch(() => undefined)) return;
  // One by one: `recursive` of Node never ends below /proc, and hides why a disk refuses.
  if (dirname(into) !== into) await makeTarget(dirname(into));
  await makeFolder(into);
}

/**
 * Makes a folder inside one that exists.
 *
 * @throws Problem if something else is there; also a link to a folder, which would lead elsewhere.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const found = await lstat(path);
    if (found.isDirectory()) return;
    const what = found.isSymbolicLink() ? 'a link' : 'a file';
    throw new Problem(`${path} is ${what}, so no folder can be there; move it, or save elsewhere.`);
  }
}

/**
 * @returns whether it was there already.
 * @throws Problem if its bytes do not match the record, or another file exists in its place.
 */
export async function saveFile(
  cli: Cli,
  source: Source,
  { path, overwrite }: Place,
  progress: SaveProgress = {},
): Promise<{ isThere: boolean; size_bytes: number }> {
  const { size_bytes } = source;
  if (await isSaved(path, source)) return { isThere: true, size_bytes };
  if (!overwrite) await requireFree(path);
  for (let beginning = 1; ; beginning++) {
    const have = await leftOver(dirname(path), source);
    try {
      const partial = await fetchPartial(cli, source, dirname(path), have, progress);
      // The download may have taken long.
      if (!overwrite) await requireFree(path);
      await rename(partial.path, path);
      return { isThere: false, size_bytes: partial.size_bytes };
    } catch (error) {
      const isPassing = error instanceof ContentChanged || (error instanceof Spoiled && have);
      if (!isPassing || beginning === mostBeginnings) throw error;
    }
  }
}

/** The bytes that came are not those that were announced. */
class Spoiled extends Problem {}

/** @throws Problem if what is there is no file. */
async function isSaved(path: string, { size_bytes, checksum_sha256 }: Source): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return false;
  if (!found.isFile()) throw new Problem(`${path} is not a file, so nothing can be saved there.`);
  if (checksum_sha256 === undefined || found.size !== size_bytes) return false;
  const hash = createHash('sha256');
  await addFile(hash, path);
  return hash.digest('hex') === checksum_sha256;
}

async function requireFree(path: string): Promise<void> {
  if (!(await lstat(path).catch(() => undefined))) return;
  throw new Problem(
    `${path} is there already with other contents; --overwrite replaces it, --into DIR saves elsewhere.`,
  );
}

const tagsOfPartials = /^\.cogworks-([\d.]+)-([\w.~-]{1,100})\.partial$/;
const keyOf = ({ id, version }: Pick<Source, 'id' | 'version'>) =>
  version === undefined ? `${id}` : `${id}.${version}`;

/** Of an ETag, as it is in the name of a partial file; `undefined` if it cannot be in one. */
const tagOf = (etag: string) => /^"([\w.~-]{1,100})"$/.exec(etag)?.[1];

type Partial = Have & { path: string };

/** The partial file of an earlier attempt. Of a file whose content is known, only of that content. */
async function leftOver(dir: string, source: Source): Promise<Partial | undefined> {
  const { checksum_sha256 } = source;
  const names =
    checksum_sha256 === undefined
      ? await readdir(dir)
      : [partialName(source, `"${checksum_sha256}"`)];
  for (const name of names) {
    const [, key, tag] = tagsOfPartials.exec(name) ?? [];
    if (key !== keyOf(source)) continue;
    const path = join(dir, name);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFile()) return { path, etag: `"${tag}"`, bytes: found.size };
  }
  return undefined;
}

/** The name of the hidden file that the bytes go to until all are there. */
export const partialName = (source: Pick<Source, 'id' | 'version'>, etag: string) =>
  `.cogworks-${keyOf(source)}-${tagOf(etag) ?? 'unknown'}.partial`;

/** Fetches all bytes, or those that are missing. @returns the complete partial file. */
async function fetchPartial(
  { client, signal }: Cli,
  source: Source,
  dir: string,
  have: Partial | undefined,
  { sized, moved }: SaveProgress,
): Promise<{ path: string; size_bytes: number }> {
  const downloading = await download(client, { ...source, have, signal });
  const { size_bytes, etag, start, bytes } = downloading;
  sized?.(size_bytes);
  requireWanted(source, downloading);
  const path = join(dir, partialName(source, etag));
  // Of a content that is gone.
  if (have && have.path !== path) await rm(have.path, { force: true });
  const hash = createHash('sha256');
  let received = start;
  try {
    if (start > 0) await addFile(hash, path);
    else await rm(path, { force: true });
    await using file = await open(path, start > 0 ? 'a' : 'wx');
    for await (const chunk of bytes) {
      hash.update(chunk);
      await file.appendFile(chunk);
      received += chunk.byteLength;
      moved?.(received, start);
    }
    const difference = differenceOf(source, downloading, hash);
    if (difference) throw new Spoiled(`${difference} It is not kept.`);
    return { path, size_bytes };
  } catch (error) {
    const isUseful = received >= leastKept_bytes && tagOf(etag) !== undefined;
    if (!isUseful || error instanceof Spoiled || error instanceof ContentChanged) {
      await rm(path, { force: true });
    }
    throw error;
  }
}

/** @throws Problem before the first byte is written. */
function requireWanted({ isPinned, checksum_sha256 }: Source, { etag }: Downloading): void {
  if (!isPinned || checksum_sha256 === undefined || etag === `"${checksum_sha256}"`) return;
  throw new Problem('It has a newer content now, so it is not saved; `get --version` has the old.');
}

/** The ETag of a file is its checksum. @returns words if these bytes are others. */
export function differenceOf(
  { checksum_sha256 }: Pick<Source, 'checksum_sha256'>,
  { etag }: Pick<Downloading, 'etag'>,
  hash: Hash,
): string | undefined {
  if (checksum_sha256 === undefined) return undefined;
  const checksum = hash.digest('hex');
  const recorded = tagOf(etag) ?? checksum_sha256;
  if (checksum === recorded) return undefined;
  return `It came with checksum ${checksum}, but is recorded with ${recorded}.`;
}

async function addFile(hash: Hash, path: string): Promise<void> {
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
}
