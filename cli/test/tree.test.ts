import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '../../server/test/cast.ts';
import { atTerminal, type Program } from './program.ts';

const folder = async (person: Client, name: string): Promise<number> =>
  (await person.post('/cogs/', { name, cog_type: 'asset_folder' })).body.id;

const names = async (cli: Program, path: string): Promise<string[]> =>
  (await cli.json('ls', path)).map(({ name }: { name: string }) => name);

describe('cogworks mkdir', () => {
  it('makes a folder, and with -p those above it, as often as it is asked', async () => {
    const { cli } = await atTerminal();

    assert.deepEqual(await cli.run('mkdir', '/New one'), { code: 0, answer: '', said: '' });
    const again = await cli.run('mkdir', '/New one');
    assert.equal(again.code, 1);
    assert.match(again.said, /already an item named "New one"/);
    assert.match((await cli.run('mkdir', '/a/b')).said, /There is no “a” in \//);
    for (const _ of [1, 2]) assert.equal((await cli.run('mkdir', '-p', '/a/b "c"/ü')).code, 0);
    assert.deepEqual(await names(cli, '/a/b "c"'), ['ü']);
    assert.match((await cli.run('mkdir', '-p', '/new/../b')).said, /“\.\.” in .* is no name/);
    assert.ok(!(await names(cli, '/')).includes('new'));
    assert.match((await cli.run('mkdir', '/')).said, /The root is there already/);
  });

  it('makes no folder where a file is', async () => {
    const { owner, cli } = await atTerminal();
    await owner.upload('a.txt', 'x');

    const refused = await cli.run('mkdir', '-p', '/a.txt/b');
    assert.equal(refused.code, 1);
    assert.match(refused.said, /“a\.txt” in \/a\.txt\/b is a file/);
  });
});

describe('cogworks mv', () => {
  it('renames, moves into a folder, and does both at once', async () => {
    const { owner, cli } = await atTerminal();
    await folder(owner, 'Documents');
    await owner.upload('a.txt', 'x');

    assert.equal((await cli.run('mv', '/a.txt', '/b.txt')).answer, '/a.txt moved to /b.txt\n');
    assert.equal((await cli.run('mv', '/b.txt', '/Documents')).code, 0);
    assert.deepEqual(await names(cli, '/Documents'), ['b.txt']);
    const [moved] = await cli.json('mv', '/Documents/b.txt', '/-c d.txt');
    assert.equal(moved.name, '-c d.txt');
    assert.match((await cli.run('mv', '/-c d.txt', '/')).said, /“-c d\.txt” is there already/);
  });

  it('replaces nothing, and moves the others', async () => {
    const { owner, cli } = await atTerminal();
    const documents = await folder(owner, 'Documents');
    await owner.upload('a.txt', 'old', documents);
    await owner.upload('a.txt', 'new');
    await owner.upload('b.txt', 'new');

    const moved = await cli.run('mv', '/a.txt', '/b.txt', '/Documents');
    assert.equal(moved.code, 1);
    assert.match(moved.said, /already an item named "a\.txt"/);
    assert.equal(moved.answer, '1 of 2 items moved to /Documents\n');
    assert.deepEqual(await names(cli, '/'), ['a.txt', 'Documents']);
  });

  it('changes nothing when one of the paths or the target is not there', async () => {
    const { owner, cli } = await atTerminal();
    await folder(owner, 'Documents');
    await owner.upload('a.txt', 'x');

    const typo = await cli.run('mv', '/a.txt', '/b.txt', '/Documents');
    assert.match(typo.said, /There is no “b\.txt” in \//);
    assert.match((await cli.run('mv', '/a.txt', '/Old/')).said, /no folder \/Old\/; make it/);
    assert.match(
      (await cli.run('mv', '/a.txt', '/Documents', '/c')).said,
      /only one thing can go there/,
    );
    assert.deepEqual(await names(cli, '/'), ['a.txt', 'Documents']);
  });
});

describe('cogworks cp', () => {
  it('copies a folder with its files, under a name of its own', async () => {
    const { owner, cli } = await atTerminal();
    await owner.upload('a.txt', 'text', await folder(owner, 'Documents'));

    const copied = await cli.run('cp', '/Documents', '/Second');
    assert.equal(copied.answer, '/Documents copied to /Second\n');
    assert.deepEqual(await names(cli, '/Second'), ['a.txt']);
    assert.deepEqual(await names(cli, '/Documents'), ['a.txt']);
    const taken = await cli.run('cp', '/Documents/a.txt', '/Second');
    assert.equal(taken.code, 1);
    assert.match(taken.said, /already an item named "a\.txt"/);
  });

  it('copies many, and says which could not be', async () => {
    const { owner, cli } = await atTerminal();
    const place = await folder(owner, 'Place');
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await owner.upload(name, name);
    await owner.upload('b.txt', 'other', place);

    const copied = await cli.run('cp', '/a.txt', '/b.txt', '/c.txt', '/Place');

    assert.equal(copied.code, 1);
    assert.equal(copied.answer, '2 of 3 items copied to /Place\n');
    assert.match(copied.said, /already an item named "b\.txt"/);
    assert.deepEqual((await names(cli, '/Place')).sort(), ['a.txt', 'b.txt', 'c.txt']);
  });
});

describe('cogworks rm', () => {
  it('moves to the trash, or removes for ever when told to', async () => {
    const { owner, cli } = await atTerminal();
    await owner.upload('a.txt', 'x');
    await owner.upload('b.txt', 'x');

    assert.equal((await cli.run('rm', '/a.txt')).answer, '1 of 1 item in the trash\n');
    assert.equal((await cli.run('rm', '/b.txt', '--permanent')).code, 0);
    const { body: trash } = await owner.get('/cogs/trash');
    assert.deepEqual(
      trash.map(({ name }: { name: string }) => name),
      ['a.txt'],
    );
  });

  it('removes nothing when one of the paths is not there, and never the root', async () => {
    const { owner, cli } = await atTerminal();
    await owner.upload('a.txt', 'x');

    assert.equal((await cli.run('rm', '/a.txt', '/b.txt')).code, 1);
    assert.deepEqual(await names(cli, '/'), ['a.txt']);
    const root = await cli.run('rm', '/');
    assert.equal(root.code, 1);
    assert.match(root.said, /root/);
  });
});

describe('what cogworks prints', () => {
  it('never steers the terminal, whatever a name or an argument holds', async () => {
    const { owner, cli } = await atTerminal();
    // Shown as it is, this name would look like one that ends with txt.exe.
    await owner.upload('invoice\u202eexe.txt', 'x');

    assert.match((await cli.run('ls')).answer, /invoice\ufffdexe\.txt\n$/);
    assert.deepEqual(await names(cli, '/'), ['invoice\u202eexe.txt']);
    const missing = await cli.run('ls', '/\u001b]0;title\u0007\u001b[2J');
    assert.doesNotMatch(missing.said.trimEnd(), /\p{Cc}/u);
    assert.match(missing.said, /There is no “\ufffd]0;title/);
  });
});
