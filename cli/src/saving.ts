/** Saves files of the service locally, and verifies their checksums. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Cli } from './command.ts';
import { Problem } from './problem.ts';
import { bar, size } from './words.ts';

/** A file as the service records it. */
export type Recorded = { id: number; name: string; size_bytes: number; checksum_sha256: string };
export type Saved = { cog_id: number; path: string };
export type SaveOptions = {
  into: string;
  /** Otherwise an existing file with other contents is kept, and saving fails. */
  overwrite: boolean;
};

/** @throws Problem if files cannot be saved there; nothing is created yet. */
export async function checkFolder(into: string): Promise<void> {
  const found = await stat(into).catch(() => undefined);
  if (found && !found.isDirectory()) throw new Problem(`${into} is a file, not a folder.`);
}

/**
 * Saves one file, with progress. It appears under its name only when complete.
 *
 * @throws Problem if its bytes do not match the record, or another file exists in its place.
 */
export function saveFile(
  cli: Cli,
  file: Recorded,
  { into, overwrite }: SaveOptions,
): Promise<Saved> {
  return cli.screen.step(`Download ${file.name}`, async (say) => {
    await mkdir(into, { recursive: true });
    const path = join(into, basename(file.name));
    const value = { cog_id: file.id, path };
    const present = await checksumOf(path);
    if (present === file.checksum_sha256) return { words: 'there already', value };
    if (present !== undefined && !overwrite) {
      throw new Problem(
        `${path} is there already with other contents; --overwrite replaces it, --into DIR saves elsewhere.`,
      );
    }
    const partial = join(into, `.${randomUUID()}.partial`);
    try {
      await fetchInto(cli, file, partial, say);
      await rename(partial, path);
    } finally {
      await rm(partial, { force: true });
    }
    return { words: `${size(file.size_bytes)}, checksum verified`, value };
  });
}

async function fetchInto(cli: Cli, file: Recorded, partial: string, say: (text: string) => void) {
  const { client, screen, signal } = cli;
  const { body } = await client.downloadCog({ path: { id: file.id }, signal });
  const hash = createHash('sha256');
  let received = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of body ?? []) {
      hash.update(chunk);
      received += chunk.byteLength;
      const amounts = `${size(received)} of ${size(file.size_bytes)}`;
      say(`${bar(received / (file.size_bytes || 1), screen.paint)}  ${amounts}`);
      yield chunk;
    }
  };
  await writeFile(partial, counted(), { flag: 'wx', signal });
  const checksum = hash.digest('hex');
  if (checksum !== file.checksum_sha256) {
    throw new Problem(
      `${file.name} came with checksum ${checksum}, but is recorded with ${file.checksum_sha256}. It is not kept.`,
    );
  }
}

/** @returns undefined if there is no such file. */
async function checksumOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return undefined;
  if (!found.isFile()) throw new Problem(`${path} is not a file, so nothing can be saved there.`);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}
