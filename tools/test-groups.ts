/**
 * Test files that run in one process, one after another: half of what a short file needs is the
 * start of its process, above all to load the server. Each has servers, databases and hooks of its
 * own (server/test/end-of-file.ts).
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Writes a test file to the folder for each so many of the given ones, which are paths below the
 * root. Returns the written ones.
 */
export async function groupFiles(
  files: readonly string[],
  size: number,
  folder: string,
  root: string,
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const groups: Promise<string>[] = [];
  for (let at = 0; at < files.length; at += size) {
    const path = join(folder, `${String(groups.length).padStart(3, '0')}.test.ts`);
    const text = groupOf(files.slice(at, at + size), root);
    groups.push(writeFile(path, text).then(() => path));
  }
  return Promise.all(groups);
}

function groupOf(files: readonly string[], root: string): string {
  const urlOf = (file: string) => JSON.stringify(pathToFileURL(join(root, file)).href);
  return [
    "import { describe } from 'node:test';",
    `import { endOfFile, endOfProcess, severalFiles } from ${urlOf('server/test/end-of-file.ts')};`,
    'severalFiles();',
    ...files.flatMap((file) => [
      `await describe(${JSON.stringify(file)}, () => import(${urlOf(file)}));`,
      'await endOfFile();',
    ]),
    'await endOfProcess();',
    '',
  ].join('\n');
}
