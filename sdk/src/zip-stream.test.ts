import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { folder } from '../../server/test/sharing.ts';
import { zipMembers } from './zip-stream.ts';

/** A ZIP of the service. */
async function someZip(): Promise<Buffer> {
  const { owner } = await cast();
  const top = await folder(owner, 'Top');
  await owner.upload('a ü.txt', 'first', top.id);
  await owner.upload('b', '', top.id);
  await owner.upload('c', 'x'.repeat(5000), top.id);
  return Buffer.from(await (await owner.fetch(`/cogs/${top.id}/download`)).arrayBuffer());
}

async function* inPieces(bytes: Uint8Array, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function membersOf(bytes: Uint8Array, length: number, most = 10_000) {
  const found: [string, number][] = [];
  for await (const { name, bytes: own } of zipMembers(inPieces(bytes, length), most)) {
    found.push([name, own.length]);
  }
  return found;
}

describe('zipMembers', () => {
  it('reads a ZIP of the service, in whatever pieces it comes', async () => {
    const zip = await someZip();
    for (const length of [1, 7, 31, 1000, zip.length]) {
      assert.deepEqual(await membersOf(zip, length), [
        ['Top/a ü.txt', 5],
        ['Top/b', 0],
        ['Top/c', 5000],
      ]);
    }
  });

  it('fails if it breaks off, is no ZIP, or holds what is too large', async () => {
    const zip = await someZip();
    await assert.rejects(membersOf(zip.subarray(0, 1000), 100), /broke off/);
    await assert.rejects(membersOf(new Uint8Array(0), 100), /broke off/);
    await assert.rejects(membersOf(Buffer.from('<h1>Welcome</h1>'), 100), /not a ZIP/);
    await assert.rejects(membersOf(zip, 100, 4999), /cannot be read while it comes/);
  });

  it('ends the stream when nobody wants the rest', async () => {
    const zip = await someZip();
    let isEnded = false;
    const pieces = async function* () {
      try {
        yield* inPieces(zip, 64);
      } finally {
        isEnded = true;
      }
    };
    for await (const _ of zipMembers(pieces(), 10_000)) break;
    assert.ok(isEnded);
  });
});
