/**
 * The contract of every storage (src/storage/storage.ts). Each storage's own test calls this;
 * features of a single kind are tested there.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { DomainError } from '../src/errors.ts';
import type { Storage } from '../src/storage/storage.ts';

export type StorageUnderTest = {
  storage: Storage;
  /** A new key, valid for presigned URLs. */
  newKey(): Promise<string>;
};

/** Accepts data with a delay, like a socket. */
function collecting() {
  const chunks: Buffer[] = [];
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      // Copied late on purpose, to detect a buffer that is reused too early.
      setImmediate(() => {
        chunks.push(Buffer.from(chunk));
        done();
      });
    },
  });
  return { out, bytes: () => Buffer.concat(chunks) };
}

/** Tests one storage; `open` is called for each test, and may return the same one. */
export function keepsTheStorageContract(name: string, open: () => Promise<StorageUnderTest>) {
  describe(`${name} keeps the contract of a storage`, () => {
    keepsBytes(open);
    copies(open);
    presigns(open);

    it('lists its objects in the order of their keys, with their sizes', async () => {
      const one = await open();
      const made = [await stored(one, 0), await stored(one, 3), await stored(one, 300_000)];
      const listed: string[] = [];
      const sizes = new Map<string, number>();
      for await (const { key, size_bytes } of one.storage.list()) {
        listed.push(key);
        sizes.set(key, size_bytes);
      }
      assert.deepEqual(listed, listed.toSorted());
      assert.deepEqual(
        made.map(({ key }) => sizes.get(key)),
        [0, 3, 300_000],
      );
    });

    it('answers, says who it is, and how much room there is', async () => {
      const { storage } = await open();
      await storage.check();
      assert.ok(storage.id !== '' && storage.mark !== '');
      assert.ok((await storage.room()) > 0);
      await storage.removeAbandoned(new Date());
    });
  });
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Some bytes under a new key. */
async function stored({ storage, newKey }: StorageUnderTest, size_bytes: number) {
  const [key, bytes] = [await newKey(), randomBytes(size_bytes)];
  await storage.write(key, Readable.from([bytes]));
  return { key, bytes, size_bytes };
}

function keepsBytes(open: () => Promise<StorageUnderTest>) {
  it('keeps any bytes, in any pieces, announced or not, with size and checksum', async () => {
    const { storage, newKey } = await open();
    const sizes = [0, 1, 65_536, 1_048_575, 1_048_576, 1_048_577, 2_097_152, 5_000_001];
    for (const [size, expected_bytes] of sizes.flatMap((size) => [
      [size, 0],
      [size, size],
      [size, size + 200],
    ]) as [number, number][]) {
      const [key, bytes] = [await newKey(), randomBytes(size)];
      const pieces = [];
      for (let at = 0; at < size; at += 70_001) pieces.push(bytes.subarray(at, at + 70_001));

      const found = await storage.write(key, Readable.from(pieces), { expected_bytes });

      assert.deepEqual(found, {
        ...{ size_bytes: size, checksum_sha256: sha256(bytes), crc32: crc32(bytes) },
      });
      const { out, bytes: received } = collecting();
      await storage.copyTo({ key, size_bytes: size }, undefined, () => out);
      assert.ok(received().equals(bytes), `${size}`);
    }
  });

  it('tells what it holds: its size, a checksum only if it is right, and nothing of what is not there', async () => {
    const under = await open();
    const { key, bytes } = await stored(under, 70_000);

    const found = await under.storage.stat(key);

    assert.equal(found?.size_bytes, 70_000);
    assert.equal(found?.checksum_sha256 ?? sha256(bytes), sha256(bytes));
    assert.equal(await under.storage.stat(await under.newKey()), undefined);
  });

  it('keeps nothing of a write that fails or is too large', async () => {
    const { storage, newKey } = await open();
    for (const length of [10, 2_000_000]) {
      const [broken, large] = [await newKey(), await newKey()];
      const breaking = async function* () {
        yield Buffer.alloc(length);
        throw new Error('gone');
      };

      await assert.rejects(storage.write(broken, Readable.from(breaking())), /gone/);
      await assert.rejects(
        storage.write(large, Readable.from([Buffer.alloc(length)]), { max_bytes: length - 1 }),
        (error) => error instanceof DomainError && error.problem === 'too_large',
      );

      assert.equal(await storage.stat(broken), undefined);
      assert.equal(await storage.stat(large), undefined);
    }
  });

  it('keeps many that come at once', async () => {
    const under = await open();
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, at) => stored(under, at * 50_000)),
    );
    for (const { key, size_bytes } of all) {
      assert.equal((await under.storage.stat(key))?.size_bytes, size_bytes);
    }
  });

  it('removes an object, and what is not there', async () => {
    const under = await open();
    const { key } = await stored(under, 5);

    await under.storage.remove(key);
    await under.storage.remove(key);

    assert.equal(await under.storage.stat(key), undefined);
  });
}

function copies(open: () => Promise<StorageUnderTest>) {
  it('copies any range, and leaves the receiver open', async () => {
    const under = await open();
    const { bytes, ...object } = await stored(under, 3_000_000);
    for (const [start, end] of [
      [0, 0],
      [5, 2_999_999],
      [1_048_575, 1_048_576],
      [2_999_999, 2_999_999],
    ] as const) {
      const { out, bytes: received } = collecting();
      await under.storage.copyTo(object, { start, end }, () => out);
      assert.ok(received().equals(bytes.subarray(start, end + 1)));
      assert.ok(!out.writableEnded);
    }
  });

  it('copies nothing of an object that is not as large as recorded', async () => {
    const under = await open();
    const { key } = await stored(under, 3);
    for (const [of, size_bytes, damage] of [
      [await under.newKey(), 3, 'missing'],
      [key, 4, 'truncated'],
      [key, 2, 'overlong'],
    ] as const) {
      for (const range of [undefined, { start: 0, end: 1 }]) {
        const copied = under.storage.copyTo({ key: of, size_bytes }, range, () =>
          assert.fail('begun'),
        );
        await assert.rejects(copied, { code: 'object_damaged', damage });
      }
    }
  });

  it('fails when the receiver closes', async () => {
    const under = await open();
    const object = await stored(under, 3);
    const stuck = new Writable({ write: () => setImmediate(() => stuck.destroy()) });
    await assert.rejects(
      under.storage.copyTo(object, undefined, () => stuck),
      /closed/,
    );
  });
}

function presigns(open: () => Promise<StorageUnderTest>) {
  it('lets the holder of a URL put an object, again too, and get it', async () => {
    const { storage, newKey } = await open();
    const key = await newKey();
    const put = await storage.presign('PUT', key, { expires_in: 60, size_bytes: 100_000 });

    const [first, last] = [randomBytes(100_000), randomBytes(100_000)];
    for (const body of [first, last]) {
      assert.equal((await fetch(put, { method: 'PUT', body })).status, 200);
    }

    for (let time = 0; time < 2; time++) {
      const settled = await storage.settle(key);
      assert.equal(settled?.size_bytes, 100_000);
      assert.equal(settled?.checksum_sha256 ?? sha256(last), sha256(last));
    }
    const got = await fetch(await storage.presign('GET', key, { expires_in: 60 }));
    assert.ok(Buffer.from(await got.arrayBuffer()).equals(last));
  });

  it('settles what was put last, of several URLs, and nothing where nothing was put', async () => {
    const { storage, newKey } = await open();
    const key = await newKey();
    assert.equal(await storage.settle(key), undefined);
    const options = { expires_in: 60, size_bytes: 3 };
    const unused = await storage.presign('PUT', key, options);
    const used = await storage.presign('PUT', key, options);
    assert.equal(await storage.settle(key), undefined);
    assert.ok((await fetch(used, { method: 'PUT', body: 'abc' })).ok);

    assert.equal((await storage.settle(key))?.size_bytes, 3);

    await storage.remove(key);
    for (const url of [used, unused]) await fetch(url, { method: 'PUT', body: 'xyz' });
    await storage.remove(key);
    assert.equal(await storage.settle(key), undefined);
  });

  it('lets nothing be put as nothing', async () => {
    const { storage, newKey } = await open();
    const key = await newKey();
    const url = await storage.presign('PUT', key, { expires_in: 60, size_bytes: 0 });
    assert.equal((await fetch(url, { method: 'PUT', body: '' })).status, 200);
    assert.equal((await storage.settle(key))?.size_bytes, 0);
    const { out, bytes } = collecting();
    await storage.copyTo({ key, size_bytes: 0 }, undefined, () => out);
    assert.equal(bytes().length, 0);
  });

  it('refuses a URL whose time is over, of another method, or for more or fewer bytes', async () => {
    const { storage, newKey } = await open();
    const key = await newKey();
    const put = (url: string) => fetch(url, { method: 'PUT', body: '123456' });

    for (const url of [
      await storage.presign('PUT', key, { expires_in: -1, size_bytes: 6 }),
      await storage.presign('PUT', key, { expires_in: 60, size_bytes: 5 }),
      await storage.presign('PUT', key, { expires_in: 60, size_bytes: 7 }),
      await storage.presign('GET', key, { expires_in: 60 }),
    ]) {
      assert.equal((await put(url)).ok, false, url);
    }
    assert.equal(await storage.settle(key), undefined);
  });
}
