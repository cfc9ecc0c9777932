/** A strict reader of ZIP files: fails on anything that some reader might not accept. */
import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';

export type Entry = {
  name: string;
  bytes: Buffer;
  /** Of the local header and behind the bytes. */
  start: number;
  end: number;
  modified: number;
};

/** The members, after checking every record against every other. */
export function readZip(zip: Buffer): Entry[] {
  const { count, start: directory, end } = readEnd(zip);
  const entries: Entry[] = [];
  let at = directory;
  let behind = 0;
  for (let number = 0; number < count; number += 1) {
    const central = readHeader(zip, at, 'central');
    assert.equal(central.offset, behind, 'members follow each other without gaps');
    const local = readHeader(zip, central.offset, 'local');
    const { name, size, crc, modified } = central;
    assert.deepEqual(
      [local.name, local.size, local.crc, local.modified],
      [name, size, crc, modified],
    );
    behind = local.end + size;
    const bytes = zip.subarray(local.end, behind);
    assert.equal(crc32(bytes), crc, name);
    if (name.endsWith('/')) assert.equal(size, 0);
    entries.push({ name, bytes, start: central.offset, end: behind, modified });
    at = central.end;
  }
  assert.equal(behind, directory, 'the directory follows the members');
  assert.equal(at, end, 'the end follows the directory');
  return entries;
}

export const namesOf = (zip: Buffer) => readZip(zip).map(({ name }) => name);

const full32 = 0xffff_ffff;

function readEnd(zip: Buffer) {
  const at = zip.length - 22;
  assert.equal(zip.readUInt32LE(at), 0x0605_4b50);
  assert.deepEqual([zip.readUInt32LE(at + 4), zip.readUInt16LE(at + 20)], [0, 0]);
  const count = zip.readUInt16LE(at + 10);
  assert.equal(zip.readUInt16LE(at + 8), count);
  const [size, start] = [zip.readUInt32LE(at + 12), zip.readUInt32LE(at + 16)];
  if (count < 0xffff && size < full32 && start < full32) {
    assert.equal(start + size, at);
    return { count, start, end: at };
  }
  const locator = at - 20;
  assert.equal(zip.readUInt32LE(locator), 0x0706_4b50);
  const large = Number(zip.readBigUInt64LE(locator + 8));
  assert.equal(large, locator - 56);
  assert.equal(zip.readUInt32LE(large), 0x0606_4b50);
  assert.equal(Number(zip.readBigUInt64LE(large + 4)), 44);
  const [here, all, bytes, offset] = [24, 32, 40, 48].map((field) =>
    Number(zip.readBigUInt64LE(large + field)),
  ) as [number, number, number, number];
  assert.equal(here, all);
  for (const [old, real, most] of [
    [count, all, 0xffff],
    [size, bytes, full32],
    [start, offset, full32],
  ] as const) {
    assert.equal(old, Math.min(real, most));
  }
  assert.equal(offset + bytes, large);
  return { count: all, start: offset, end: large };
}

function readHeader(zip: Buffer, at: number, kind: 'local' | 'central') {
  const isCentral = kind === 'central';
  assert.equal(zip.readUInt32LE(at), isCentral ? 0x0201_4b50 : 0x0403_4b50, `${kind} at ${at}`);
  const fields = at + (isCentral ? 6 : 4);
  assert.equal(zip.readUInt16LE(fields + 2), 0x0800, 'UTF-8, no descriptor');
  assert.equal(zip.readUInt16LE(fields + 4), 0, 'stored');
  const crc = zip.readUInt32LE(fields + 10);
  const nameBytes = zip.readUInt16LE(fields + 22);
  const extraBytes = zip.readUInt16LE(fields + 24);
  const nameAt = at + (isCentral ? 46 : 30);
  const name = new TextDecoder('utf-8', { fatal: true }).decode(
    zip.subarray(nameAt, nameAt + nameBytes),
  );
  const wide = {
    packed: zip.readUInt32LE(fields + 14),
    size: zip.readUInt32LE(fields + 18),
    offset: isCentral ? zip.readUInt32LE(at + 42) : 0,
  };
  let modified = 0;
  const end = nameAt + nameBytes + extraBytes;
  for (let extra = nameAt + nameBytes; extra < end; ) {
    const [id, length] = [zip.readUInt16LE(extra), zip.readUInt16LE(extra + 2)];
    if (id === 0x5455) modified = zip.readInt32LE(extra + 5);
    if (id === 0x0001) {
      let field = extra + 4;
      for (const key of ['size', 'packed', 'offset'] as const) {
        if (wide[key] !== full32) continue;
        wide[key] = Number(zip.readBigUInt64LE(field));
        field += 8;
      }
      assert.equal(field, extra + 4 + length);
    }
    extra += 4 + length;
  }
  assert.equal(wide.packed, wide.size);
  const isZip64 = Object.values(wide).some((value) => value >= full32);
  assert.equal(zip.readUInt16LE(fields), isZip64 ? 45 : name.endsWith('/') ? 20 : 10);
  return { ...wide, name, crc, modified, end };
}
