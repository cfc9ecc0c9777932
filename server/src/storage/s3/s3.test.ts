import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createServer, connect as dial, type Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { crc32 } from 'node:zlib';
import { keepsThePartsContract } from '../../../test/parts-contract.ts';
import { storageSettings } from '../../../test/storage.ts';
import { keepsTheStorageContract } from '../../../test/storage-contract.ts';
import { ConfigError, readConfig, type S3Location } from '../../config.ts';
import { openBucket } from './bucket.ts';
import { s3Storage } from './s3.ts';
import { sizeOfPart } from './write.ts';

const { s3: location } = readConfig(storageSettings(randomUUID()));
const newKey = async () => `1/${randomUUID()}`;
const skip = location ? false : '`npm run test:s3` runs it';

if (location) {
  const storage = await s3Storage(location);
  const served = async () => ({ storage, newKey, part_bytes: 5 * 1024 * 1024 });
  keepsTheStorageContract('S3 storage', served);
  keepsThePartsContract('S3 storage', served);
}

/** A storage of its own, with the bucket behind it. */
async function fresh(place = location) {
  if (!place) throw new Error('There is no bucket.');
  const own = { ...place, prefix: `${randomUUID()}/` };
  const storage = await s3Storage(own);
  const bucket = openBucket(own);
  const pathOf = (key: string) => `${own.prefix}objects/${key}`;
  return { own, storage, bucket, pathOf };
}

/** A stream of random bytes, and their checksums as far as they were read. */
function many(size: number, end: () => void = () => {}) {
  const hash = createHash('sha256');
  let crc = 0;
  const piece = randomBytes(700_001);
  function* pieces() {
    for (let left = size; left > 0; left -= piece.length) {
      const bytes = piece.subarray(0, left);
      hash.update(bytes);
      crc = crc32(bytes, crc);
      yield bytes;
    }
    end();
  }
  const sums = () => ({ checksum_sha256: hash.digest('hex'), crc32: crc });
  return { stream: Readable.from(pieces()), sums };
}

describe('a file of many parts in a bucket', { skip }, () => {
  it('is stored as it came, announced or not', async () => {
    const { storage } = await fresh();
    for (const [size_bytes, expected_bytes] of [
      [8 * 1024 * 1024, 0],
      [16 * 1024 * 1024, 16 * 1024 * 1024],
      [30_000_001, 0],
      [30_000_001, 30_000_500],
    ] as const) {
      const [key, { stream, sums }] = [await newKey(), many(size_bytes)];
      const stored = await storage.write(key, stream, { expected_bytes });
      assert.deepEqual(stored, { size_bytes, ...sums() });
      const hash = createHash('sha256');
      await storage.copyTo({ key, size_bytes }, undefined, () => hash);
      assert.equal(hash.digest('hex'), stored.checksum_sha256);
    }
  });

  it('leaves nothing behind when it breaks off, or is too large', async () => {
    const { storage, bucket, pathOf } = await fresh();
    const [broken, large] = [await newKey(), await newKey()];
    const { stream } = many(20_000_000, () => {
      throw new Error('gone');
    });

    await assert.rejects(storage.write(broken, stream), /gone/);
    await assert.rejects(storage.write(large, many(20_000_000).stream, { max_bytes: 19_999_999 }), {
      problem: 'too_large',
    });

    for (const key of [broken, large]) {
      assert.deepEqual(await bucket.uploads(pathOf(key)), []);
      assert.equal(await storage.stat(key), undefined);
    }
  });

  it('leaves nothing behind once its object is removed, whoever wrote it has died', async () => {
    const { storage, bucket, pathOf } = await fresh();
    const key = await newKey();
    const id = await bucket.begin(pathOf(key));
    const bytes = Buffer.alloc(5 * 1024 * 1024);
    const etag = await bucket.putPart(
      pathOf(key),
      id,
      { number: 1, bytes },
      new AbortController().signal,
    );

    await storage.remove(key);

    assert.deepEqual(await bucket.uploads(pathOf(key)), []);
    assert.equal(await bucket.complete(pathOf(key), id, [{ part_number: 1, etag }]), 'gone');
  });
});

describe('the parts of a file', () => {
  it('are of one size where it is known, at most 10,000, and never below the smallest of S3', () => {
    assert.equal(sizeOfPart(1, 100), 8 * 1024 * 1024);
    for (const expected of [1, 83_886_080_001, 5 * 1024 ** 4]) {
      assert.ok(sizeOfPart(1, expected) * 10_000 >= expected);
      assert.equal(sizeOfPart(1, expected), sizeOfPart(10_000, expected));
    }
  });

  it('grow where it is not known, so that they suffice for 480 GiB', () => {
    let most = 0;
    for (let number = 1; number <= 10_000; number++) most += sizeOfPart(number, 0);
    assert.ok(most > 480 * 1024 ** 3);
  });
});

/** The endpoint through a relay that cuts each answer after some bytes. */
async function cutting(place: S3Location) {
  const far = new URL(place.endpoint ?? '');
  const sockets = new Set<Socket>();
  const state = { after: Number.POSITIVE_INFINITY, cuts: 0 };
  const relay = createServer((near) => {
    const other = dial(Number(far.port), far.hostname);
    let passed = 0;
    for (const [socket, peer] of [
      [near, other],
      [other, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => peer.destroy());
    }
    near.on('data', (bytes) => void other.write(bytes));
    other.on('data', (bytes) => {
      passed += bytes.length;
      near.write(bytes);
      if (passed < state.after) return;
      state.cuts++;
      near.end();
      other.destroy();
    });
  });
  await new Promise<void>((ready) => relay.listen(0, '127.0.0.1', ready));
  after(() => {
    relay.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = relay.address() as { port: number };
  return { state, place: { ...place, endpoint: `http://127.0.0.1:${port}` } };
}

/** Bytes in use outside of the heap, without garbage. */
function bytesInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().external;
}

describe('copying from a bucket', { skip }, () => {
  it('keeps nothing of what it has sent', async () => {
    const { storage } = await fresh();
    const [key, size_bytes] = [await newKey(), 60_000_000];
    await storage.write(key, many(size_bytes).stream);
    const before = bytesInUse();
    let [sent, most] = [0, 0];
    const out = new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (Math.floor(sent / 1e7) < Math.floor((sent + chunk.length) / 1e7))
          most = Math.max(most, bytesInUse() - before);
        sent += chunk.length;
        setImmediate(done);
      },
    });

    await storage.copyTo({ key, size_bytes }, undefined, () => out);

    assert.equal(sent, size_bytes);
    assert.ok(most < size_bytes / 3, `${most}`);
  });

  it('goes on where its connection is cut, and every byte comes once', async () => {
    const { state, place } = await cutting(location as S3Location);
    const { storage } = await fresh(place);
    const [key, bytes] = [await newKey(), randomBytes(6_000_000)];
    await storage.write(key, Readable.from([bytes]));
    state.after = 1_500_000;

    const chunks: Buffer[] = [];
    const out = new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(Buffer.from(chunk));
        setImmediate(done);
      },
    });
    await storage.copyTo(
      { key, size_bytes: bytes.length },
      { start: 1, end: 5_999_998 },
      () => out,
    );

    assert.ok(Buffer.concat(chunks).equals(bytes.subarray(1, 5_999_999)));
    assert.ok(state.cuts >= 3);
  });

  it('fails when the object was replaced in between, and sends nothing of the other', async () => {
    const { state, place } = await cutting(location as S3Location);
    const { storage, bucket, pathOf } = await fresh(place);
    const [key, size_bytes] = [await newKey(), 6_000_000];
    await storage.write(key, Readable.from([Buffer.alloc(size_bytes, 'a')]));
    state.after = 1_000_000;
    let replaced: Promise<void> | undefined;
    let text = '';
    const out = new Writable({
      write(chunk: Buffer, _encoding, done) {
        text += chunk.toString();
        replaced ??= bucket.put(pathOf(key), Buffer.alloc(size_bytes, 'b'));
        replaced.then(() => done(), done);
      },
    });

    await assert.rejects(
      storage.copyTo({ key, size_bytes }, undefined, () => out),
      /was replaced/,
    );

    assert.match(text, /^a+$/);
  });
});

describe('a bucket that cannot be used', { skip }, () => {
  const refused = (change: Partial<S3Location>, words: RegExp) =>
    assert.rejects(
      s3Storage({ ...(location as S3Location), ...change }),
      (error) => error instanceof ConfigError && words.test(error.message),
    );

  it('is named, with what to do', async () => {
    await refused({ bucket: 'there-is-none' }, /there-is-none at http.*does not exist: create it/);
    await refused({ endpoint: 'http://127.0.0.1:1' }, /ECONNREFUSED/);
  });

  it('is refused for wrong or missing credentials', async () => {
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = process.env;
    try {
      process.env.AWS_SECRET_ACCESS_KEY = 'wrong';
      await refused({}, /AWS_SECRET_ACCESS_KEY is wrong/);
      process.env.AWS_ACCESS_KEY_ID = 'unknown';
      await refused({}, /does not know AWS_ACCESS_KEY_ID/);
      delete process.env.AWS_ACCESS_KEY_ID;
      process.env.AWS_EC2_METADATA_DISABLED = 'true';
      await refused({}, /there are no credentials: set AWS_ACCESS_KEY_ID/);
    } finally {
      Object.assign(process.env, { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret });
    }
  });

  it('has one id, however many processes open it first at once', async () => {
    const own = { ...(location as S3Location), prefix: `${randomUUID()}/` };
    const opened = await Promise.all(Array.from({ length: 8 }, () => s3Storage(own)));
    assert.equal(new Set(opened.map(({ id }) => id)).size, 1);
    await Promise.all(opened.map((storage) => storage.check()));
  });

  it('does not answer once it is another', async () => {
    const { own, storage, bucket } = await fresh();
    await bucket.put(`${own.prefix}cogworks-storage-id`, 'another');
    await assert.rejects(storage.check(), /another storage/);
    await bucket.remove(`${own.prefix}cogworks-storage-id`);
    await assert.rejects(storage.check(), /is missing/);
  });
});
