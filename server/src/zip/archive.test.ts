import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { readZip } from '../../test/zip-reader.ts';
import { copyArchive, type Source } from './archive.ts';
import { type Layout, Members } from './members.ts';

const numbered = (name: string, number: number) => `${name} (${number})`;

/** Objects in memory, by their number from 1; counts what is read. */
function memory(objects: readonly Buffer[]) {
  let expected = new Set<number>();
  const read: number[] = [];
  const source: Source = {
    expect: async (ids) => {
      expected = new Set(ids);
    },
    copyTo: async (id, { start, end }, begin) => {
      assert.ok(expected.has(id));
      read.push(id);
      const bytes = objects[id - 1]?.subarray(start, end + 1);
      await new Promise((done) => begin().write(bytes, done));
    },
  };
  return { source, read };
}

async function bytesOf(layout: Layout, source: Source, range?: { start: number; end: number }) {
  const chunks: Buffer[] = [];
  const out = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  await copyArchive(layout, source, range, () => out);
  return Buffer.concat(chunks);
}

const fileOf = (object_id: number, bytes: Buffer) => ({
  ...{ object_id, size_bytes: bytes.length, crc32: crc32(bytes) },
});

describe('a ZIP', () => {
  it('of more than 65,535 members counts them in a ZIP64 field', async () => {
    const members = new Members();
    const bytes = Buffer.from('of all');
    const folder = members.add({ folder: undefined, name: 'many', modified: 1 });
    for (let number = 70_000; number >= 1; number -= 1) {
      members.add({ folder, name: `${number}`, modified: 1, file: fileOf(1, bytes) });
    }
    const layout = await members.arrange(numbered);
    const { source } = memory([bytes]);

    const zip = await bytesOf(layout, source);

    assert.equal(zip.length, layout.size_bytes);
    const found = readZip(zip);
    assert.equal(found.length, 70_001);
    const names = found.map(({ name }) => name);
    assert.deepEqual(names, names.toSorted());
  });

  it('of any tree gives any range, and reads only the members in it', async () => {
    const name = fc.constantFrom('a', 'A', 'b', 'é', 'c.txt', 'C.txt', 'x'.repeat(200));
    const size = fc.constantFrom(0, 1, 7, 65_536, 65_537, 200_000);
    const tree = fc.array(fc.record({ at: fc.nat(), name, size, isFolder: fc.boolean() }), {
      maxLength: 30,
    });
    const ends = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
    );
    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.array(ends, { minLength: 3, maxLength: 3 }),
        async (all, ranges) => {
          const members = new Members();
          const folders: (number | undefined)[] = [undefined];
          const objects: Buffer[] = [];
          for (const { at, isFolder, ...one } of all) {
            const place = { folder: folders[at % folders.length], name: one.name, modified: at };
            if (isFolder) folders.push(members.add(place));
            else {
              objects.push(Buffer.alloc(one.size, objects.length + 1));
              members.add({ ...place, file: fileOf(objects.length, objects.at(-1) as Buffer) });
            }
          }
          const layout = await members.arrange(numbered);
          const { source, read } = memory(objects);

          const whole = await bytesOf(layout, source);

          const found = readZip(whole);
          assert.equal(found.length, all.length);
          assert.equal(new Set(found.map(({ name: one }) => one.toLowerCase())).size, all.length);
          for (const [one, other] of ranges) {
            const [start, end] = [one, other]
              .map((part) => Math.floor(part * (whole.length - 1)))
              .sort((a, b) => a - b) as [number, number];
            read.length = 0;
            const part = await bytesOf(layout, source, { start, end });
            assert.ok(part.equals(whole.subarray(start, end + 1)), `${start}-${end}`);
            const inRange = found.filter(
              (entry) => entry.bytes.length > 0 && entry.end > start && entry.start <= end,
            );
            assert.ok(read.length <= inRange.length);
          }
        },
      ),
      { numRuns: 100, seed: 20261122 },
    );
  });
});
