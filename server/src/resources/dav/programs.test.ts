/** WebDAV by programs that people use; skipped where they are not installed (Debian has both). */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { cast } from '../../../test/cast.ts';
import { newKey } from '../../../test/dav.ts';

const run = promisify(execFile);
const lacks = (program: string) =>
  spawnSync(program, ['--help']).error ? `${program} is not installed` : false;

let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cogworks-dav-'));
});
after(() => rm(dir, { recursive: true, force: true }));

/** Both send an ETag of 64 digits twice in one header, and litmus cuts it off after 200 characters. */
const cutOff = ['complex_cond_put', 'fail_complex_cond_put'];

describe('litmus', { skip: lacks('litmus') }, () => {
  for (const part of ['basic', 'copymove', 'props', 'locks', 'http']) {
    it(`finds no fault with ${part}`, async () => {
      const { server, owner } = await cast();
      const key = await newKey(owner);
      const { stdout } = await run('litmus', ['-k', `${server.url}/dav/`, 'litmus', key], {
        cwd: dir,
        env: { ...process.env, TESTS: part },
      }).catch((error: { stdout: string }) => error);

      const lines = stdout.split(/[\r\n]+/);
      const failed = lines.flatMap((line) => /^ *\d+\. (\w+)\.* FAIL/.exec(line)?.[1] ?? []);
      assert.deepEqual(
        failed.filter((name) => !cutOff.includes(name)),
        [],
        stdout,
      );
      assert.match(stdout, new RegExp(`summary for \`${part}'`));
    });
  }
});

describe('rclone', { skip: lacks('rclone') }, () => {
  it('copies a tree there and back, finds it the same, and removes what is gone', async () => {
    const { server, owner } = await cast();
    const { stdout: pass } = await run('rclone', ['obscure', await newKey(owner)]);
    const config = join(dir, 'rclone.conf');
    await writeFile(
      config,
      `[dav]\ntype = webdav\nurl = ${server.url}/dav\nvendor = owncloud\nuser = me\npass = ${pass}`,
    );
    const rclone = (...command: string[]) => run('rclone', ['--config', config, ...command]);
    const [here, back] = [join(dir, 'here'), join(dir, 'back')];
    for (const name of ['a', 'b c', 'ü & <ö>', '100%', 'q?#']) {
      await mkdir(join(here, name), { recursive: true });
      for (const size of [0, 1, 100_000]) {
        await writeFile(join(here, name, `${name} ${size}.bin`), Buffer.alloc(size, name));
      }
    }

    await rclone('copy', here, 'dav:tree');
    await rclone('check', here, 'dav:tree', '--download');
    await rclone('move', 'dav:tree', 'dav:moved');
    await rclone('copy', 'dav:moved', back);
    const bytes = await readFile(join(back, '100%', '100% 100000.bin'));
    assert.ok(bytes.equals(Buffer.alloc(100_000, '100%')));
    await rm(join(here, 'a'), { recursive: true });
    // Of the same size: only the time tells.
    const changed = join(here, 'b c', 'b c 1.bin');
    await writeFile(changed, 'x');
    await utimes(changed, 1_700_000_000, 1_700_000_000);
    await rclone('sync', here, 'dav:moved');
    await rclone('check', here, 'dav:moved', '--download');
    const { stdout } = await rclone('lsf', 'dav:moved');
    assert.deepEqual(
      stdout.trim().split('\n').sort(),
      ['100%/', 'b c/', 'q?#/', 'ü & <ö>/'].sort(),
    );
  });
});
