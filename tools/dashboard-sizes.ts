/**
 * How much compressed script each screen of the built dashboard needs before it shows, and the most
 * that it may need. The build prints it, dashboard/e2e/size.test.ts holds it.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** In bytes; screens without a limit of their own have `most_bytes`. */
export const limits = {
  most_bytes: 300_000,
  screens: { 'files-screen': 245_000, 'analytics-screen': 245_000 } as Record<string, number>,
  /** Of a screen: browsers ask for six at a time, and each takes a trip to the server. */
  most_files: 32,
  /** Charts come when there is one to draw: what they need beyond their screen. */
  charts_bytes: 150_000,
};

export type ScreenSize = { screen: string; bytes: number; most_bytes: number; files: number };

/** A file of the build as Vite's manifest has it, under a key that `imports` name. */
export type Built = { file: string; name?: string; imports?: string[] };

/** The sizes of all screens, the largest first. @param dist the folder of the build. */
export async function screenSizes(dist: string): Promise<ScreenSize[]> {
  const names = Object.values(await manifestOf(dist)).map(({ name = '' }) => name);
  const screens = [...new Set(names.filter((name) => /^\w+(-\w+)*-screen$/.test(name)))];
  const sizes = await Promise.all(
    screens.filter((name) => !name.includes('-and-')).map((screen) => sizeOfScreen(dist, screen)),
  );
  return sizes.toSorted((a, b) => b.bytes - a.bytes);
}

async function sizeOfScreen(dist: string, screen: string): Promise<ScreenSize> {
  const files = await neededFor(dist, screen);
  const most_bytes = limits.screens[screen] ?? limits.most_bytes;
  return { screen, bytes: await sizeOf(dist, files), most_bytes, files: files.size };
}

/** The files of a module that is loaded on first use, with all that it and the page import. */
export async function neededFor(dist: string, module: string): Promise<Set<string>> {
  const manifest = await manifestOf(dist);
  const own = Object.keys(manifest).filter((key) => manifest[key]?.name === module);
  if (own.length === 0) throw new Error(`The dashboard is not built: there is no ${module}.`);

  const needed = new Set(['index.html', ...own]);
  // A set is also walked through what is added meanwhile.
  for (const key of needed) for (const one of manifest[key]?.imports ?? []) needed.add(one);
  return new Set([...needed].flatMap((key) => manifest[key]?.file ?? []));
}

/** What Vite tells of a build. */
export const manifestOf = async (dist: string): Promise<Record<string, Built>> =>
  JSON.parse(await readFile(join(dist, '.vite/manifest.json'), 'utf8'));

/** Of these files together, in bytes, compressed. */
export async function sizeOf(dist: string, files: Iterable<string>): Promise<number> {
  const sizes = await Promise.all(
    Array.from(files, async (file) => (await stat(join(dist, `${file}.br`))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The sizes as a small table. */
export function sizesInWords(sizes: readonly ScreenSize[]): string {
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`.padStart(7);
  const rows = sizes.map(({ screen, bytes, most_bytes, files }) => {
    const name = screen.replace(/-screen$/, '').padEnd(16);
    const fault = bytes > most_bytes ? '  too much' : '';
    return `  ${name}${kB(bytes)} of ${kB(most_bytes)}, ${files} files${fault}`;
  });
  return ['Compressed script that each screen needs before it shows:', ...rows].join('\n');
}

if (import.meta.main) {
  console.log(sizesInWords(await screenSizes(join(import.meta.dirname, '../dashboard/dist'))));
}
