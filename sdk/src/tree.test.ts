import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { folder, share } from '../../server/test/sharing.ts';
import { createClient } from './client.ts';
import { listTree, type TreeCog, type TreeOptions } from './tree.ts';

async function stage(request: typeof fetch = fetch) {
  const { server, owner, viewer } = await cast();
  const top = await folder(owner, 'Top');
  const client = createClient({ baseUrl: server.url, token: () => owner.token, fetch: request });
  return { server, owner, viewer, client, top };
}

async function paths(client: ReturnType<typeof createClient>, options: TreeOptions) {
  const found: string[] = [];
  for await (const { path } of listTree(client, options)) found.push(path);
  return found;
}

describe('listTree', () => {
  it('lists each folder before what is in it, with what a copy is compared by', async () => {
    const { owner, client, top } = await stage();
    const inner = await folder(owner, 'in', top.id);
    await folder(owner, 'empty', inner.id);
    const { body: file } = await owner.upload('a.txt', 'A', inner.id);
    await owner.upload('z.txt', 'Z', top.id);

    const found: TreeCog[] = [];
    for await (const cog of listTree(client, { id: top.id })) found.push(cog);

    assert.deepEqual(
      found.map(({ path }) => path),
      ['in', 'in/a.txt', 'in/empty', 'z.txt'],
    );
    assert.deepEqual(found[1], { ...file, path: 'in/a.txt' });
  });

  it('goes through all pages of folders, and asks for each page once', async () => {
    const asked: string[] = [];
    const counting: typeof fetch = (input, init) => {
      const url = new URL(String(input));
      // Smaller pages, so that a few folders are many.
      if (url.searchParams.has('parent_id')) {
        url.searchParams.set('limit', '2');
        asked.push(url.search);
      }
      return fetch(url, init);
    };
    const { owner, client, top } = await stage(counting);
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    for (const name of names) await owner.upload('x', name, (await folder(owner, name, top.id)).id);

    const found = await paths(client, { id: top.id });

    assert.deepEqual(
      found,
      names.flatMap((name) => [name, `${name}/x`]),
    );
    assert.equal(asked.length, 4 + names.length);
    assert.equal(new Set(asked).size, asked.length);
  });

  it('holds only what one may see', async () => {
    const { server, owner, viewer, top } = await stage();
    const open = await folder(owner, 'open', top.id);
    await folder(owner, 'closed', top.id);
    await share(owner, open.id, viewer, 'viewer');
    const client = createClient({ baseUrl: server.url, token: () => viewer.token });

    await assert.rejects(paths(client, { id: top.id }), { status: 403 });
    assert.deepEqual(await paths(client, { id: open.id }), []);
  });

  it('tells of a folder that went meanwhile, and ends with its error unless asked', async () => {
    const { owner, client, top } = await stage();
    const going = await folder(owner, 'a', top.id);
    await owner.upload('b', 'B', top.id);
    // It is listed, and deleted before it is asked for.
    const late: typeof fetch = async (input, init) => {
      if (String(input).includes(`parent_id=${going.id}`)) await owner.delete(`/cogs/${going.id}`);
      return fetch(input, init);
    };
    const slow = createClient({
      baseUrl: client.baseUrl,
      token: () => owner.token,
      fetch: late,
    });
    const faults: string[] = [];
    const onFault = ({ path }: TreeCog) => faults.push(path);

    assert.deepEqual(await paths(slow, { id: top.id, onFault }), ['a', 'b']);
    assert.deepEqual(faults, ['a']);
    await owner.post(`/cogs/${going.id}/restore`, {});
    await assert.rejects(paths(slow, { id: top.id }), { status: 404 });
    await owner.post(`/cogs/${going.id}/restore`, {});
    assert.deepEqual(await paths(client, { id: top.id }), ['a', 'b']);
  });

  it('stops when it is aborted', async () => {
    const { owner, client, top } = await stage();
    await folder(owner, 'a', top.id);
    const stop = new AbortController();
    const listing = listTree(client, { id: top.id, signal: stop.signal, onFault: () => {} });
    await listing.next();
    stop.abort(new Error('enough'));

    await assert.rejects(async () => {
      for await (const _ of listing);
    }, /enough/);
  });
});
