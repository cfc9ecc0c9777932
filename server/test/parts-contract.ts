/**
 * The contract of objects that arrive in parts (src/storage/parts.ts), for every storage. Each
 * storage's own test calls this; see storage-contract.ts for objects in one piece.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import type { PartStorage, PartUpload, StoredPart } from '../src/storage/parts.ts';
import type { ByteRange, Storage } from '../src/storage/storage.ts';

export type PartsUnderTest = {
  storage: Storage & PartStorage;
  /** A new key, valid for presigned URLs. */
  newKey(): Promise<string>;
  /** The smallest size that the storage takes for parts other than the last. */
  part_bytes: number;
};

type Open = () => Promise<PartsUnderTest>;

/** Tests one storage; `open` is called for each test, and may return the same one. */
export function keepsThePartsContract(name: string, open: Open) {
  describe(`${name} keeps the contract of objects in parts`, () => {
    completes(open);
    refusesParts(open);
    refusesToComplete(open);
    ends(open);
  });
}

/** An upload that has begun, with the bytes that its parts should have. */
async function begun({ storage, newKey, part_bytes }: PartsUnderTest, full: number, rest: number) {
  const bytes = randomBytes(full * part_bytes + rest);
  const key = await newKey();
  const size_bytes = bytes.length;
  const storage_upload_id = await storage.beginParts(key, { size_bytes, part_bytes });
  const upload: PartUpload = { key, storage_upload_id };
  const partOf = (number: number) => bytes.subarray((number - 1) * part_bytes, number * part_bytes);
  const urlOf = (part_number: number, size = partOf(part_number).length, expires_in = 60) =>
    storage.presignPart(upload, { part_number, size_bytes: size }, expires_in);
  const put = async (number: number, body: Uint8Array<ArrayBuffer> = partOf(number)) =>
    send(await urlOf(number), body);
  return { storage, upload, key, bytes, size_bytes, partOf, urlOf, put };
}

async function send(url: string, body: string | Uint8Array<ArrayBuffer>, more: RequestInit = {}) {
  const answer = await fetch(url, { method: 'PUT', body, ...more });
  return { ok: answer.ok, status: answer.status, etag: unquoted(answer.headers.get('etag')) };
}

const unquoted = (etag: string | null) => etag?.replaceAll('"', '');

async function copied(
  storage: Storage,
  object: { key: string; size_bytes: number },
  at?: ByteRange,
) {
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
  await storage.copyTo(object, at, () => out);
  return Buffer.concat(chunks);
}

/** The stored parts of an upload that is open. */
async function partsOf(storage: PartStorage, upload: PartUpload): Promise<StoredPart[]> {
  const parts = await storage.storedParts(upload);
  assert.ok(parts, 'the upload is open');
  return parts;
}

function completes(open: Open) {
  it('makes an object of parts that came in any order, and reads any range of it', async () => {
    const under = await open();
    const { storage, upload, put, partOf, bytes, key, size_bytes } = await begun(under, 3, 7);
    assert.deepEqual(await storage.storedParts(upload), []);

    const etags: (string | undefined)[] = [];
    for (const number of [4, 2, 1, 3]) etags[number - 1] = (await put(number)).etag;

    const parts = await partsOf(storage, upload);
    assert.deepEqual(
      parts,
      [1, 2, 3, 4].map((part_number) => ({
        part_number,
        size_bytes: partOf(part_number).length,
        etag: etags[part_number - 1],
      })),
    );
    assert.equal(await storage.stat(key), undefined);
    assert.equal(await storage.completeParts(upload, parts), true);
    assert.equal((await storage.stat(key))?.size_bytes, size_bytes);
    assert.ok((await copied(storage, { key, size_bytes })).equals(bytes));
    const { part_bytes: edge } = under;
    for (const [start, end] of [
      [0, 0],
      [edge - 1, edge],
      [edge, 2 * edge - 1],
      [1, size_bytes - 2],
      [3 * edge, size_bytes - 1],
      [size_bytes - 1, size_bytes - 1],
    ] as const) {
      const range = await copied(storage, { key, size_bytes }, { start, end });
      assert.ok(range.equals(bytes.subarray(start, end + 1)), `${start}-${end}`);
    }
    await storage.remove(key);
    assert.equal(await storage.stat(key), undefined);
  });

  it('completes once, and says so again', async () => {
    const under = await open();
    const { storage, upload, put } = await begun(under, 1, 1);
    const url = await storage.presignPart(upload, { part_number: 2, size_bytes: 1 }, 60);
    await Promise.all([put(1), put(2)]);
    const parts = await partsOf(storage, upload);

    assert.equal(await storage.completeParts(upload, parts), true);
    assert.equal(await storage.completeParts(upload, parts), true);

    assert.equal(await storage.storedParts(upload), undefined);
    assert.equal((await send(url, 'x')).ok, false, 'no part can be stored any more');
  });

  it('counts the last PUT of a part', async () => {
    const under = await open();
    const { storage, upload, put, key, bytes, size_bytes } = await begun(under, 1, 9);
    await put(1);
    const first = await put(2, Buffer.from('123456789'));
    const again = await put(2, Buffer.from('123456789'));
    const last = await put(2);

    assert.equal(first.etag, again.etag);
    const parts = await partsOf(storage, upload);
    assert.deepEqual(parts[1]?.etag, last.etag);
    assert.notEqual(first.etag, last.etag);
    assert.equal(await storage.completeParts(upload, parts), true);
    assert.ok((await copied(storage, { key, size_bytes })).equals(bytes));
  });

  it('keeps one of two PUTs of a part that come at once', async () => {
    const under = await open();
    const { storage, upload, put } = await begun(under, 1, 5);
    const bodies = ['aaaaa', 'bbbbb', 'ccccc', 'ddddd'].map((text) => Buffer.from(text));

    const answers = await Promise.all(bodies.map((body) => put(2, body)));

    const stored = answers.filter(({ ok }) => ok).map(({ etag }) => etag);
    const parts = await partsOf(storage, upload);
    assert.equal(parts.length, 1);
    assert.ok(stored.includes(parts[0]?.etag));
  });

  it('finds damage of a part when it is read, before any byte is sent', async () => {
    const under = await open();
    const { storage, upload, put, key, size_bytes } = await begun(under, 1, 1);
    await Promise.all([put(1), put(2)]);
    await storage.completeParts(upload, await partsOf(storage, upload));
    for (const [recorded, damage] of [
      [size_bytes + 1, 'truncated'],
      [size_bytes - 1, 'overlong'],
    ] as const) {
      const object = { key, size_bytes: recorded };
      const begin = () => assert.fail('begun');
      for (const range of [undefined, { start: 0, end: 1 }]) {
        await assert.rejects(storage.copyTo(object, range, begin), { damage });
      }
    }
  });
}

function refusesParts(open: Open) {
  it('stores nothing of a part that is too long, too short, or breaks off', async () => {
    const under = await open();
    const { storage, upload, put, urlOf } = await begun(under, 1, 10);

    assert.equal((await put(2, Buffer.from('12345678901'))).ok, false);
    assert.equal((await put(2, Buffer.from('123456789'))).ok, false);
    assert.equal((await put(2, Buffer.from(''))).ok, false);
    const breaking = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from('123'));
        controller.error(new Error('gone'));
      },
    });
    const broken = { body: breaking, duplex: 'half' } as RequestInit;
    await assert.rejects(send(await urlOf(2), '', broken));

    assert.deepEqual(await storage.storedParts(upload), []);
  });

  it('lets a URL store its own part alone, in its time', async () => {
    const under = await open();
    const { storage, upload, urlOf } = await begun(under, 1, 3);
    const other = await begun(under, 1, 3);
    const good = new URL(await urlOf(2));
    const changed = (change: (url: URL) => void) => {
      const copy = new URL(good);
      change(copy);
      return copy.href;
    };
    const path = (url: string) => new URL(url).pathname;
    const elsewhere = path(await other.urlOf(2));
    const bad = [
      await urlOf(2, 3, -1),
      changed((url) => {
        url.pathname = elsewhere;
      }),
      ...[...good.searchParams.keys()].map((name) =>
        changed((url) => url.searchParams.set(name, '1')),
      ),
      ...[...good.searchParams.keys()].map((name) =>
        changed((url) => url.searchParams.delete(name)),
      ),
    ];
    for (const url of bad) assert.equal((await send(url, 'abc')).ok, false, url);
    assert.deepEqual(await storage.storedParts(upload), []);
    assert.deepEqual(await storage.storedParts(other.upload), []);
    assert.equal((await send(good.href, 'abc')).ok, true);
  });
}

function refusesToComplete(open: Open) {
  it('changes nothing if a part is missing or was replaced', async () => {
    const under = await open();
    const { storage, upload, put, key, bytes, size_bytes } = await begun(under, 1, 4);
    await put(1);
    await put(2, Buffer.from('1234'));
    const before = await partsOf(storage, upload);
    await put(2);

    assert.equal(await storage.completeParts(upload, before), false);
    const missing = [...before, { part_number: 3, size_bytes: 1, etag: before[0]?.etag ?? '' }];
    assert.equal(await storage.completeParts(upload, missing), false);

    assert.equal(await storage.stat(key), undefined);
    const now = await partsOf(storage, upload);
    assert.equal(await storage.completeParts(upload, now), true);
    assert.ok((await copied(storage, { key, size_bytes })).equals(bytes));
  });

  it('knows nothing of another upload', async () => {
    const under = await open();
    const { storage, upload, put } = await begun(under, 0, 4);
    const other = await begun(under, 0, 4);
    await put(1);
    const mixed = { ...other.upload, storage_upload_id: upload.storage_upload_id };

    assert.equal(await storage.storedParts(mixed), undefined);
    assert.equal(await storage.completeParts(mixed, await partsOf(storage, upload)), false);
  });
}

function ends(open: Open) {
  it('removes all parts of a key without its id, again too, and takes no more', async () => {
    const under = await open();
    const { storage, upload, put, urlOf } = await begun(under, 1, 4);
    await put(1);
    const url = await urlOf(2);

    await storage.abortParts(upload.key);
    await storage.abortParts(upload.key);

    assert.equal(await storage.storedParts(upload), undefined);
    assert.equal((await send(url, '1234')).ok, false);
    assert.equal(await storage.storedParts(upload), undefined);
    assert.equal(await storage.completeParts(upload, []), false);
  });

  it('leaves an object that was completed', async () => {
    const under = await open();
    const { storage, upload, put, key, bytes, size_bytes } = await begun(under, 1, 4);
    await Promise.all([put(1), put(2)]);
    await storage.completeParts(upload, await partsOf(storage, upload));

    await storage.abortParts(key);

    assert.ok((await copied(storage, { key, size_bytes })).equals(bytes));
  });
}
