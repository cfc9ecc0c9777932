import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Client } from '../../server/test/cast.ts';
import { folder, share } from '../../server/test/sharing.ts';
import { namesOf } from '../../server/test/zip-reader.ts';
import { cutting } from './cutting.ts';
import { atTerminal, program, programOf } from './program.ts';

const big = Buffer.alloc(5_000_000, 'some bytes');

/** A folder with files, a folder in it, and an empty one. */
async function documents(owner: Client) {
  const top = await folder(owner, 'Documents');
  const inner = await folder(owner, 'in & out', top.id);
  await folder(owner, 'empty', top.id);
  const { body: file } = await owner.upload('big.bin', big, top.id);
  await owner.upload('ü%20.txt', 'small', inner.id);
  await owner.upload('nothing', '', inner.id);
  return { top, inner, file };
}

const all = (dir: string) =>
  readdir(dir, { recursive: true }).then((names) => names.sort().join(' | '));

/** When a partial file has so many bytes. */
async function arrived(dir: string, bytes: number): Promise<void> {
  for (;;) {
    const [name = ''] = await readdir(dir);
    const { size } = await stat(join(dir, name));
    if (size >= bytes && name.endsWith('.partial')) return;
  }
}

describe('cogworks get', () => {
  it('saves a file, also by its other name', async () => {
    const { owner, cli } = await atTerminal();
    await documents(owner);

    const one = await cli.run('get', '/Documents/big.bin');
    assert.deepEqual([one.code, one.answer], [0, `1 of 1 file in ${cli.dir}\n`], one.said);
    assert.match(one.said, /✓ Download big\.bin {2}5\.0 MB, checksum verified\n$/);
    assert.deepEqual(await readFile(join(cli.dir, 'big.bin')), big);
    const again = await cli.run('download', '/Documents/big.bin', '--into', 'deep/er');
    assert.equal(again.code, 0, again.said);
    assert.deepEqual(await readdir(join(cli.dir, 'deep/er')), ['big.bin']);
  });

  it('saves a folder with all that is in it, and fetches nothing twice', async () => {
    const { owner, cli } = await atTerminal();
    await documents(owner);
    await owner.upload('beside.txt', 'beside');

    const saved = await cli.run('get', '/Documents', '/beside.txt', '--into', 'here');

    assert.equal(saved.code, 0, saved.said);
    assert.equal(saved.answer, `4 of 4 files in ${join(cli.dir, 'here')}\n`);
    assert.equal(
      await all(join(cli.dir, 'here')),
      'Documents | Documents/big.bin | Documents/empty | Documents/in & out | ' +
        'Documents/in & out/nothing | Documents/in & out/ü%20.txt | beside.txt',
    );
    assert.deepEqual(await readFile(join(cli.dir, 'here/Documents/big.bin')), big);

    const { mtimeMs } = await stat(join(cli.dir, 'here/Documents/big.bin'));
    const [, { id }] = await cli.json('ls', '/');
    await owner.upload('new.txt', 'new', id);
    const again = await cli.json('get', '/Documents', '--into', 'here');
    assert.equal(again.length, 4);
    assert.equal((await stat(join(cli.dir, 'here/Documents/big.bin'))).mtimeMs, mtimeMs);
    const said = (await cli.run('get', '/Documents', '--into', 'here')).said;
    assert.match(said, /- Download Documents\/big\.bin {2}there already\n/);
  });

  it('goes on where it was after a break of the connection and of the program', async () => {
    const { server, owner, cli } = await atTerminal();
    await documents(owner);
    await using network = await cutting(server.url, { after: 2_000_000, hangs: true });
    const far = await program({ ...cli.env, COGWORKS_URL: network.url });

    const running = far.start('get', '/Documents/big.bin');
    await Promise.race([network.cut.then(() => arrived(far.dir, 1_999_000)), running.ended]);
    running.child.kill('SIGKILL');
    await running.ended;
    const [partial = ''] = await readdir(far.dir);
    assert.match(partial, /^\.cogworks-\d+-[0-9a-f]{64}\.partial$/);
    const { size } = await stat(join(far.dir, partial));

    network.mend();
    const [saved] = await far.json('get', '/Documents/big.bin');
    assert.deepEqual(await readdir(far.dir), ['big.bin']);
    assert.deepEqual(await readFile(saved.path), big);
    assert.equal(network.ranges.at(-1), `bytes=${size}-`);
  });

  it('goes on by itself when nothing comes any more', async () => {
    const { server, owner, cli } = await atTerminal();
    await documents(owner);
    await using network = await cutting(server.url, { after: 2_000_000, hangs: true });
    const far = await program({ ...cli.env, COGWORKS_URL: network.url, COGWORKS_TIMEOUT: '1' });

    const saved = await far.run('get', '/Documents/big.bin');

    assert.equal(saved.code, 0, saved.said);
    assert.deepEqual(await readFile(join(far.dir, 'big.bin')), big);
    assert.deepEqual([...new Set(network.ranges)], [undefined, 'bytes=2000000-', 'bytes=4000000-']);
  });

  it('begins anew when what it left is of other bytes, or has been spoiled', async () => {
    const { owner, cli } = await atTerminal();
    const { file } = await documents(owner);
    const partial = `.cogworks-${file.id}-${file.checksum_sha256}.partial`;
    await writeFile(join(cli.dir, partial), Buffer.alloc(2_000_000, 'x'));

    const saved = await cli.run('get', '/Documents/big.bin');

    assert.equal(saved.code, 0, saved.said);
    assert.deepEqual(await readdir(cli.dir), ['big.bin']);
    assert.deepEqual(await readFile(join(cli.dir, 'big.bin')), big);
  });

  it('leaves nothing of a small file when it is interrupted', async () => {
    const { server, owner, cli } = await atTerminal();
    await documents(owner);
    await using network = await cutting(server.url, { after: 1000, isDown: true });
    const far = await program({ ...cli.env, COGWORKS_URL: network.url });

    const running = far.start('get', '/Documents/big.bin', '--into', 'here');
    await Promise.race([network.cut, running.ended]);
    running.child.kill('SIGINT');
    const { code, said } = await running.ended;

    assert.deepEqual(
      [code, said],
      [130, 'Stopped. The same command goes on with what is missing.\n'],
    );
    assert.deepEqual(await readdir(join(far.dir, 'here')), []);
  });

  it('replaces a file with other contents only when it is told to', async () => {
    const { owner, cli } = await atTerminal();
    await documents(owner);
    await mkdir(join(cli.dir, 'Documents'));
    const path = join(cli.dir, 'Documents/big.bin');
    await writeFile(path, 'mine');

    const kept = await cli.run('get', '/Documents');
    assert.equal(kept.code, 1);
    assert.match(kept.said, /there already with other contents; --overwrite replaces it/);
    assert.match(kept.answer, /^2 of 3 files/);
    assert.equal(await readFile(path, 'utf8'), 'mine');

    assert.equal((await cli.json('get', '/Documents', '--overwrite')).length, 3);
    assert.deepEqual(await readFile(path), big);
    // Of the same size, too.
    await writeFile(path, Buffer.alloc(big.length));
    assert.equal((await cli.run('get', '/Documents')).code, 1);
  });

  it('saves many small files with few requests, and what comes with none by itself', async () => {
    const { server, owner, cli } = await atTerminal();
    const { top } = await documents(owner);
    const names = Array.from({ length: 40 }, (_, at) => `${at % 3 ? 'small' : 'SMALL'} ${at}`);
    // Some have the same content, and some nothing at all.
    for (const [at, name] of names.entries()) {
      await owner.upload(name, 'x'.repeat(at % 10), top.id);
    }
    const { body: lost } = await owner.upload('lost', 'lost', top.id);
    const { db } = server.services;
    const wrong = 'ab'.repeat(32);
    await db`
      update objects set checksum_sha256 = ${wrong}
      where id = (select object_id from cogs where id = ${lost.id})
    `;
    const asked: string[] = [];
    await using network = await cutting(server.url, {
      onRequest: async (path) => void asked.push(path),
    });
    const near = await program({ ...cli.env, COGWORKS_URL: network.url });

    const saved = await near.run('get', '/Documents');

    assert.equal(saved.code, 1);
    assert.match(saved.answer, /^43 of 44 files/);
    assert.match(saved.said, /✗ Download Documents\/lost\n.*is recorded with abab/);
    for (const [at, name] of names.entries()) {
      const text = await readFile(join(near.dir, 'Documents', name), 'utf8');
      assert.equal(text, 'x'.repeat(at % 10), name);
    }
    assert.deepEqual(
      (await readdir(join(near.dir, 'Documents'))).filter((name) => name.startsWith('.')),
      [],
    );
    const downloads = asked.filter((path) => path.includes('/download'));
    assert.ok(downloads.length <= 3, downloads.join(' '));
    assert.equal((await near.run('get', '/Documents')).code, 1);
  });

  it('saves the others when one cannot be saved', async () => {
    const { server, owner, cli } = await atTerminal();
    const { inner } = await documents(owner);
    const { body: lost } = await owner.upload('lost.txt', 'lost', inner.id);
    const { db, config } = server.services;
    const [row] = await db<{ key: string }[]>`
      select key from objects where id = (select object_id from cogs where id = ${lost.id})
    `;
    // As after a fault of the server's disk.
    await truncate(join(config.storage_dir, 'objects', row?.key ?? ''), 2);
    await mkdir(join(cli.dir, 'Documents/big.bin'), { recursive: true });
    await writeFile(join(cli.dir, 'Documents/empty'), 'a file here');

    const saved = await cli.run('get', '/Documents');

    assert.equal(saved.code, 1);
    assert.equal(saved.answer, `2 of 4 files in ${cli.dir}\n`);
    assert.match(saved.said, /✗ Folder Documents\/empty\n.* is a file, so no folder can be there/);
    assert.match(saved.said, /✗ Download Documents\/big\.bin\n.* is not a file/);
    assert.match(saved.said, /✗ Download Documents\/in & out\/lost\.txt\n/);
    assert.deepEqual((await readdir(join(cli.dir, 'Documents/in & out'))).sort(), [
      'nothing',
      'ü%20.txt',
    ]);
  });

  it('does not follow links out of the folder', async () => {
    const { owner, cli } = await atTerminal();
    await documents(owner);
    await mkdir(join(cli.dir, 'elsewhere'));
    await mkdir(join(cli.dir, 'here'));
    await symlink(join(cli.dir, 'elsewhere'), join(cli.dir, 'here/Documents'));

    const saved = await cli.run('get', '/Documents', '--into', 'here');

    assert.equal(saved.code, 1);
    assert.match(saved.said, /here\/Documents is a link, so no folder can be there/);
    assert.match(saved.answer, /^0 of 3 files/);
    assert.deepEqual(await readdir(join(cli.dir, 'elsewhere')), []);
  });

  it('says that there was nothing, and makes the empty folder', async () => {
    const { owner, cli } = await atTerminal();
    await folder(owner, 'Empty');

    const { code, answer } = await cli.run('get', '/Empty');
    assert.deepEqual([code, answer], [0, `0 of 0 files in ${cli.dir}\n`]);
    assert.deepEqual(await readdir(join(cli.dir, 'Empty')), []);
  });

  it('leaves out what one may not see', async () => {
    const { server, owner, viewer } = await atTerminal();
    const { inner } = await documents(owner);
    await share(owner, inner.id, viewer, 'viewer');
    const cli = await programOf(server.url, viewer);

    assert.match(
      (await cli.run('get', '/Documents')).said,
      /no “Documents” in \/ that you may see/,
    );
    assert.deepEqual(await readdir(cli.dir), []);
  });

  it('keeps nothing of a file whose bytes are not those of its record', async () => {
    const { server, owner, cli } = await atTerminal();
    const { body: cog } = await owner.upload('a.txt', 'true bytes');
    const { db } = server.services;
    // As after a fault of a disk or of a proxy.
    const wrong = 'ab'.repeat(32);
    await db`
      update objects set checksum_sha256 = ${wrong}
      where id = (select object_id from cogs where id = ${cog.id})
    `;

    const fetched = await cli.run('get', '/a.txt');
    assert.equal(fetched.code, 1);
    assert.match(fetched.said, /is recorded with abab.*It is not kept/);
    assert.deepEqual(await readdir(cli.dir), []);
    const printed = await cli.run('get', '/a.txt', '-');
    assert.equal(printed.code, 1);
    assert.match(printed.said, /is recorded with abab.*is not this file/);
  });

  it('refuses a place that is no folder, and says so before it fetches', async () => {
    const { owner, cli } = await atTerminal();
    await documents(owner);
    await writeFile(join(cli.dir, 'file'), '');

    assert.match((await cli.run('get', '/Documents', '--into', 'file')).said, /not a folder/);
    assert.equal((await cli.run('get', '/Documents', '--into', '')).code, 2);
    // Where Node itself tries for ever to make a folder.
    const nowhere = await cli.run('get', '/Documents', '--into', '/proc/a/b');
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.said, /^ENOENT.*\/proc\/a/);
    assert.equal((await cli.run('get', '')).code, 2);
    assert.deepEqual(await readdir(cli.dir), ['file']);
  });
});

describe('cogworks get --zip', () => {
  it('saves a folder as one ZIP', async () => {
    const { owner, cli } = await atTerminal();
    await documents(owner);

    const saved = await cli.run('get', '/Documents', '--zip');

    assert.equal(saved.code, 0, saved.said);
    assert.match(saved.said, /✓ Download Documents\.zip {2}5\.0 MB, ZIP/);
    const zip = await readFile(join(cli.dir, 'Documents.zip'));
    assert.ok(namesOf(zip).includes('Documents/in & out/ü%20.txt'));
    assert.match((await cli.run('get', '/Documents', '--zip')).said, /there already/);
    assert.match((await cli.run('get', '/Documents/big.bin', '--zip')).said, /is a file; --zip is/);
  });

  it('goes on where it was if nothing has changed', async () => {
    const { server, owner, cli } = await atTerminal();
    const { top } = await documents(owner);
    const whole = Buffer.from(await (await owner.fetch(`/cogs/${top.id}/download`)).arrayBuffer());
    await using network = await cutting(server.url, { after: 2_000_000, hangs: true });
    const far = await program({ ...cli.env, COGWORKS_URL: network.url });
    const running = far.start('get', '/Documents', '--zip');
    await Promise.race([network.cut.then(() => arrived(far.dir, 1_999_000)), running.ended]);
    running.child.kill('SIGKILL');
    await running.ended;
    network.mend();

    assert.equal((await far.run('get', '/Documents', '--zip')).code, 0);

    assert.match(network.ranges.at(-1) ?? '', /^bytes=[1-9]\d*-$/);
    assert.deepEqual(await readFile(join(far.dir, 'Documents.zip')), whole);
    assert.deepEqual(await readdir(far.dir), ['Documents.zip']);
  });
});

describe('cogworks get to stdout', () => {
  it('writes the bytes of one file and nothing else', async () => {
    const { owner, cli } = await atTerminal();
    await documents(owner);
    await owner.upload('ß.txt', 'straße\n');

    for (const args of [['-'], ['--into', '-']]) {
      const { code, answer, said } = await cli.run('get', '/ß.txt', ...args);
      assert.deepEqual([code, answer, said], [0, 'straße\n', '']);
    }
    assert.equal((await cli.run('get', '/Documents/big.bin', '-')).answer.length, big.length);
    assert.match((await cli.run('get', '/Documents', '-')).said, /is a folder/);
    assert.equal((await cli.run('get', '/ß.txt', '/Documents', '-')).code, 2);
    assert.equal((await cli.run('get', '/ß.txt', '-', '--json')).code, 2);
    assert.deepEqual(await readdir(cli.dir), []);
  });
});
