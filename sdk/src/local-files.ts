/** Files and folders of this machine, to be uploaded. For Node; browsers have `File`s. */
import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** `name` is its path in the folder that it is sent to, separated by "/". */
export type LocalFile = { path: string; name: string; size_bytes: number };

export type LocalTree = {
  files: LocalFile[];
  /** The names of folders with nothing in them that could be sent. */
  empty: string[];
  /** What is not sent, and why: no file, or a fault such as a folder that cannot be read. */
  left: { name: string; reason: string; isFault: boolean }[];
};

/**
 * A file, or a folder with all that is in it, by name. Links to folders are not followed.
 *
 * @param name its name where it is sent to; its own unless given.
 * @throws if there is nothing, or something else.
 */
export async function localTree(path: string, name = basename(resolve(path))): Promise<LocalTree> {
  const tree: LocalTree = { files: [], empty: [], left: [] };
  const found = await stat(path);
  if (found.isDirectory()) await addFolder(tree, path, name);
  else if (found.isFile()) tree.files.push({ path, name, size_bytes: found.size });
  else throw new Error(`${path} is ${kindOf(found)}, neither a file nor a folder.`);
  return tree;
}

async function addFolder(tree: LocalTree, path: string, name: string): Promise<void> {
  const leave = (what: string, reason: string, isFault: boolean) =>
    void tree.left.push({ name: what, reason, isFault });
  const entries = await readdir(path, { withFileTypes: true }).catch((error: Error) => {
    leave(name, error.message, true);
  });
  if (!entries) return;
  const before = tree.files.length + tree.empty.length;
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = join(path, entry.name);
    const insideName = `${name}/${entry.name}`;
    if (entry.isDirectory()) {
      await addFolder(tree, inside, insideName);
      continue;
    }
    const found = await stat(inside).catch((error: Error) => error);
    if (found instanceof Error) {
      leave(insideName, entry.isSymbolicLink() ? 'a link to nothing' : found.message, true);
    } else if (found.isFile()) {
      tree.files.push({ path: inside, name: insideName, size_bytes: found.size });
    } else leave(insideName, kindOf(found), false);
  }
  if (tree.files.length + tree.empty.length === before) tree.empty.push(name);
}

type Kind = Pick<Awaited<ReturnType<typeof stat>>, 'isDirectory' | 'isFIFO' | 'isSocket'>;

function kindOf(found: Kind): string {
  if (found.isDirectory()) return 'a link to a folder';
  if (found.isFIFO()) return 'a pipe';
  return found.isSocket() ? 'a socket' : 'a device';
}

/**
 * The bytes of a file, read while they are sent.
 *
 * @throws if it cannot be read, with the code of the file system. `openAsBlob` notices it later, and
 *   without a reason.
 */
export async function openLocal(path: string): Promise<Blob> {
  await (await open(path, 'r')).close();
  return openAsBlob(path);
}

/** Its SHA-256, hexadecimal. */
export async function checksumOf(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, signal ? { signal } : {});
  return hash.digest('hex');
}
