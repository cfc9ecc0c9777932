/**
 * Uploads folders of this machine, with all that is in them. Repeated after a break, it goes on with
 * the large files that were begun. For Node; in browsers `uploadMany` takes `File`s.
 */
import { resolve } from 'node:path';
import type { Client } from './client.ts';
import { folderPaths } from './folder-paths.ts';
import { checksumOf, type LocalFile, type LocalTree, localTree, openLocal } from './local-files.ts';
import { allRows } from './pages.ts';
import type { Slots } from './slots.ts';
import { chunk_size, type Taken } from './upload-announcements.ts';
import { type ManyOutcome, uploadMany } from './upload-many.ts';

export type LocalUploadOptions = {
  /** Where it goes to; omitted for the root. */
  parent_id?: number | undefined;
  /** Requests under way at once; may be shared with other uploads. Eight unless given. */
  slots?: Slots | undefined;
  /** As of `uploadMany`. */
  onTaken?: ((paths: string[]) => Taken | Promise<Taken>) | undefined;
  /** Called often. @param at the place of the file in the tree. */
  onProgress?: ((at: number, sent_bytes: number) => void) | undefined;
  onEnded?: ((at: number, outcome: ManyOutcome) => void) | undefined;
  signal?: AbortSignal | undefined;
};

export type FolderOptions = LocalUploadOptions & {
  /** The folder on this machine. */
  path: string;
  /** Its name there; its own unless given. */
  name?: string | undefined;
};

export type LocalOutcome = {
  /** Of the files, in their order. */
  outcomes: ManyOutcome[];
  /** Folders without files that could not be made. */
  folders: { path: string; error: unknown }[];
};

/**
 * Uploads a folder. A file that fails does not affect the others.
 *
 * @returns the outcomes, and what was left out.
 * @throws if there is no such folder; TypeError if the network fails at the beginning.
 */
export async function uploadFolder(
  client: Client,
  { path, name, ...options }: FolderOptions,
): Promise<LocalOutcome & Pick<LocalTree, 'left'>> {
  const tree = await localTree(resolve(path), name);
  return { ...(await uploadLocal(client, tree, options)), left: tree.left };
}

/** Uploads what `localTree` found. */
export async function uploadLocal(
  client: Client,
  { files, empty }: Pick<LocalTree, 'files' | 'empty'>,
  options: LocalUploadOptions,
): Promise<LocalOutcome> {
  const { parent_id, slots, onTaken, onProgress, onEnded, signal } = options;
  const begun = await findBegun(client, files, options);
  const outcomes = await uploadMany(client, {
    ...{ parent_id, slots, onTaken, signal },
    files: files.map((file, at) => ({
      path: file.name,
      bytes: () => openLocal(file.path),
      checksum: () => checksumOf(file.path, signal),
      upload_id: begun.get(at),
      keep: isResumable(file),
      onProgress: (sent_bytes) => onProgress?.(at, sent_bytes),
      onEnded: (outcome) => onEnded?.(at, outcome),
    })),
  });
  return { outcomes, folders: await makeEmpty(client, empty, options) };
}

const isResumable = ({ size_bytes }: LocalFile) => size_bytes > chunk_size;

/** The uploads of these files that broke off before, by their places in the list. */
async function findBegun(
  client: Client,
  files: readonly LocalFile[],
  { parent_id, signal }: LocalUploadOptions,
): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  const large = files.map((file, at) => ({ ...file, at })).filter(isResumable);
  if (large.length === 0) return found;
  const byContent = Map.groupBy(large, ({ name, size_bytes }) => keyOf(lastOf(name), size_bytes));
  const base = parent_id ?? (await client.getRootCog({ signal })).id;
  const { folder } = folderPaths(client, { parent_id: base, signal });
  for await (const begun of allRows(client, 'listUploads', { query: { limit: 1000 }, signal })) {
    if (begun.state !== 'open' && begun.state !== 'completing') continue;
    for (const { at, name } of byContent.get(keyOf(begun.name, begun.file_size)) ?? []) {
      if (found.has(at) || (await folder(foldersOf(name))) !== begun.parent_id) continue;
      found.set(at, begun.upload_id);
      break;
    }
  }
  return found;
}

const keyOf = (name: string, size: number) => `${size} ${name.normalize()}`;
const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const foldersOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Folders of files are made with them. */
async function makeEmpty(
  client: Client,
  paths: readonly string[],
  { parent_id, signal }: LocalUploadOptions,
): Promise<LocalOutcome['folders']> {
  const { ensureFolder } = folderPaths(client, { parent_id, signal });
  const failed: LocalOutcome['folders'] = [];
  for (const path of paths) {
    if (signal?.aborted) break;
    await ensureFolder(path).catch((error: unknown) => failed.push({ path, error }));
  }
  return failed;
}
