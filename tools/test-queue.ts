/**
 * Test files that a few processes take from one queue, one file after another: most of what a short
 * file needs is the start of its process, above all to load the server. Each file has servers,
 * databases and hooks of its own (server/test/end-of-file.ts).
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type TestFiles = {
  /** Taken one after another, in this order. All paths are below the root. */
  queue: readonly string[];
  /** Each in a process of its own. */
  alone: readonly string[];
};

type Options = {
  /** How many processes run at the same time. */
  atOnce: number;
  /** Empty. What has been taken is noted in it. */
  folder: string;
  root: string;
  /** Whether tests are chosen by name: the path of a file must match none of these patterns then. */
  isByName: boolean;
};

/**
 * Writes a test file for each process. Their names sort in the order in which they should start,
 * because `node --test` sorts what it is given.
 */
export async function writeProcesses(
  { queue, alone }: TestFiles,
  { atOnce, folder, root, isByName }: Options,
): Promise<string[]> {
  const shared = startOf(root, isByName);
  // Those alone mostly wait: from the start, one of them runs beside what keeps the cores busy.
  const first = Math.max(1, atOnce - 1);
  const takers = Array<string>(Math.min(atOnce, queue.length)).fill(takerOf(shared, queue, root));
  const texts = [
    ...takers.slice(0, first),
    ...alone.map((file) => aloneOf(shared, file, root)),
    ...takers.slice(first),
  ];
  return Promise.all(
    texts.map(async (text, at) => {
      const path = join(folder, `${String(at).padStart(3, '0')}.test.ts`);
      await writeFile(path, text);
      return path;
    }),
  );
}

const takerOf = (shared: string, files: readonly string[], root: string) => `
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
${shared}
const queue = ${JSON.stringify(files.map((file) => [file, urlOf(file, root)]))};

// A folder can be made once.
const take = (at) => {
  try {
    mkdirSync(join(import.meta.dirname, \`taken-\${at}\`));
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
};

for (const [at, [file, url]] of queue.entries()) {
  if (take(at)) await run(file, url);
}
await endOfProcess();
`;

const aloneOf = (shared: string, file: string, root: string) => `${shared}
await run(${JSON.stringify(file)}, ${JSON.stringify(urlOf(file, root))});
await endOfProcess();
`;

const startOf = (root: string, isByName: boolean) => `
import { describe } from 'node:test';
import { beginFile, endOfFile, endOfProcess } from '${urlOf('server/test/end-of-file.ts', root)}';

const run = async (file, url) => {
  beginFile(file);
  await describe(${isByName ? "'…'" : 'file'}, () => import(url));
  await endOfFile();
};
`;

const urlOf = (file: string, root: string) => pathToFileURL(join(root, file)).href;
