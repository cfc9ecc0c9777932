/**
 * Matches files a program left in /data/outputs with the outputs its node declares. The program has
 * ended, so nothing changes any more, but nothing there is trusted: links may lead out of the
 * folder, names may be invalid, there may be devices and pipes. Only regular files count, and links
 * are never followed.
 */
import type { Dirent, Stats } from 'node:fs';
import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { AttemptError } from '../attempt-error.ts';
import { compileGlob } from './glob.ts';
import { cleanName, spelledOut, withSuffix } from './names.ts';
import type { DeclaredOutput, OutputFile } from './types.ts';

const mostDepth = 64;
const mostMatches = 10_000;

type Entry = {
  /** Relative to the outputs folder, with `/`. */
  relative: string;
  path: string;
  size: number;
  kind: 'file' | 'link' | 'other';
  name: string;
  /** Set if the program's own name is not valid. */
  renamed_from?: string;
};

/** In the order of declarations, then by path. */
export async function collectOutputs(
  folder: string,
  declared: readonly DeclaredOutput[],
): Promise<OutputFile[]> {
  const entries = await listEntries(folder, '', 0);
  entries.sort((a, b) => (a.relative < b.relative ? -1 : 1));
  return declared.flatMap((output) => matchOutput(output, entries));
}

function matchOutput(output: DeclaredOutput, entries: readonly Entry[]): OutputFile[] {
  const matches = compileGlob(output.glob);
  const found = entries.filter((entry) => matches(entry.relative));
  const files = found.filter((entry) => entry.kind === 'file');
  const where = `"${output.name}" (${output.glob})`;

  if (output.cardinality === 'one' && files.length === 0) {
    const link = found.some((entry) => entry.kind === 'link');
    throw new AttemptError(
      'output_missing',
      link
        ? `The program made only a symbolic link for the output ${where}; links are not taken.`
        : `The program ended well but left no file for the output ${where}.`,
    );
  }
  if (output.cardinality !== 'many' && files.length > 1) {
    throw new AttemptError(
      'output_invalid',
      `The program left ${files.length} files for the output ${where}, which takes one.`,
    );
  }
  if (files.length > mostMatches) {
    throw new AttemptError(
      'output_invalid',
      `The program left ${files.length} files for the output ${where}; at most ${mostMatches} are taken.`,
    );
  }
  return files.map(({ relative: _, kind: __, ...file }) => ({ port: output.name, ...file }));
}

async function listEntries(folder: string, prefix: string, depth: number): Promise<Entry[]> {
  if (depth > mostDepth) {
    throw new AttemptError(
      'output_invalid',
      `The program nested its outputs more than ${mostDepth} folders deep.`,
    );
  }
  const entries: Entry[] = [];
  for (const entry of await readFolder(folder)) {
    const written = entry.name as unknown as Buffer;
    const onDisk = await usableName(folder, written);
    const path = join(folder, onDisk);
    const relative = prefix + onDisk;
    const stat = await lstat(path);
    if (stat.isDirectory()) entries.push(...(await listEntries(path, `${relative}/`, depth + 1)));
    else {
      const size = stat.size;
      entries.push({ relative, path, size, kind: kindOf(stat), ...keptName(onDisk, written) });
    }
  }
  return entries;
}

/** The program's name as NFC; also the original name, if it had to be changed. */
function keptName(onDisk: string, written: Buffer): Pick<Entry, 'name' | 'renamed_from'> {
  const name = cleanName(onDisk);
  const isKept = name === onDisk.normalize('NFC') && written.equals(Buffer.from(onDisk));
  return isKept ? { name } : { name, renamed_from: spelledOut(written) };
}

const kindOf = (stat: Stats) => (stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : 'other');

/** Names as bytes, because a file whose name is not UTF-8 cannot be opened by a string. */
async function readFolder(folder: string): Promise<Dirent<Buffer>[]> {
  const read = () => readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  return read().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error;
    await chmod(folder, 0o700);
    return read();
  });
}

/** Renames a file whose name is not UTF-8, so that its path can be a string. @returns its name. */
async function usableName(folder: string, bytes: Buffer): Promise<string> {
  const text = bytes.toString('utf8');
  if (Buffer.from(text).equals(bytes)) return text;
  for (let n = 1; ; n++) {
    const name = withSuffix(cleanName(text), n === 1 ? '' : ` (${n})`);
    const isFree = await lstat(join(folder, name)).then(
      () => false,
      () => true,
    );
    if (!isFree) continue;
    await rename(Buffer.concat([Buffer.from(`${folder}/`), bytes]), join(folder, name));
    return name;
  }
}

/** Opens a collected output. Refuses anything that is not, or no longer, a plain file. */
export async function openOutput(file: Pick<OutputFile, 'path' | 'name'>): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const opened = await open(file.path, flags)
    .catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES') throw error;
      await chmod(file.path, 0o600);
      return open(file.path, flags);
    })
    .catch((cause: unknown) => {
      throw unreadable(file.name, cause);
    });
  if ((await opened.stat()).isFile()) return opened;
  await opened.close();
  throw unreadable(file.name);
}

const unreadable = (name: string, cause?: unknown) =>
  new AttemptError('output_invalid', `The output file "${name}" cannot be read.`, { cause });
