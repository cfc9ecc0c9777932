import assert from 'node:assert/strict';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { linkLibraries } from './postgres-libraries.ts';

/** A package with one library and its link, in a folder of its own. */
async function aPackage(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'cogworks-libraries-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const home = join(folder, 'package');
  const lib = join(home, 'native/lib');
  await mkdir(lib, { recursive: true });
  await writeFile(join(lib, 'libpq.so.5.18'), 'the library');
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
  await writeFile(join(home, 'native/pg-symlinks.json'), JSON.stringify(links));
  return { folder, home, lib };
}

it('finds the libraries of PostgreSQL also after the project has been moved', async (t) => {
  const { folder, home } = await aPackage(t);
  await linkLibraries(home);

  const moved = join(folder, 'moved');
  await rename(home, moved);

  assert.equal(await readFile(join(moved, 'native/lib/libpq.so.5'), 'utf8'), 'the library');
});

it('replaces a link that leads nowhere, also when several start at once', async (t) => {
  const { home, lib } = await aPackage(t);
  await symlink(join(home, '..', 'where-it-was', 'libpq.so.5.18'), join(lib, 'libpq.so.5'));

  await Promise.all([1, 2, 3, 4].map(() => linkLibraries(home)));

  assert.equal(await readFile(join(lib, 'libpq.so.5'), 'utf8'), 'the library');
  assert.deepEqual((await readdir(lib)).sort(), ['libpq.so.5', 'libpq.so.5.18']);
});
