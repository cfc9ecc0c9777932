import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { folder, share } from '../../server/test/sharing.ts';
import { createClient } from './client.ts';
import type { TreeCog } from './contract.gen.ts';
import { listTree, type TreeOptions } from './tree.ts';

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

/** Pages of two, so that a few folders are many. */
function smallPages(onAsk: (url: URL) => unknown): typeof fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    if (url.pathname.endsWith('/tree')) {
      url.searchParams.set('limit', '2');
      await onAsk(url);
    }
    return fetch(url, init);
  };
}

describe('listTree', () => {
  it('lists each folder before what is in it, with what a copy is compared by', async () => {
    const { owner, client, top } = await stage();
    const inner = await folder(owner, 'in', top.id);
    const { body: file } = await owner.upload('a.txt', 'A', inner.id);
    await folder(owner, 'empty', inner.id);
    await owner.upload('z.txt', 'Z', top.id);

    const found: TreeCog[] = [];
    for await (const cog of listTree(client, { id: top.id })) found.push(cog);

    assert.deepEqual(
      found.map(({ path }) => path),
      ['in', 'in/a.txt', 'in/empty', 'z.txt'],
    );
    assert.deepEqual(found[1], { ...file, path: 'in/a.txt' });
  });

  it('asks once for each page, not for each folder', async () => {
    const asked: string[] = [];
    const { owner, client, top } = await stage(smallPages(({ search }) => asked.push(search)));
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    for (const name of names) await owner.upload('x', name, (await folder(owner, name, top.id)).id);

    const found = await paths(client, { id: top.id });

    assert.deepEqual(
      found,
      names.flatMap((name) => [name, `${name}/x`]),
    );
    assert.equal(asked.length, names.length);
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

  it('leaves out what is deleted meanwhile, and ends with an error if that is the folder', async () => {
    const gone: number[] = [];
    const asked: URL[] = [];
    const { owner, client, top } = await stage(
      smallPages(async (url) => {
        asked.push(url);
        if (asked.length === 2) for (const id of gone) await owner.delete(`/cogs/${id}`);
      }),
    );
    const going = await folder(owner, 'a', top.id);
    for (const name of ['b', 'c']) await owner.upload(name, name, going.id);
    await owner.upload('d', 'D', top.id);

    gone.push(going.id);
    assert.deepEqual(await paths(client, { id: top.id }), ['a', 'a/b', 'd']);
    await owner.post(`/cogs/${going.id}/restore`, {});
    asked.length = 0;
    gone.push(top.id);
    await assert.rejects(paths(client, { id: top.id }), { status: 404 });
  });

  it('stops when it is aborted', async () => {
    const { owner, client, top } = await stage();
    for (const name of ['a', 'b']) await folder(owner, name, top.id);
    const stop = new AbortController();
    const listing = listTree(client, { id: top.id, signal: stop.signal });
    await listing.next();
    stop.abort(new Error('enough'));

    await assert.rejects(async () => {
      for await (const _ of listing);
    }, /enough/);
  });
});
