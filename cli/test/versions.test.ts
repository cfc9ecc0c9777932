import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { atTerminal } from './program.ts';

/** A file with three versions, and its owner at a terminal. */
async function written() {
  const people = await atTerminal();
  const { owner, cli } = people;
  const { body: file } = await owner.upload('a.txt', 'first');
  for (const text of ['second one', 'third']) {
    const form = new FormData();
    form.set('file', new Blob([text]), 'a.txt');
    await owner.fetch(`/cogs/${file.id}/content`, { method: 'POST', body: form });
  }
  return { ...people, cli, file };
}

describe('cogworks versions', () => {
  it('lists what a file has held, the newest first', async () => {
    const { cli } = await written();

    const { code, answer } = await cli.run('versions', '/a.txt');

    assert.equal(code, 0);
    assert.match(
      answer,
      /^3 {3}5 B .* {2}[0-9a-f]{12} {2}current\n2 {2}10 B .* {2}[0-9a-f]{12}\n1 {3}5 B .*[0-9a-f]\n$/,
    );
    const rows = await cli.json('versions', '/a.txt');
    assert.deepEqual(
      rows.map(({ version }: { version: number }) => version),
      [3, 2, 1],
    );
  });

  it('makes an older one the current one again', async () => {
    const { owner, cli, file } = await written();

    const restored = await cli.run('versions', '/a.txt', '--restore', '1');

    assert.equal(restored.answer, 'a.txt is as in version 1 again; this is version 4\n');
    assert.equal(await (await owner.fetch(`/cogs/${file.id}/download`)).text(), 'first');
    assert.match((await cli.run('versions', '/a.txt')).answer, /^4 .* current, as version 1\n3 /);
    const current = await cli.run('versions', '/a.txt', '--restore', '4');
    assert.match(current.said, /Version 4 is the current one already/);
    const none = await cli.run('versions', '/a.txt', '--restore', '9');
    assert.equal(none.code, 1);
    assert.match(none.said, /“a\.txt” has no version 9; `versions` lists/);
  });

  it('saves an older one, or writes it to stdout', async () => {
    const { cli } = await written();

    const saved = await cli.run('get', '/a.txt', '--version', '2');
    assert.equal(saved.code, 0, saved.said);
    assert.match(saved.said, /✓ Download a\.txt {2}10 B, checksum verified/);
    assert.equal(await readFile(join(cli.dir, 'a.txt'), 'utf8'), 'second one');
    assert.equal((await cli.run('get', '/a.txt', '-', '--version', '1')).answer, 'first');
    assert.match((await cli.run('get', '/a.txt', '--version', '9')).said, /has no version 9/);
    assert.match((await cli.run('get', '/', '--version', '1')).said, /is a folder/);
  });

  it('refuses a folder', async () => {
    const { cli } = await written();
    assert.match((await cli.run('versions', '/')).said, /\/ is a folder; only files have versions/);
  });
});
