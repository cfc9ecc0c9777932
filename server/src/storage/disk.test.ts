import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { DomainError } from '../errors.ts';
import { diskStorage } from './disk.ts';

const dirs: string[] = [];
after(() => Promise.all(dirs.map((dir) => rm(dir, { recursive: true, force: true }))));

async function fresh() {
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-storage-'));
  dirs.push(dir);
  const open = () => diskStorage(dir, Buffer.alloc(32), () => 'http://x');
  return { dir, open, storage: await open() };
}

/** Takes what it gets, `slow` a moment later, as a socket does. */
function collecting() {
  const chunks: Buffer[] = [];
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      // Copied late on purpose: a buffer reused too early would show.
      setImmediate(() => {
        chunks.push(Buffer.from(chunk));
        done();
      });
    },
  });
  return { out, bytes: () => Buffer.concat(chunks) };
}

describe('disk storage', () => {
  it('keeps any bytes, in any pieces, with size and checksum', async () => {
    const { storage } = await fresh();
    const sizes = [0, 1, 65_536, 1_048_575, 1_048_576, 1_048_577, 2_097_152, 5_000_001];
    for (const size of sizes) {
      const bytes = randomBytes(size);
      const pieces = [];
      for (let at = 0; at < size; at += 70_001) pieces.push(bytes.subarray(at, at + 70_001));

      const stored = await storage.write(`1/k${size}`, Readable.from(pieces));

      assert.equal(stored.size_bytes, size);
      assert.equal(stored.checksum_sha256, createHash('sha256').update(bytes).digest('hex'));
      const { out, bytes: received } = collecting();
      await storage.copyTo({ key: `1/k${size}`, size_bytes: size }, undefined, () => out);
      assert.ok(received().equals(bytes), `${size}`);
    }
  });

  it('copies any range, and leaves the receiver open', async () => {
    const { storage } = await fresh();
    const bytes = randomBytes(3_000_000);
    await storage.write('1/a', Readable.from([bytes]));
    for (const [start, end] of [
      [0, 0],
      [5, 2_999_999],
      [1_048_575, 1_048_576],
      [2_999_999, 2_999_999],
    ] as const) {
      const { out, bytes: received } = collecting();
      await storage.copyTo({ key: '1/a', size_bytes: 3_000_000 }, { start, end }, () => out);
      assert.ok(received().equals(bytes.subarray(start, end + 1)));
      assert.ok(!out.writableEnded);
    }
  });

  it('copies nothing of an object that is not as large as recorded', async () => {
    const { storage } = await fresh();
    await storage.write('1/a', Readable.from([Buffer.from('abc')]));
    for (const [key, size_bytes, damage] of [
      ['1/none', 3, 'missing'],
      ['1/a', 4, 'truncated'],
      ['1/a', 2, 'overlong'],
    ] as const) {
      for (const range of [undefined, { start: 0, end: 1 }]) {
        const copied = storage.copyTo({ key, size_bytes }, range, () => assert.fail('begun'));
        await assert.rejects(copied, { code: 'object_damaged', damage });
      }
    }
  });

  it('says so when an object gets shorter while it is copied', async () => {
    const { dir, storage } = await fresh();
    const size_bytes = 8_000_000;
    await storage.write('1/a', Readable.from([Buffer.alloc(size_bytes)]));
    let taken = 0;
    const out = new Writable({
      write(chunk: Buffer, _encoding, done) {
        taken += chunk.length;
        void truncate(join(dir, 'objects/1/a'), 3_000_000).then(() => done(), done);
      },
    });
    await assert.rejects(
      storage.copyTo({ key: '1/a', size_bytes }, undefined, () => out),
      { damage: 'truncated', found_bytes: 3_000_000 },
    );
    assert.ok(taken <= 4_000_000);
  });

  it('fails when the receiver closes', async () => {
    const { storage } = await fresh();
    await storage.write('1/a', Readable.from([Buffer.from('abc')]));
    const stuck = new Writable({ write: () => setImmediate(() => stuck.destroy()) });
    await assert.rejects(
      storage.copyTo({ key: '1/a', size_bytes: 3 }, undefined, () => stuck),
      /closed/,
    );
  });

  it('has one id, however many processes open it first at once', async () => {
    const { dir } = await fresh();
    await rm(join(dir, 'storage-id'));
    const open = () => diskStorage(dir, Buffer.alloc(32), () => '');

    const opened = await Promise.all(Array.from({ length: 8 }, open));

    assert.match(opened[0]?.id ?? '', /^[0-9a-f-]{36}$/);
    assert.deepEqual(new Set(opened.map(({ id }) => id)).size, 1);
    assert.deepEqual((await readdir(dir)).sort(), ['partial', 'storage-id']);
  });

  it('does not answer once its folder is another, or not mounted', async () => {
    const { dir, storage } = await fresh();
    await storage.check();
    await writeFile(join(dir, 'storage-id'), 'another');
    await assert.rejects(storage.check(), /another storage/);
    await rm(dir, { recursive: true });
    await assert.rejects(storage.check(), /is missing/);
  });

  it('keeps nothing of a write that fails or is too large', async () => {
    const { storage, dir } = await fresh();
    async function* breaking() {
      yield Buffer.alloc(2_000_000);
      throw new Error('gone');
    }
    await assert.rejects(storage.write('1/a', Readable.from(breaking())), /gone/);
    await assert.rejects(
      storage.write('1/a', Readable.from([Buffer.alloc(11)]), { max_bytes: 10 }),
      (error) => error instanceof DomainError && error.problem === 'too_large',
    );
    assert.equal(await storage.size('1/a'), undefined);
    assert.deepEqual(await readdir(join(dir, 'partial')), []);
  });

  it('takes no key that is a path', async () => {
    const { storage } = await fresh();
    for (const key of ['../x', '/x', 'a/../x', 'A', 'a.b', '']) {
      await assert.rejects(storage.write(key, Readable.from([])), /Not an object key/, key);
    }
  });

  it('removes at its start what a killed process left, and what one under way writes never', async () => {
    const { dir, open } = await fresh();
    const host = hostname().replace(/[^A-Za-z0-9-]/g, '-');
    const { pid: gone } = spawnSync(process.execPath, ['-e', '']);
    const long = new Date(Date.now() - 7 * 3600 * 1000);
    const files: [string, Date, boolean][] = [
      [`${host}.${gone}.killed`, new Date(), false],
      [`${host}.${process.pid}.mine`, new Date(), true],
      [`${host}.${process.pid}.life-before`, long, false],
      [`${host}.${process.ppid}.neighbour`, long, true],
      ['elsewhere.1.busy', new Date(), true],
      ['elsewhere.1.idle', long, false],
    ];
    for (const [name, modified] of files) {
      await writeFile(join(dir, 'partial', name), 'x');
      await utimes(join(dir, 'partial', name), modified, modified);
    }

    await open();

    const kept = files.filter(([, , stays]) => stays).map(([name]) => name);
    assert.deepEqual((await readdir(join(dir, 'partial'))).sort(), kept.sort());
  });
});
