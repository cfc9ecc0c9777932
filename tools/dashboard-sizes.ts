/**
 * How much compressed script each screen of the built dashboard needs before it shows, and the most
 * that it may need. The build prints it, dashboard/e2e/size.test.ts holds it.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** In bytes; screens without a limit of their own have `most_bytes`. */
export const limits = {
  most_bytes: 300_000,
  screens: { 'files-screen': 215_000, 'analytics-screen': 215_000 } as Record<string, number>,
  /** Charts come when there is one to draw: what they need beyond their screen. */
  charts_bytes: 150_000,
};

export type ScreenSize = { screen: string; bytes: number; most_bytes: number };

/** The sizes of all screens, the largest first. @param dist the folder of the build. */
export async function screenSizes(dist: string): Promise<ScreenSize[]> {
  const names = await readdir(join(dist, 'assets'));
  const screens = names.flatMap((name) => /^([\w-]+-screen)-[\w-]{8}\.js$/.exec(name)?.[1] ?? []);
  const sizes = await Promise.all(
    screens.map(async (screen) => ({
      screen,
      bytes: await sizeOf(dist, await neededFor(dist, screen)),
      most_bytes: limitOf(screen),
    })),
  );
  return sizes.toSorted((a, b) => b.bytes - a.bytes);
}

const limitOf = (screen: string): number => limits.screens[screen] ?? limits.most_bytes;

/** The files of a module that is loaded on first use, with all that it and the page import. */
export async function neededFor(dist: string, module: string): Promise<Set<string>> {
  const assets = join(dist, 'assets');
  const names = await readdir(assets);
  const page = await readFile(join(dist, 'index.html'), 'utf8');
  const entry = /assets\/([\w-]+\.js)/.exec(page)?.[1];
  const own = names.find((name) => new RegExp(`^${module}-[\\w-]{8}\\.js$`).test(name));
  if (!entry || !own) throw new Error(`The dashboard is not built: there is no ${module}.`);

  const needed = new Set([entry, own]);
  // A set is also walked through what is added meanwhile.
  for (const name of needed) {
    const script = await readFile(join(assets, name), 'utf8');
    for (const [, imported = ''] of script.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
      needed.add(imported);
    }
  }
  return needed;
}

/** Of these files together, in bytes, compressed. */
export async function sizeOf(dist: string, names: Iterable<string>): Promise<number> {
  const sizes = await Promise.all(
    Array.from(names, async (name) => (await stat(join(dist, 'assets', `${name}.br`))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The sizes as a small table. */
export function sizesInWords(sizes: readonly ScreenSize[]): string {
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`.padStart(7);
  const rows = sizes.map(({ screen, bytes, most_bytes }) => {
    const name = screen.replace(/-screen$/, '').padEnd(16);
    const fault = bytes > most_bytes ? '  too much' : '';
    return `  ${name}${kB(bytes)} of ${kB(most_bytes)}${fault}`;
  });
  return ['Compressed script that each screen needs before it shows:', ...rows].join('\n');
}

if (import.meta.main) {
  console.log(sizesInWords(await screenSizes(join(import.meta.dirname, '../dashboard/dist'))));
}
