/** How much script pages need before they show anything, and charts. */
import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';

const assets = join(import.meta.dirname, '../dist/assets');
const most_bytes = 215_000;
const most_of_charts_bytes = 150_000;

it('the page of files needs less than 215 kB of compressed script', async () => {
  const bytes = await sizeOf(await neededFor('files-screen'));
  assert.ok(bytes > 100_000, `only ${bytes} bytes were found`);
  assert.ok(bytes < most_bytes, `${bytes} bytes`);
});

it('charts come when there is one to draw, and are less than 150 kB more', async () => {
  const screen = await neededFor('analytics-screen');
  const chart = await neededFor('time-chart');
  assert.ok((await sizeOf(screen)) < most_bytes, 'the screen itself has no charts');
  const more = [...chart].filter((name) => !screen.has(name));
  const bytes = await sizeOf(more);
  assert.ok(bytes > 50_000, `only ${bytes} bytes were found`);
  assert.ok(bytes < most_of_charts_bytes, `${bytes} bytes`);
});

/** The files of a module that is loaded on first use, with all that it and the page import. */
async function neededFor(module: string): Promise<Set<string>> {
  const names = await readdir(assets);
  const page = await readFile(join(assets, '../index.html'), 'utf8');
  const entry = /assets\/([\w-]+\.js)/.exec(page)?.[1];
  const screen = names.find((name) => new RegExp(`^${module}-[\\w-]+\\.js$`).test(name));
  assert.ok(entry && screen, 'the dashboard is built');

  const needed = new Set([entry, screen]);
  // A set is also walked through what is added meanwhile.
  for (const name of needed) {
    const script = await readFile(join(assets, name), 'utf8');
    for (const [, imported = ''] of script.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
      needed.add(imported);
    }
  }
  return needed;
}

/** In bytes, compressed. */
async function sizeOf(names: Iterable<string>): Promise<number> {
  const sizes = await Promise.all(
    Array.from(names, async (name) => (await stat(join(assets, `${name}.br`))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
