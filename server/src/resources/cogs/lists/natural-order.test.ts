import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { davClient } from '../../../../test/dav.ts';
import { nextOf, pages } from '../../../../test/pages.ts';
import { folder, share } from '../../../../test/sharing.ts';

const names = (cogs: readonly { name: string }[]) => cogs.map(({ name }) => name);

/** In the order that people expect. */
const ordered = [
  '_draft',
  '-1',
  '(old) plan',
  '#1',
  '+1',
  '😀 party',
  '2 July',
  '10 July',
  'Äpfel',
  'apple',
  'cafe',
  'Cafe',
  'café',
  // Equal but for their bytes.
  'scan 001',
  'scan 01',
  'scan 1',
  'scan 1a',
  'scan 2',
  'scan 2 (2)',
  'scan 2 (10)',
  'scan 10',
  'scan 18446744073709551617',
  'Zebra',
  'Ωmega',
  'Яблоко',
  'אבא',
  'מים 2',
  'מים 10',
  'ملف ٢',
  'ملف ١٠',
  '山',
];

/** Neither the order nor its reverse. */
const shuffled = ordered.map((_, at) => ordered[(at * 11) % ordered.length] ?? '');

/** A folder of folders and files with these names. */
async function filled(by: Client, all: readonly string[]) {
  const { id } = await folder(by, 'In order');
  for (const [at, name] of all.entries()) {
    if (at % 2 === 0) await folder(by, name, id);
    else await by.upload(name, 'x', id);
  }
  return id;
}

describe('names in lists', () => {
  it('are in the order of their numbers and letters, both ways, on pages of any size', async () => {
    const { owner } = await cast();
    const id = await filled(owner, shuffled);

    for (const limit of [1, 3, 100]) {
      const up = await pages(owner, `/cogs/?parent_id=${id}&limit=${limit}`);
      assert.deepEqual(names(up.flat()), ordered);
      const down = await pages(owner, `/cogs/?parent_id=${id}&sort=-name&limit=${limit}`);
      assert.deepEqual(names(down.flat()), ordered.toReversed());
    }
    const third = await owner.get(`/cogs/?parent_id=${id}&offset=7&limit=3`);
    assert.deepEqual(names(third.body), ordered.slice(7, 10));
    const folders = await pages(owner, `/cogs/?parent_id=${id}&cog_type=asset_folder&limit=2`);
    const isFolder = (name: string) => shuffled.indexOf(name) % 2 === 0;
    assert.deepEqual(names(folders.flat()), ordered.filter(isFolder));
  });

  it('are so for who sees only some of them, what was shared, what a search finds, and drives', async () => {
    const { owner, viewer, server } = await cast();
    const id = await filled(owner, shuffled);
    const { body: cogs } = await owner.get(`/cogs/?parent_id=${id}`);
    const scans = cogs.filter(({ name }: { name: string }) => name.startsWith('scan'));
    for (const cog of scans.toReversed()) await share(owner, cog.id, viewer, 'viewer');

    const shared = await pages(viewer, '/cogs/shared-with-me?limit=2');
    assert.deepEqual(names(shared.flat()), names(scans));
    const found = await pages(owner, '/cogs/search?q=a&limit=2');
    const hits = ordered.filter((name) => /a/i.test(name));
    assert.deepEqual(names(found.flat()), hits);
    const own = await pages(viewer, '/cogs/search?q=a&limit=2');
    assert.deepEqual(names(own.flat()), names(scans));
    const dav = await davClient(server, owner);
    const { addresses } = await dav('PROPFIND', '/In%20order', { headers: { depth: '1' } });
    const told = addresses.slice(1).map((at) => decodeURIComponent(at).split('/')[3]);
    assert.deepEqual(told, ordered);
  });

  it('are the same name only if their bytes are', async () => {
    const { owner } = await cast();
    const id = await filled(owner, ['scan 1', 'scan 01', 'SCAN 1']);
    const named = async (name: string) =>
      names((await owner.get(`/cogs/?parent_id=${id}&name=${encodeURIComponent(name)}`)).body);

    assert.equal((await owner.upload('scan 01', 'x', id)).status, 409);
    assert.equal((await owner.upload('scan 0001', 'x', id)).status, 201);
    for (const name of ['scan 1', 'scan 01', 'scan 0001']) {
      assert.deepEqual(await named(name), [name]);
    }
  });

  it('are each told once to who follows the pages while others come and go', async () => {
    const { owner } = await cast();
    const kept = ordered.filter((_, at) => at % 3 > 0);
    const id = await filled(owner, kept);
    for (const [sort, expected] of [
      ['name', kept],
      ['-name', kept.toReversed()],
    ] as const) {
      const seen: string[] = [];
      const coming = ordered.filter((name) => !kept.includes(name));
      const made: { id: number; name: string }[] = [];
      let path: string | undefined = `/cogs/?parent_id=${id}&sort=${sort}&limit=2`;
      while (path) {
        const { body, headers } = await owner.get(path);
        seen.push(...names(body));
        path = nextOf(headers);
        // The row that the cursor names goes too, if it is one of those.
        for (const cog of made.splice(0)) await owner.delete(`/cogs/${cog.id}`);
        for (const name of coming.splice(0, 2)) made.push(await folder(owner, name, id));
      }
      for (const cog of made) await owner.delete(`/cogs/${cog.id}`);

      assert.deepEqual(
        seen.filter((name) => kept.includes(name)),
        expected,
      );
      assert.equal(new Set(seen).size, seen.length);
    }
  });

  it('go on after a cursor whose row is gone', async () => {
    const { owner } = await cast();
    const id = await filled(owner, ['scan 1', 'scan 01', 'scan 2', 'scan 10']);
    const { body, headers } = await owner.get(`/cogs/?parent_id=${id}&limit=1`);
    await owner.delete(`/cogs/${body[0].id}`);

    const rest = await pages(owner, nextOf(headers) ?? '');

    assert.deepEqual(names(rest.flat()), ['scan 1', 'scan 2', 'scan 10']);
  });
});
