/** How much script the page of files needs before it shows anything. */
import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';

const assets = join(import.meta.dirname, '../dist/assets');
const most_bytes = 250_000;

it('the page of files needs less than 250 kB of compressed script', async () => {
  const names = await readdir(assets);
  const page = await readFile(join(assets, '../index.html'), 'utf8');
  const entry = /assets\/([\w-]+\.js)/.exec(page)?.[1];
  const screen = names.find((name) => /^files-screen-[\w-]+\.js$/.test(name));
  assert.ok(entry && screen, 'the dashboard is built');

  const needed = new Set([entry, screen]);
  // A set is also walked through what is added meanwhile.
  for (const name of needed) {
    const script = await readFile(join(assets, name), 'utf8');
    for (const [, imported = ''] of script.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
      needed.add(imported);
    }
  }
  const sizes = await Promise.all(
    [...needed].map(async (name) => (await stat(join(assets, `${name}.br`))).size),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes > 100_000, `only ${bytes} bytes were found`);
  assert.ok(bytes < most_bytes, `${bytes} bytes`);
});
