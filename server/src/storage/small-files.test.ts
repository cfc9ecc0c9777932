import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openSmallFiles } from './small-files.ts';

const dir = await mkdtemp(join(tmpdir(), 'cogworks-small-files-'));
after(() => rm(dir, { recursive: true, force: true }));

const bytesOf = (text: string) => new Uint8Array(new TextEncoder().encode(text));

describe('small files', () => {
  it('are written together, each with its own bytes, in folders that are made for them', async () => {
    const write = openSmallFiles();
    const paths = ['one/a', 'one/b', 'one/two/c', 'd'].map((name) => join(dir, name));

    await Promise.all(
      paths.map((path) => write({ path, bytes: bytesOf(`of ${path}`), folder: dirname(path) })),
    );
    await write({ path: join(dir, 'empty'), bytes: bytesOf(''), folder: undefined });

    for (const path of paths) {
      assert.equal(await readFile(path, 'utf8'), `of ${path}`);
      assert.equal((await stat(path)).mode & 0o777, 0o600);
    }
    assert.equal((await stat(join(dir, 'empty'))).size, 0);
  });

  it('fail alone, and never write over what is there', async () => {
    const write = openSmallFiles();
    await writeFile(join(dir, 'taken'), 'mine');
    const file = (name: string) => ({ path: join(dir, name), bytes: bytesOf('new'), folder: dir });

    const outcomes = await Promise.allSettled([
      write(file('taken')),
      write(file('taken/below a file')),
      write(file('free')),
    ]);

    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code),
      ['EEXIST', 'ENOTDIR', false],
    );
    assert.equal(await readFile(join(dir, 'taken'), 'utf8'), 'mine');
    assert.ok((await readdir(dir)).includes('free'));
  });

  it('fail when the thread ends, and the next one starts another', async () => {
    const write = openSmallFiles(new URL('data:text/javascript,process.exit(1)'));
    for (const name of ['x', 'y']) {
      const file = { path: join(dir, name), bytes: bytesOf(name), folder: dir };
      await assert.rejects(write(file), /has ended/);
    }
  });
});
