import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FolderInUse, lockFolder } from './folder-lock.ts';

const program = `
  const { lockFolder } = await import(${JSON.stringify(import.meta.resolve('./folder-lock.ts'))});
  await lockFolder(process.argv[1]).then(() => console.log('locked'), (error) => console.log(error.name));
  process.stdin.resume();
`;

let dir = '';
let children: ChildProcess[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cogworks-lock-'));
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map(end));
  await rm(dir, { recursive: true, force: true });
});

/** Starts a process that tries to lock, reports the result, and stays alive until it is ended. */
async function another(): Promise<{ child: ChildProcess; said: string }> {
  const args = ['--input-type=module', '--eval', program, dir];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { child, said: String(line).trim() };
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

describe('the lock of a folder', () => {
  it('is one process’s while that lives, and names it', async () => {
    const { child, said } = await another();
    assert.equal(said, 'locked');

    await assert.rejects(lockFolder(dir), (error) => {
      assert.ok(error instanceof FolderInUse);
      assert.equal(error.pid, child.pid);
      return true;
    });
  });

  it('is free again when it was given up, or its process was killed', async () => {
    await (await lockFolder(dir))();
    const { child, said } = await another();
    assert.equal(said, 'locked');
    await end(child);

    await (await lockFolder(dir))();
    assert.deepEqual(await readdir(dir), []);
  });

  it('goes to one of many that find a dead one, or none', async () => {
    for (const left of ['', '4194304 12345\n', `${process.pid} 1\n`]) {
      if (left) await writeFile(join(dir, 'owner'), left);
      else await rm(join(dir, 'owner'), { force: true });

      const tried = await Promise.all(Array.from({ length: 6 }, another));

      const said = tried.map((one) => one.said).sort();
      assert.deepEqual(said, [...Array(5).fill('FolderInUse'), 'locked'], `after "${left}"`);
      await Promise.all(children.map(end));
    }
  });

  it('is not kept by one that was killed in the middle of taking it', async () => {
    const { createHash } = await import('node:crypto');
    const dead = '4194304 12345\n';
    const name = createHash('sha256').update(dead).digest('hex').slice(0, 16);
    await writeFile(join(dir, 'owner'), dead);
    await writeFile(join(dir, `owner.after-${name}`), '4194303 12345\n');

    assert.equal((await another()).said, 'locked');
  });
});
