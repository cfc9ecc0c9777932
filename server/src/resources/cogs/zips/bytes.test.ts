import assert from 'node:assert/strict';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { folder } from '../../../../test/sharing.ts';
import { readZip } from '../../../../test/zip-reader.ts';
import { fillWantedCrc32s } from '../../../objects/crc32.ts';

async function download(by: Client, id: number, headers = {}) {
  const response = await by.fetch(`/cogs/${id}/download`, { headers });
  return { response, bytes: () => response.arrayBuffer().then((all) => Buffer.from(all)) };
}

/** A folder with `first` and `second`, and ways to harm their bytes. */
async function twoFiles(firstBytes: string | Uint8Array<ArrayBuffer> = 'one') {
  const { owner, server } = await cast();
  const { db, storage, log, config } = server.services;
  const top = await folder(owner, 'top');
  const ids = [
    (await owner.upload('first', firstBytes, top.id)).body.id,
    (await owner.upload('second', 'two', top.id)).body.id,
  ];
  const objects = await db<{ id: number; key: string }[]>`
    select objects.id, key from objects join cogs on object_id = objects.id
    where cogs.id = any(${ids}) order by cogs.name
  `;
  const paths = objects.map(({ key }) => join(config.storage_dir, 'objects', key));
  return {
    ...{ owner, db, top },
    objectIds: objects.map(({ id }) => id),
    paths: paths as [string, string],
    fill: (stopping = new AbortController().signal) =>
      fillWantedCrc32s({ db, storage, log }, 100, stopping),
  };
}

describe('a ZIP of damaged bytes', () => {
  it('is an error if none of it was sent, and else ends the connection', async () => {
    const { owner, top, paths } = await twoFiles(new Uint8Array(300_000));
    await rm(paths[1]);

    const { response, bytes } = await download(owner, top.id);
    assert.equal(response.status, 200);
    await assert.rejects(bytes());

    await rm(paths[0]);
    const { response: none, bytes: told } = await download(owner, top.id);
    assert.equal(none.status, 500);
    assert.equal(none.headers.get('content-disposition'), null);
    assert.equal(JSON.parse((await told()).toString()).code, 'object_damaged');
  });

  it('resumes without reading what is before', async () => {
    const { owner, top, paths } = await twoFiles();
    const whole = await (await download(owner, top.id)).bytes();
    const second = readZip(whole).find(({ name }) => name === 'top/second')?.start ?? 0;
    await rm(paths[0]);

    const { response, bytes } = await download(owner, top.id, { range: `bytes=${second}-` });

    assert.equal(response.status, 206);
    assert.ok((await bytes()).equals(whole.subarray(second)));
  });
});

describe('bytes without a CRC-32, from an earlier release', () => {
  it('are read once for a ZIP, which is the same as with one', async () => {
    const { owner, top, db, objectIds } = await twoFiles();
    const { response, bytes } = await download(owner, top.id);
    const before = await db`select id, crc32 from objects where id = any(${objectIds}) order by id`;
    await db`update objects set crc32 = null where id = any(${objectIds})`;

    const again = await download(owner, top.id);

    assert.equal(again.response.headers.get('etag'), response.headers.get('etag'));
    assert.ok((await again.bytes()).equals(await bytes()));
    const after = await db`select id, crc32 from objects where id = any(${objectIds}) order by id`;
    assert.deepEqual([...after], [...before]);
  });

  it('are read by a duty if they are many, and until then the ZIP is in preparation', async () => {
    const { owner, top, db, objectIds, paths, fill } = await twoFiles();
    const size = 300 * 1024 * 1024;
    await truncate(paths[1], size);
    await db`
      update objects set crc32 = null, size_bytes = ${size} where id = ${objectIds[1] as number}
    `;

    const { response, bytes } = await download(owner, top.id);
    assert.equal(response.status, 503);
    assert.ok(Number(response.headers.get('retry-after')) >= 3);
    assert.equal(JSON.parse((await bytes()).toString()).code, 'zip_in_preparation');

    assert.equal(await fill(AbortSignal.abort()), 0);
    assert.equal((await download(owner, top.id)).response.status, 503);
    assert.equal(await fill(), 1);
    assert.equal(await fill(), 0);
    assert.equal(readZip(await (await download(owner, top.id)).bytes()).length, 3);
  });

  it('are not waited for again when they are damaged: then the ZIP says so', async () => {
    const { owner, top, db, objectIds, paths, fill } = await twoFiles();
    await db`update objects set crc32 = null, crc32_wanted = true where id = any(${objectIds})`;
    await writeFile(paths[0], 'longer than recorded');

    assert.equal(await fill(), 2);
    assert.equal(await fill(), 0);

    const { response, bytes } = await download(owner, top.id);
    assert.equal(response.status, 500);
    assert.equal(JSON.parse((await bytes()).toString()).code, 'object_damaged');
  });
});

describe('a ZIP of more than 4 GiB', () => {
  it('tells sizes and offsets in ZIP64 fields, and resumes behind them', async () => {
    const { owner, top, db, objectIds, paths } = await twoFiles();
    const size = 5 * 2 ** 30;
    await truncate(paths[0], size);
    // A sparse file of zeros, apart from its first bytes. Nobody reads it here, so any CRC will do.
    await db`
      update objects set crc32 = 1, size_bytes = ${size} where id = ${objectIds[0] as number}
    `;
    await owner.upload('third', 'three', top.id);

    const head = await owner.fetch(`/cogs/${top.id}/download`, { method: 'HEAD' });
    const length = Number(head.headers.get('content-length'));
    assert.ok(length > size);
    const part = async (start: number, end = length - 1) =>
      (await download(owner, top.id, { range: `bytes=${start}-${end}` })).bytes();
    const front = await part(0, 200);
    const dataAt = front.indexOf('one');
    const tail = await part(dataAt + size);

    // The same ZIP with a hole in the place of the zeros.
    const directoryAt = tail.indexOf('PK\x01\x02');
    assert.equal(tail.subarray(0, 4).toString('latin1'), 'PK\x03\x04');
    assert.match(
      tail.subarray(0, directoryAt).toString('latin1'),
      /top\/second.*two.*third.*three/s,
    );
    const offsets = [];
    for (let at = directoryAt; at >= 0; at = tail.indexOf('PK\x01\x02', at + 1)) {
      const extra = at + 46 + tail.readUInt16LE(at + 28) + 9;
      const isZip64 = tail.readUInt16LE(at + 30) > 9;
      if (!isZip64) continue;
      assert.deepEqual([tail.readUInt16LE(at + 6), tail.readUInt16LE(extra)], [45, 1]);
      const fields = tail.readUInt16LE(extra + 2) / 8;
      offsets.push(Number(tail.readBigUInt64LE(extra + 4 + (fields - 1) * 8)));
    }
    assert.deepEqual(offsets.slice(0, 2), [size, dataAt + size]);
    assert.equal(offsets.length, 3);
    const end = tail.indexOf('PK\x06\x06');
    assert.equal(Number(tail.readBigUInt64LE(end + 48)), dataAt + size + directoryAt);
    assert.equal(front.readUInt16LE(front.indexOf('top/first') - 30 + 4), 45);
  });
});
