/** Uploads files and folders of this machine to the service, with progress. */

import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { anyOf } from '@cogworks/sdk/any-of';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { type LocalTree, localTree } from '@cogworks/sdk/local-files';
import type { Taken } from '@cogworks/sdk/upload-announcements';
import { uploadLocal } from '@cogworks/sdk/upload-folder';
import type { ManyOutcome } from '@cogworks/sdk/upload-many';
import type { Cli } from './command.ts';
import { Problem } from './problem.ts';
import { howToGoOn, openTransfers, type TransferEnd } from './transfer-progress.ts';
import { size } from './words.ts';

export type LocalKind = 'file' | 'folder' | 'none';

/** What a word is on this machine: a file, a folder, or neither. */
export async function localKind(dir: string, word: string): Promise<LocalKind> {
  const found = await stat(resolve(dir, word)).catch(() => undefined);
  if (!found) return 'none';
  return found.isDirectory() ? 'folder' : 'file';
}

export const localNameOf = (dir: string, word: string) => basename(resolve(dir, word));

/**
 * Files, and folders with all that is in them. Checked before the first byte is sent: a missing file
 * is usually a typing error.
 *
 * @throws Problem with all faults.
 */
export async function findLocal(dir: string, words: readonly string[]): Promise<LocalTree> {
  const faults: string[] = [];
  const tree: LocalTree = { files: [], empty: [], left: [] };
  const names = new Map<string, string>();
  for (const word of words) {
    const name = localNameOf(dir, word);
    const other = names.get(name.normalize());
    names.set(name.normalize(), word);
    if (name === '') faults.push(`${word} has no name; name what is in it.`);
    else if (other !== undefined) faults.push(`${other} and ${word} are both called ${name}.`);
    else if ((await localKind(dir, word)) === 'none') {
      const hint = word === '-' ? ' Stdin cannot be uploaded; save it in a file first.' : '';
      faults.push(`There is no file ${word} on this machine.${hint}`);
    } else {
      const found = await localTree(resolve(dir, word)).catch((error: Error) => error);
      if (found instanceof Error) faults.push(found.message);
      else append(tree, found);
    }
  }
  if (faults.length > 0) throw new Problem(faults.join('\n'));
  return tree;
}

function append({ files, empty, left }: LocalTree, found: LocalTree) {
  // One by one: as arguments of one `push`, a hundred thousand would be too many.
  for (const file of found.files) files.push(file);
  for (const name of found.empty) empty.push(name);
  for (const one of found.left) left.push(one);
}

export type SendOptions = {
  parent_id: number;
  onTaken?: Taken;
  /** Called for each file or folder that was not sent. What it throws stops the others. */
  onFault: (error: unknown) => void;
};

/**
 * Uploads them, several at once, and notes each. A large file that broke off before is resumed.
 *
 * @returns the files that were sent, in their order.
 * @throws what `onFault` throws; the signal's reason.
 */
export async function sendFiles(
  cli: Cli,
  tree: LocalTree,
  { parent_id, onTaken, onFault }: SendOptions,
): Promise<Cog[]> {
  const { files } = tree;
  const { note, paint } = cli.screen;
  const stopping = new AbortController();
  const signal = anyOf(cli.signal, stopping.signal);
  const fault = (error: unknown) => {
    if (signal.aborted) return;
    try {
      onFault(error);
    } catch (fatal) {
      stopping.abort(fatal);
    }
  };
  for (const { name, reason, isFault } of tree.left) {
    if (isFault) {
      note(`${paint('red', '✗')} Upload ${name}`);
      fault(new Problem(reason));
    } else note(`${paint('dim', '-')} Upload ${name}  ${paint('dim', `${reason}, left out`)}`);
  }
  using progress = openTransfers(cli.screen, 'Upload', files, fault);
  const { outcomes, folders } = await uploadLocal(cli.client, tree, {
    ...{ parent_id, signal, ...(onTaken ? { onTaken: () => onTaken } : {}) },
    onProgress: (at, sent_bytes) => progress.moved(at, sent_bytes),
    onEnded: (at, outcome) => {
      // What was stopped did not fail.
      if (!signal.aborted || !outcome.error) progress.ended(at, endOf(outcome));
    },
  });
  for (const { path, error } of folders) {
    note(`${paint('red', '✗')} Folder ${path}`);
    fault(error);
  }
  if (cli.signal.aborted)
    note(howToGoOn(`With --existing ${onTaken === 'replace changed' ? 'changed' : 'skip'} the`));
  signal.throwIfAborted();
  return outcomes.flatMap(({ cog }) => cog ?? []);
}

function endOf({ cog, error, isSkipped, isUnchanged }: ManyOutcome): TransferEnd {
  if (cog) return { words: size(cog.size_bytes ?? 0) };
  const words = isUnchanged ? 'unchanged' : 'exists already, skipped';
  return isSkipped ? { words, isSkipped } : { error };
}
