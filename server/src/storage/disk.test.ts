import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs, {
  copyFile,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rm,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { cast } from '../../test/cast.ts';
import { recordObject } from '../../test/objects.ts';
import { keepsThePartsContract } from '../../test/parts-contract.ts';
import { keepsTheStorageContract } from '../../test/storage-contract.ts';
import { type DiskStorage, diskStorage } from './disk.ts';
import type { PartUpload } from './parts.ts';

const dirs: string[] = [];
after(() => Promise.all(dirs.map((dir) => rm(dir, { recursive: true, force: true }))));

async function fresh() {
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-storage-'));
  dirs.push(dir);
  const open = () => diskStorage(dir, Buffer.alloc(32), () => 'http://x');
  return { dir, open, storage: await open() };
}

async function served() {
  const { server, owner } = await cast();
  const { db, storage } = server.services;
  const newKey = async () => (await recordObject(db, owner.user.tenant_id, 600)).key;
  const { storage_dir: dir } = server.services.config;
  return { storage: storage as DiskStorage, newKey, part_bytes: 1_500_000, dir };
}

keepsTheStorageContract('disk storage', served);
keepsThePartsContract('disk storage', served);
keepsThePartsContract('disk storage with tiny parts', async () => ({
  ...(await served()),
  part_bytes: 10,
}));

describe('disk storage', () => {
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

  it('leaves nothing half written behind', async () => {
    const { storage, dir } = await fresh();
    async function* breaking() {
      yield Buffer.alloc(2_000_000);
      throw new Error('gone');
    }
    await assert.rejects(storage.write('1/a', Readable.from(breaking())), /gone/);
    await assert.rejects(
      storage.write('1/b', Readable.from([Buffer.alloc(11)]), { max_bytes: 10 }),
    );
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

  it('finds a part that got shorter, only where it is read', async () => {
    const { storage, dir } = await served();
    const { key, size_bytes } = await inParts(storage, 3);
    const [, second = ''] = (await readdir(join(dir, 'objects', key))).sort();
    await truncate(join(dir, 'objects', key, second), 9);

    const begin = () => assert.fail('begun');
    const damaged = { damage: 'truncated', found_bytes: 29 };
    await assert.rejects(storage.copyTo({ key, size_bytes }, undefined, begin), damaged);
    await assert.rejects(
      storage.copyTo({ key, size_bytes }, { start: 19, end: 19 }, begin),
      damaged,
    );
    const whole = new PassThrough();
    await storage.copyTo({ key, size_bytes }, { start: 20, end: 29 }, () => whole);
    assert.equal(whole.read().toString(), 'cccccccccc');
    await rm(join(dir, 'objects', key, second));
    await assert.rejects(storage.copyTo({ key, size_bytes }, { start: 0, end: 0 }, begin), {
      damage: 'truncated',
      found_bytes: 20,
    });
  });

  it('tells its reader that a part is gone, also while closing its folder takes long', async (t) => {
    const { storage, dir } = await served();
    const { key, size_bytes } = await inParts(storage, 3);
    const [first = ''] = await readdir(join(dir, 'objects', key));
    await rm(join(dir, 'objects', key, first));
    const handle = await open(dir);
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    const dispose = handles[Symbol.asyncDispose];
    t.after(() => Object.assign(handles, { [Symbol.asyncDispose]: dispose }));
    handles[Symbol.asyncDispose] = async function (this: FileHandle) {
      // Several times as long as it takes to find out.
      for (let look = 0; look < 100; look += 1) await readdir(dir);
      return dispose.call(this);
    };

    const read = storage.copyTo({ key, size_bytes }, undefined, () => assert.fail('begun'));
    await assert.rejects(read, { damage: 'truncated' });
    await handle.close();
  });

  it('completes although a killed process left a part that it was replacing', async () => {
    const { storage, dir } = await served();
    const { key, size_bytes } = await inParts(storage, 2, async (upload) => {
      const folder = join(dir, 'parts', upload.key, upload.storage_upload_id);
      const [, second = ''] = (await readdir(folder)).sort();
      await copyFile(join(folder, second), join(folder, '00002.10.0'));
    });
    assert.equal((await storage.stat(key))?.size_bytes, size_bytes);
    assert.equal((await readdir(join(dir, 'objects', key))).length, 2);
  });

  it('gives the parts back when one was replaced meanwhile, also while they are looked at', async (t) => {
    const { storage, dir } = await fresh();
    const { upload, put } = await begun(storage, 2);
    const parts = (await storage.storedParts(upload)) ?? [];
    const meanwhile = new Map<string, () => Promise<unknown>>([
      [join(dir, 'parts', upload.key, upload.storage_upload_id), () => put(2, 'z')],
      [join(dir, 'objects', upload.key), () => storage.storedParts(upload)],
    ]);
    const readdir = fs.readdir as (path: string) => Promise<string[]>;
    const replaced = t.mock.method(fs, 'readdir', (async (path: string) => {
      const names = await readdir(path);
      const happens = meanwhile.get(path);
      meanwhile.delete(path);
      await happens?.();
      return names;
    }) as never);
    syncBuiltinESMExports();
    t.after(() => {
      replaced.mock.restore();
      syncBuiltinESMExports();
    });

    assert.equal(await storage.completeParts(upload, parts), false);

    assert.equal(meanwhile.size, 0);
    assert.equal(await storage.stat(upload.key), undefined);
    const etags = (await storage.storedParts(upload))?.map(({ etag }) => etag);
    assert.equal(etags?.[0], parts[0]?.etag);
    assert.notEqual(etags?.[1], parts[1]?.etag);
  });

  it('leaves no folder of an upload that is completed or has ended', async () => {
    const { storage, dir, newKey } = await served();
    const { key } = await inParts(storage, 2);
    const other = await newKey();
    await storage.beginParts(other, { size_bytes: 2, part_bytes: 1 });
    await storage.abortParts(other);
    for (const one of [key, other])
      await assert.rejects(readdir(join(dir, 'parts', one)), /ENOENT/);
  });

  it('leaves none either when the process that completed it was killed just then', async () => {
    const { storage, dir } = await served();
    const { key } = await inParts(storage, 2);
    await mkdir(join(dir, 'parts', key));
    const upload = { key, storage_upload_id: randomUUID() };
    assert.equal(await storage.storedParts(upload), undefined);
    await assert.rejects(readdir(join(dir, 'parts', key)), /ENOENT/);
  });
});

/** An object of parts of ten bytes: a's, b's and so on. */
async function inParts(
  storage: DiskStorage,
  count: number,
  meanwhile: (upload: PartUpload) => Promise<void> = async () => {},
) {
  const { upload, size_bytes } = await begun(storage, count);
  await meanwhile(upload);
  const parts = await storage.storedParts(upload);
  assert.equal(await storage.completeParts(upload, parts ?? []), true);
  return { key: upload.key, size_bytes };
}

/** An upload with all of these parts. */
async function begun(storage: DiskStorage, count: number) {
  const key = `1/${randomUUID()}`;
  const size_bytes = count * 10;
  const storage_upload_id = await storage.beginParts(key, { size_bytes, part_bytes: 10 });
  const upload: PartUpload = { key, storage_upload_id };
  const put = (number: number, letter: string) =>
    storage.receivePart(
      upload,
      number,
      Readable.from([Buffer.alloc(10, letter)]),
      { size_bytes: 10 },
      (_, move) => move(),
    );
  for (let number = 1; number <= count; number += 1) await put(number, 'abc'[number - 1] ?? '');
  return { upload, size_bytes, put };
}
