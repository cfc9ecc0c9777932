/** Uploads local files to the service. */
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { uploadFile } from '@cogworks/sdk/upload-form';
import type { Cli } from './command.ts';
import { Problem } from './problem.ts';
import { bar, size } from './words.ts';

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

/** Uploads one file, with progress. @throws ApiError, e.g. 409 if the name is taken. */
export function sendFile(cli: Cli, { path, name }: LocalFile, parent_id: number): Promise<Cog> {
  const { client, screen, signal } = cli;
  return screen.step(`Upload ${name}`, async (say) => {
    const bytes = await openAsBlob(path).catch((error: unknown) => {
      throw new Problem(`${path} cannot be read: ${String(error)}`);
    });
    const onProgress = (sent: number) =>
      say(`${bar(sent / (bytes.size || 1), screen.paint)}  ${size(sent)} of ${size(bytes.size)}`);
    const cog = await uploadFile(client, { name, bytes, parent_id, onProgress, signal });
    return { words: size(bytes.size), value: cog };
  });
}
