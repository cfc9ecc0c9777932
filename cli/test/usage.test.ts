import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { atTerminal, program } from './program.ts';

describe('cogworks', () => {
  it('says how it is used, on stdout when it was asked for', async () => {
    const cli = await program({});

    for (const args of [['--help'], ['help'], ['run', '--help'], ['ls', '-h']]) {
      const { code, answer, said } = await cli.run(...args);
      assert.deepEqual([code, said], [0, ''], args.join(' '));
      assert.match(answer, /^Usage: cogworks /);
    }
  });

  it('says its version', async () => {
    const { code, answer, said } = await (await program({})).run('--version');
    assert.deepEqual([code, said], [0, '']);
    assert.match(answer, /^\d+\.\d+\.\d+\n$/);
  });

  const mistakes: [args: string[], words: RegExp][] = [
    [[], /Say what to do/],
    [['toString'], /no command “toString”[\s\S]*`cogworks --help`/],
    [['ls', '--nothing'], /Unknown option '--nothing'[\s\S]*Usage: cogworks ls/],
    [['ls', '/a', '/b'], /one word too many: \/b/],
    [['upload'], /FILE is missing/],
    [['download', '--into'], /--into[\s\S]*Usage: cogworks get/],
    [['get', '/a', '--zip', '--version', '1'], /--zip is for folders, and --version for files/],
    [['get', '/a', '/b', '--zip'], /one word too many: \/b/],
    [['versions'], /PATH is missing/],
    [['versions', '/a', '--restore', '0'], /--restore takes the number of a version, not "0"/],
    // A variable of a script that has no value.
    [['put', ''], /FILE is empty/],
    [['put', 'a.txt', '--into', ''], /--into is empty/],
    [['rm', '/a', ''], /PATH is empty/],
    [['mv', '/a', ''], /empty/],
    [['ls', ''], /PATH is empty/],
    [['share', ''], /PATH is empty/],
    [['run'], /WORKFLOW is missing/],
    [['run', 'w', 'f', '--into', ''], /--into is empty/],
    [['run', 'w', 'f', '--var', 'width'], /--var takes name=value, not "width"/],
    [['runs', '--status', 'done'], /no status “done”, only queued, running/],
    [['url', '/a', '--expires', '25h'], /--expires is at most 1d/],
    [['watch', 'seven'], /RUN_ID is a number, not "seven"/],
    [['cancel'], /RUN_ID is missing/],
  ];
  for (const [args, words] of mistakes) {
    it(`ends with 2 for: cogworks ${args.join(' ')}`, async () => {
      const { code, answer, said } = await (await program({})).run(...args);
      assert.deepEqual([code, answer], [2, '']);
      assert.match(said, words);
    });
  }

  it('says how to get a key when there is none', async () => {
    const { code, said } = await (await program({ COGWORKS_URL: 'http://x:1/' })).run('ls');
    assert.equal(code, 2);
    assert.match(said, /Set COGWORKS_API_KEY[\s\S]*http:\/\/x:1\/app\/[\s\S]*create-api-key/);
  });

  it('says so when the key or the address cannot be one', async () => {
    const key = await program({ COGWORKS_API_KEY: 'two words' });
    assert.match((await key.run('whoami')).said, /is not an API key/);
    const time = await program({ COGWORKS_API_KEY: 'sk_x', COGWORKS_TIMEOUT: 'long' });
    assert.match((await time.run('ls', '/')).said, /COGWORKS_TIMEOUT is not a number of seconds/);
    const address = await program({ COGWORKS_API_KEY: 'sk_x', COGWORKS_URL: 'localhost:8080' });
    const { code, said } = await address.run('whoami');
    assert.equal(code, 2);
    assert.match(said, /COGWORKS_URL is not the address of a server: localhost:8080/);
  });

  it('says so when its result cannot be written', async () => {
    const { owner, cli } = await atTerminal();
    await owner.upload('a.txt', 'x');
    const main = join(import.meta.dirname, '../src/main.ts');

    for (const args of ['ls', 'get /a.txt -']) {
      const command = `exec "${process.execPath}" "${main}" ${args} > /dev/full`;
      const env = { ...process.env, ...cli.env };
      const child = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'ignore', 'pipe'] });
      const ended = once(child, 'exit');
      assert.match(
        await text(child.stderr),
        /^ENOSPC.*The disk of this machine is full\. Make room/,
      );
      assert.deepEqual((await ended)[0], 1);
    }
  });

  it('finishes its work when nobody reads its progress', async () => {
    const { owner, cli } = await atTerminal();
    for (const name of ['a', 'b', 'c']) await owner.upload(name, name);

    const { child, ended } = cli.start('get', '/', '--into', 'here');
    child.stderr?.destroy();
    const { code, answer } = await ended;

    assert.deepEqual([code, answer], [0, `3 of 3 files in ${join(cli.dir, 'here')}\n`]);
  });

  it('says so when the server does not know the key', async () => {
    const { server } = await atTerminal();
    const env = { COGWORKS_URL: server.url, COGWORKS_API_KEY: 'sk_wrong' };
    const { code, answer, said } = await (await program(env)).run('ls');
    assert.deepEqual([code, answer], [1, '']);
    assert.match(said, /does not accept the key in COGWORKS_API_KEY/);
  });

  it('says so when no server answers', async () => {
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    gone.close();

    const env = { COGWORKS_URL: `http://127.0.0.1:${port}`, COGWORKS_API_KEY: 'sk_x' };
    const { code, said } = await (await program(env)).run('whoami');
    assert.equal(code, 1);
    assert.match(said, /^No server answers at http:\/\/127\.0\.0\.1:\d+\. Start one/);
  });

  it('says so when something else answers there', async (t) => {
    const other = createServer((_, response) => response.end('<h1>Welcome</h1>'));
    t.after(() => other.close());
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const { port } = other.address() as AddressInfo;

    const env = { COGWORKS_URL: `http://127.0.0.1:${port}`, COGWORKS_API_KEY: 'sk_x' };
    const { code, said } = await (await program(env)).run('whoami');
    assert.equal(code, 1);
    assert.match(said, /What answers at http:\S+ is not Cogworks/);
  });

  it('knows whose key it has', async () => {
    const { owner, cli } = await atTerminal();
    const { code, answer } = await cli.run('whoami');
    assert.equal(code, 0);
    assert.ok(answer.startsWith(`${owner.user.email} (owner), member of tenant `), answer);
    assert.equal((await cli.json('whoami')).id, owner.user.id);
  });
});
