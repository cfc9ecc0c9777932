/** Saves many files, several at once, with progress; one that fails does not stop the others. */

import { join } from 'node:path';
import { anyOf } from '@cogworks/sdk/any-of';
import type { Cli } from './command.ts';
import { isAboutOne, noteFault } from './errors.ts';
import { saveSmall } from './save-small.ts';
import { makeFolder, saveFile, type Wanted } from './saving.ts';
import { howToGoOn, openTransfers, type TransferEnd } from './transfer-progress.ts';
import { size } from './words.ts';

export type Saved = { cog_id: number; path: string };

export type SaveOptions = {
  /** A folder that exists. */
  into: string;
  /** Otherwise existing files with other contents are kept, and saving them fails. */
  overwrite: boolean;
};

const atOnce = 4;

/**
 * @returns those that are there now, in their order.
 * @throws the first error that concerns them all; the signal's reason.
 */
export async function saveFiles(
  cli: Cli,
  files: readonly Wanted[],
  { into, overwrite }: SaveOptions,
): Promise<Saved[]> {
  const stopping = new AbortController();
  const signal = anyOf(cli.signal, stopping.signal);
  using progress = openTransfers(cli.screen, 'Download', files, (error) => noteFault(cli, error));
  const saved: (Saved | undefined)[] = files.map(() => undefined);
  const save = async (at: number, file: Wanted): Promise<TransferEnd> => {
    const path = join(into, file.to);
    const place = { path, overwrite };
    const { isThere, size_bytes } = await saveFile({ ...cli, signal }, file, place, {
      sized: (bytes) => progress.sized(at, bytes),
      moved: (bytes, there) => progress.moved(at, bytes, there),
    });
    saved[at] = { cog_id: file.id, path };
    if (isThere) return { words: 'there already', isSkipped: true };
    return { words: `${size(size_bytes)}, ${file.checksum_sha256 ? 'checksum verified' : 'ZIP'}` };
  };
  await saveSmall({ ...cli, signal }, files, into, (at, path) => {
    const { id, size_bytes } = files[at] ?? { id: 0, size_bytes: 0 };
    saved[at] = { cog_id: id, path };
    progress.ended(at, { words: `${size(size_bytes)}, checksum verified` });
  });
  const queue = files.entries();
  const work = async () => {
    for (const [at, file] of queue) {
      if (signal.aborted) return;
      if (saved[at]) continue;
      const end = await save(at, file).catch((error: unknown) => ({ error }));
      if ('error' in end && !(await isAboutOne({ ...cli, signal }, end.error))) {
        stopping.abort(end.error);
        return;
      }
      progress.ended(at, end);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (cli.signal.aborted) cli.screen.note(howToGoOn('The'));
  signal.throwIfAborted();
  return saved.flatMap((one) => one ?? []);
}

/**
 * Makes folders, each after the one that it is in.
 *
 * @returns the paths of those that could not be made, each told with its reason.
 */
export async function makeFolders(
  cli: Cli,
  folders: readonly string[],
  into: string,
): Promise<string[]> {
  const failed: string[] = [];
  for (const folder of folders) {
    cli.signal.throwIfAborted();
    if (isIn(folder, failed)) continue;
    try {
      await makeFolder(join(into, folder));
    } catch (error) {
      if (!(await isAboutOne(cli, error))) throw error;
      failed.push(folder);
      cli.screen.note(`${cli.screen.paint('red', '✗')} Folder ${folder}`);
      noteFault(cli, error);
    }
  }
  return failed;
}

/** Whether a path is in one of the folders. */
export const isIn = (path: string, folders: readonly string[]) =>
  folders.some((folder) => path.startsWith(`${folder}/`));
