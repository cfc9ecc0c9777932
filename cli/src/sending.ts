/** Uploads local files and folders to the service. */
import { openAsBlob } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { allRows } from '@cogworks/sdk/pages';
import { Slots } from '@cogworks/sdk/slots';
import { upload } from '@cogworks/sdk/upload';
import { chunk_size, type Taken } from '@cogworks/sdk/upload-announcements';
import { type ManyFile, type ManyOutcome, uploadMany } from '@cogworks/sdk/upload-many';
import type { Cli } from './command.ts';
import { Problem } from './problem.ts';
import { openTransfers, type TransferEnd } from './transfer-progress.ts';
import { size } from './words.ts';

/** `name` is its path in the folder that it is sent to. */
export type LocalFile = { path: string; name: string };
export type LocalKind = 'file' | 'folder' | 'none';

/** What a word is on this machine: a file, a folder, or neither. */
export async function localKind(dir: string, word: string): Promise<LocalKind> {
  const found = await stat(resolve(dir, word)).catch(() => undefined);
  if (!found) return 'none';
  return found.isDirectory() ? 'folder' : 'file';
}

export const localFile = (dir: string, word: string): LocalFile => ({
  path: resolve(dir, word),
  name: basename(resolve(dir, word)),
});

/** The files in a folder and in those inside it, by name. Links to folders are not followed. */
export async function localFiles(folder: LocalFile): Promise<LocalFile[]> {
  const found: LocalFile[] = [];
  const entries = await readdir(folder.path, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = { path: join(folder.path, entry.name), name: `${folder.name}/${entry.name}` };
    if (entry.isDirectory()) found.push(...(await localFiles(inside)));
    else if ((await stat(inside.path).catch(() => undefined))?.isFile()) found.push(inside);
  }
  return found;
}

export type SendOptions = {
  parent_id: number;
  onTaken?: Taken;
  /** Called for each file that was not sent. What it throws stops the others. */
  onFault: (error: unknown) => void;
};

type Opened = LocalFile & { bytes: Blob | undefined; error?: unknown };

/**
 * Uploads files, several at once, with progress, and notes each. A large one that broke off before
 * is resumed.
 *
 * @returns the files that were sent, in their order.
 * @throws what `onFault` throws; the signal's reason.
 */
export async function sendFiles(
  cli: Cli,
  files: readonly LocalFile[],
  { parent_id, onTaken, onFault }: SendOptions,
): Promise<Cog[]> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([cli.signal, stopping.signal]);
  const opened = await Promise.all(files.map(open));
  const items = opened.map(({ name, bytes }) => ({ name, size_bytes: bytes?.size ?? 0 }));
  using progress = openTransfers(cli.screen, 'Upload', items, (error) => {
    if (signal.aborted) return;
    try {
      onFault(error);
    } catch (fatal) {
      stopping.abort(fatal);
    }
  });
  const slots = new Slots(8);
  const begun = await findBegun(cli, opened, parent_id);
  const fresh: ManyFile[] = [];
  const resumed: Promise<void>[] = [];
  const cogs: (Cog | undefined)[] = files.map(() => undefined);
  for (const [at, { name, bytes, error }] of opened.entries()) {
    const onProgress = (sent: number) => progress.moved(at, sent);
    const onEnded = (outcome: Omit<ManyOutcome, 'path'>) => {
      cogs[at] = outcome.cog;
      progress.ended(at, endOf(outcome, bytes?.size ?? 0));
    };
    const upload_id = begun.get(at);
    if (!bytes) onEnded({ error });
    else if (upload_id === undefined) {
      fresh.push({ path: name, bytes, keep: isResumable({ name, bytes }), onProgress, onEnded });
    } else {
      const options = { name, bytes, upload_id, keep: true, slots, onProgress, signal };
      const sending = upload(cli.client, options);
      resumed.push(
        sending
          .then(
            (cog) => ({ cog }),
            (failure) => ({ error: failure }),
          )
          .then(onEnded),
      );
    }
  }
  const decision = onTaken && { onTaken: () => onTaken };
  await uploadMany(cli.client, { parent_id, files: fresh, slots, signal, ...decision });
  await Promise.all(resumed);
  signal.throwIfAborted();
  return cogs.flatMap((cog) => cog ?? []);
}

function endOf({ cog, error, isSkipped }: Omit<ManyOutcome, 'path'>, bytes: number): TransferEnd {
  if (cog) return { words: size(bytes) };
  return isSkipped ? { words: 'exists already, skipped', isSkipped } : { error };
}

async function open(file: LocalFile): Promise<Opened> {
  const bytes = await openAsBlob(file.path).catch((error: unknown) => {
    return new Problem(`${file.path} cannot be read: ${String(error)}`);
  });
  return bytes instanceof Problem
    ? { ...file, bytes: undefined, error: bytes }
    : { ...file, bytes };
}

/** Large, and directly in the folder, so that its upload is found again by its name. */
const isResumable = ({ name, bytes }: Pick<Opened, 'name' | 'bytes'>) =>
  bytes !== undefined && bytes.size > chunk_size && !name.includes('/');

/** The uploads of these files that broke off before, by their places in the list. */
async function findBegun(
  { client, signal }: Cli,
  files: readonly Opened[],
  parent_id: number,
): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  if (!files.some(isResumable)) return found;
  for await (const begun of allRows(client, 'listUploads', { signal })) {
    const at = files.findIndex(
      (file) =>
        isResumable(file) &&
        file.name.normalize() === begun.name &&
        file.bytes?.size === begun.file_size &&
        begun.parent_id === parent_id,
    );
    if (at >= 0 && begun.state === 'open' && !found.has(at)) found.set(at, begun.upload_id);
  }
  return found;
}
