import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Cog } from '@cogworks/sdk/contract.gen';
import type { Client } from '../../server/test/cast.ts';
import { cutting } from './cutting.ts';
import { atTerminal, program } from './program.ts';

async function folder(owner: Client, name: string, parent_id?: number): Promise<number> {
  const body = { name, cog_type: 'asset_folder', ...(parent_id ? { parent_id } : {}) };
  return (await owner.post('/cogs/', body)).body.id;
}

describe('cogworks ls', () => {
  it('lists the root, a folder by its path, and a file', async () => {
    const { owner, cli } = await atTerminal();
    const documents = await folder(owner, 'Documents');
    await folder(owner, 'Größe & mehr', documents);
    await owner.upload('a b.txt', 'hello', documents);

    assert.match((await cli.run('ls')).answer, /^ +\d{4}-\d\d-\d\d \d\d:\d\d {2}Documents\/\n$/);
    const listed = await cli.run('ls', '/Documents');
    assert.match(listed.answer, /^5 B .*a b\.txt\n {5}.*Größe & mehr\/\n$/);
    assert.deepEqual([listed.code, listed.said], [0, '']);
    const [file] = await cli.json('ls', 'Documents/a b.txt');
    assert.equal(file.size_bytes, 5);
    // The letters as some systems spell them in file names.
    assert.deepEqual(await cli.json('ls', '/Documents/Größe & mehr/'.normalize('NFD')), []);
  });

  it('tells more of each with -l', async () => {
    const { owner, cli } = await atTerminal();
    await folder(owner, 'Documents');
    const { body: file } = await owner.upload('a.txt', 'hello');

    const { answer } = await cli.run('ls', '-l');
    const [first = '', second = ''] = answer.split('\n');
    assert.match(first, /^5 B /);
    assert.ok(first.endsWith(`owner   v1    ${file.checksum_sha256}  a.txt`), answer);
    assert.match(second, /^ +\S+ \S+ {2}owner {3}- {5}- +Documents\/$/);
  });

  it('names the step of a path that is not there', async () => {
    const { owner, cli } = await atTerminal();
    await owner.upload('a.txt', 'x', await folder(owner, 'Documents'));

    const missing = await cli.run('ls', '/Documents/2026/may');
    assert.equal(missing.code, 1);
    assert.match(missing.said, /There is no “2026” in \/Documents/);
    const below = await cli.run('ls', '/Documents/a.txt/b');
    assert.match(below.said, /\/Documents\/a\.txt is a file, not a folder/);
  });

  it('shows nothing of another tenant', async () => {
    const { stranger, cli } = await atTerminal();
    await folder(stranger, 'Theirs');

    assert.deepEqual(await cli.json('ls'), []);
    assert.equal((await cli.run('ls', '/Theirs')).code, 1);
  });
});

describe('cogworks upload', () => {
  it('brings files to a folder and says how it goes', async () => {
    const { owner, cli } = await atTerminal();
    await folder(owner, 'Documents');
    await writeFile(join(cli.dir, 'one.txt'), 'first');
    await writeFile(join(cli.dir, '-two.txt'), '');

    const sent = await cli.run('upload', '--into', '/Documents', '--', 'one.txt', '-two.txt');

    assert.equal(sent.code, 0, sent.said);
    assert.equal(sent.answer, '2 of 2 files uploaded to /Documents\n');
    assert.match(sent.said, /✓ Upload one\.txt {2}5 B\n✓ Upload -two\.txt {2}0 B\n/);
    const names = (await cli.json('ls', '/Documents')).map(({ name }: { name: string }) => name);
    assert.deepEqual(names.sort(), ['-two.txt', 'one.txt']);
  });

  it('says which name is taken and uploads the others', async () => {
    const { owner, cli } = await atTerminal();
    await owner.upload('taken.txt', 'old');
    await writeFile(join(cli.dir, 'taken.txt'), 'new');
    await writeFile(join(cli.dir, 'free.txt'), 'new');

    const sent = await cli.run('upload', 'taken.txt', 'free.txt', '--json');

    assert.equal(sent.code, 1);
    assert.match(sent.said, /✗ Upload taken\.txt\n.*already an item named "taken\.txt"/);
    assert.deepEqual(
      JSON.parse(sent.answer).map(({ name }: { name: string }) => name),
      ['free.txt'],
    );
  });

  it('finds the files where npm was started, not in the folder of package.json', async () => {
    const { cli } = await atTerminal();
    const typed = await program({ ...cli.env, npm_lifecycle_event: 'cli', INIT_CWD: cli.dir });
    await writeFile(join(cli.dir, 'one.txt'), 'first');

    const sent = await typed.run('upload', 'one.txt');
    assert.equal(sent.code, 0, sent.said);
  });

  it('sends nothing when a file is missing here, or the folder there', async () => {
    const { cli } = await atTerminal();
    await writeFile(join(cli.dir, 'one.txt'), 'first');

    const missing = await cli.run('upload', 'one.txt', 'two.txt');
    assert.equal(missing.code, 1);
    assert.match(missing.said, /no file two\.txt on this machine\./);
    const nowhere = await cli.run('upload', 'one.txt', '--into', '/Nowhere');
    assert.match(nowhere.said, /There is no “Nowhere” in \//);
    assert.deepEqual(await cli.json('ls'), []);
  });
});

describe('cogworks put', () => {
  it('brings back what get saved: folders, empty ones too, and names of any kind', async () => {
    const { cli } = await atTerminal();
    await mkdir(join(cli.dir, 'we ird %20/empty'), { recursive: true });
    await writeFile(join(cli.dir, 'we ird %20/ü #?&.txt'), 'text');

    const sent = await cli.run('put', 'we ird %20');
    assert.deepEqual([sent.code, sent.answer], [0, '1 of 1 file uploaded to /\n'], sent.said);
    assert.equal((await cli.run('get', '/we ird %20', '--into', 'again')).code, 0);
    const again = await readdir(join(cli.dir, 'again/we ird %20'));
    assert.deepEqual(again.sort(), ['empty', 'ü #?&.txt']);
  });

  it('sends nothing of what is neither file nor folder', async () => {
    const { cli } = await atTerminal();
    await mkdir(join(cli.dir, 'scans'));
    execFileSync('mkfifo', [join(cli.dir, 'scans/pipe')]);
    await symlink('nowhere', join(cli.dir, 'scans/dangling'));
    await writeFile(join(cli.dir, 'scans/a.txt'), 'A');

    for (const word of ['scans/pipe', '/dev/null']) {
      const refused = await cli.run('put', word);
      assert.equal(refused.code, 1);
      assert.match(refused.said, /is a (pipe|device), neither a file nor a folder/);
    }
    const sent = await cli.run('put', 'scans');
    assert.equal(sent.code, 1);
    assert.match(sent.said, /✗ Upload scans\/dangling\n {2}a link to nothing/);
    assert.match(sent.said, /- Upload scans\/pipe {2}a pipe, left out\n/);
    assert.match(sent.said, /✓ Upload scans\/a\.txt/);
  });

  it('refuses two of one name before it sends anything', async () => {
    const { cli } = await atTerminal();
    for (const dir of ['one', 'two']) {
      await mkdir(join(cli.dir, dir));
      await writeFile(join(cli.dir, dir, 'a.txt'), dir);
    }

    const refused = await cli.run('put', 'one/a.txt', 'two/a.txt');
    assert.equal(refused.code, 1);
    assert.match(refused.said, /one\/a\.txt and two\/a\.txt are both called a\.txt/);
    assert.deepEqual(await cli.json('ls'), []);
  });

  it('says how to go on when it is interrupted, and leaves nothing half done', async () => {
    const { server, cli } = await atTerminal();
    await mkdir(join(cli.dir, 'scans'));
    for (const name of ['a', 'b']) await writeFile(join(cli.dir, 'scans', name), name);
    const stop = { child: undefined as ChildProcess | undefined };
    await using network = await cutting(server.url, {
      onRequest: async (path) => {
        if (path.endsWith('/batch')) stop.child?.kill('SIGINT');
      },
    });
    const far = await program({ ...cli.env, COGWORKS_URL: network.url });

    const running = far.start('put', join(cli.dir, 'scans'));
    stop.child = running.child;
    const { code, said } = await running.ended;

    assert.equal(code, 130);
    assert.match(said, /^Stopped\. With --existing skip the same command goes on/);
    assert.equal((await cli.run('put', 'scans', '--existing', 'skip')).code, 0);
    assert.equal((await cli.json('ls', '/scans')).length, 2);
  });

  it('names a file that changes while it is sent, and sends the others', async () => {
    const { server, cli } = await atTerminal();
    await mkdir(join(cli.dir, 'scans'));
    await writeFile(join(cli.dir, 'scans/a.txt'), 'A');
    const changing = join(cli.dir, 'scans/b.txt');
    await writeFile(changing, 'B');
    await using network = await cutting(server.url, {
      onRequest: async (path) => {
        if (path.endsWith('/batch')) await writeFile(changing, 'changed');
      },
    });
    const far = await program({ ...cli.env, COGWORKS_URL: network.url });

    const sent = await far.run('put', join(cli.dir, 'scans'));

    assert.deepEqual([sent.code, sent.answer], [1, '1 of 2 files uploaded to /\n']);
    assert.match(sent.said, /✗ Upload scans\/b\.txt\n {2}The file was changed or removed/);
  });
});

describe('cogworks upload of folders', () => {
  it('brings a folder with all in it, and names each file', async () => {
    const { cli } = await atTerminal();
    await mkdir(join(cli.dir, 'scans/May'), { recursive: true });
    await mkdir(join(cli.dir, 'elsewhere'));
    await symlink(join(cli.dir, 'elsewhere'), join(cli.dir, 'scans/link'));
    await writeFile(join(cli.dir, 'elsewhere/not.txt'), 'x');
    await writeFile(join(cli.dir, 'scans/a.txt'), 'A');
    await writeFile(join(cli.dir, 'scans/May/b.txt'), 'B');

    const sent = await cli.run('upload', 'scans');

    assert.equal(sent.code, 0, sent.said);
    assert.equal(
      sent.said,
      '- Upload scans/link  a link to a folder, left out\n' +
        '✓ Upload scans/May/b.txt  1 B\n✓ Upload scans/a.txt  1 B\n',
    );
    assert.equal(sent.answer, '2 of 2 files uploaded to /\n');
    const [file] = await cli.json('ls', '/scans/May/b.txt');
    assert.equal(file.size_bytes, 1);
  });

  it('skips, replaces or keeps both where names are taken, as it is told', async () => {
    const { owner, cli } = await atTerminal();
    await owner.upload('a.txt', 'old');
    await writeFile(join(cli.dir, 'a.txt'), 'newer');

    const skipped = await cli.run('upload', 'a.txt', '--existing', 'skip');
    assert.deepEqual([skipped.code, skipped.answer], [0, '0 of 1 file uploaded to /\n']);
    assert.match(skipped.said, /- Upload a\.txt {2}exists already, skipped/);
    const [replaced] = await cli.json('upload', 'a.txt', '--existing', 'replace');
    assert.deepEqual([replaced.name, replaced.version, replaced.size_bytes], ['a.txt', 2, 5]);
    const [both] = await cli.json('upload', 'a.txt', '--existing', 'keep-both');
    assert.equal(both.name, 'a (2).txt');

    const wrong = await cli.run('upload', 'a.txt', '--existing', 'perhaps');
    assert.match(wrong.said, /--existing must be skip, changed, replace or keep-both/);
  });

  it('sends only what has another content than there, when it is told', async () => {
    const { owner, cli } = await atTerminal();
    await mkdir(join(cli.dir, 'scans'));
    for (const name of ['same', 'edited', 'longer']) {
      await writeFile(join(cli.dir, 'scans', name), `${name} 1`);
    }
    assert.equal((await cli.run('put', 'scans')).code, 0);
    await writeFile(join(cli.dir, 'scans/edited'), 'edited 2');
    await writeFile(join(cli.dir, 'scans/longer'), 'longer 1 and more');
    await writeFile(join(cli.dir, 'scans/new'), 'new');

    const sent = await cli.run('put', 'scans', '--existing', 'changed');

    assert.deepEqual([sent.code, sent.answer], [0, '3 of 4 files uploaded to /\n'], sent.said);
    assert.match(sent.said, /- Upload scans\/same {2}unchanged/);
    const versions = async () =>
      Object.fromEntries(
        (await cli.json('ls', '/scans')).map((one: Cog) => [one.name, one.version]),
      );
    assert.deepEqual(await versions(), { edited: 2, longer: 2, new: 1, same: 1 });
    const again = await cli.run('put', 'scans', '--existing', 'changed');
    assert.deepEqual([again.code, again.answer], [0, '0 of 4 files uploaded to /\n']);
    assert.deepEqual(await versions(), { edited: 2, longer: 2, new: 1, same: 1 });
    const { body: uploads } = await owner.get('/cogs/uploads');
    assert.deepEqual(uploads, []);
  });

  it('resumes a large file that broke off', async () => {
    const { server, owner, cli } = await atTerminal();
    const bytes = new Uint8Array(randomBytes(20 * 1024 ** 2));
    await writeFile(join(cli.dir, 'film.bin'), bytes);
    const root = (await owner.get('/cogs/root')).body;
    const { body: begun } = await owner.post('/cogs/uploads/initiate', {
      ...{ name: 'film.bin', parent_id: root.id, file_size: bytes.length },
      chunk_size: 16 * 1024 ** 2,
    });
    const [part] = begun.parts;
    await fetch(part.url, { method: 'PUT', body: bytes.subarray(0, part.size_bytes) });

    const [sent] = await cli.json('upload', 'film.bin');

    assert.equal(sent.checksum_sha256, createHash('sha256').update(bytes).digest('hex'));
    const { db } = server.services;
    const uploads = await db`select id from uploads where tenant_id = ${owner.user.tenant_id}`;
    assert.deepEqual([...uploads], [{ id: begun.upload_id }]);
  });
});
