/**
 * Test files that run in one process, one after another: half of what a short file needs is the
 * start of its process, above all to load the server. Each has servers, databases and hooks of its
 * own (server/test/end-of-file.ts).
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Writes a test file for each group of files, which are paths below the root. The names of the
 * written ones sort in the order of the groups, because `node --test` sorts what it is given.
 */
export async function groupFiles(
  groups: readonly (readonly string[])[],
  folder: string,
  root: string,
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  return Promise.all(
    groups.map(async (files, at) => {
      const path = join(folder, `${String(at).padStart(3, '0')}.test.ts`);
      await writeFile(path, groupOf(files, root));
      return path;
    }),
  );
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
