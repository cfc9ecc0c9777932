import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { nextOf, pages } from '../../../../test/pages.ts';
import { folder, share } from '../../../../test/sharing.ts';
import { costOf } from '../../../../test/statements.ts';
import type { TreeCog } from '../schema.ts';

const paths = (rows: TreeCog[]) => rows.map(({ path }) => path);

const treeOf = (by: Client, id: number, limit: number) =>
  pages<TreeCog>(by, `/cogs/${id}/tree?limit=${limit}`);

/** `top` with `b/`, `b/deep/`, `b/deep/x`, `b/y`, an empty `c/` and `a`, made in this order. */
async function tree(by: Client) {
  const top = await folder(by, 'top');
  const b = await folder(by, 'b', top.id);
  const deep = await folder(by, 'deep', b.id);
  const x = (await by.upload('x', 'X', deep.id)).body;
  const y = (await by.upload('y', 'Y', b.id)).body;
  const c = await folder(by, 'c', top.id);
  const a = (await by.upload('a', 'A', top.id)).body;
  return { top, b, deep, x, y, c, a };
}

const all = ['b', 'b/deep', 'b/deep/x', 'b/y', 'c', 'a'];

describe('GET /cogs/{id}/tree', () => {
  it('lists each folder before what is in it, each cog as by itself with its path', async () => {
    const { owner } = await cast();
    const { top, x } = await tree(owner);

    const { status, body, headers } = await owner.get(`/cogs/${top.id}/tree?with_total=true`);

    assert.equal(status, 200);
    assert.deepEqual(paths(body), all);
    assert.equal(headers.get('x-total-count'), '6');
    assert.equal(nextOf(headers), undefined);
    assert.deepEqual(body[2], { ...(await owner.get(`/cogs/${x.id}`)).body, path: 'b/deep/x' });
    assert.deepEqual((await owner.get(`/cogs/${x.id}/tree`)).body, []);
  });

  it('pages the same, whatever the size of a page, and by an offset', async () => {
    const { owner } = await cast();
    const { top } = await tree(owner);
    for (let limit = 1; limit <= 7; limit++) {
      const found = await treeOf(owner, top.id, limit);
      assert.deepEqual(paths(found.flat()), all);
      assert.equal(found.length, Math.ceil(all.length / limit));
    }
    for (let offset = 0; offset <= 7; offset++) {
      const { body } = await owner.get(`/cogs/${top.id}/tree?limit=2&offset=${offset}`);
      assert.deepEqual(paths(body), all.slice(offset, offset + 2));
    }
  });

  it('goes on at the right place after things were renamed, deleted, removed or moved', async () => {
    const { owner } = await cast();
    const changes: [string, (one: Awaited<ReturnType<typeof tree>>) => unknown, string[]][] = [
      ['renamed', ({ b }) => owner.patch(`/cogs/${b.id}`, { name: 'z' }), ['z/y', 'c', 'a']],
      ['the last row deleted', ({ x }) => owner.delete(`/cogs/${x.id}`), ['b/y', 'c', 'a']],
      ['its folder deleted', ({ deep }) => owner.delete(`/cogs/${deep.id}`), ['b/y', 'c', 'a']],
      ['the one above deleted', ({ b }) => owner.delete(`/cogs/${b.id}`), ['c', 'a']],
      [
        'its folder moved away',
        async ({ deep }) => {
          const elsewhere = await folder(owner, 'elsewhere');
          await owner.patch(`/cogs/${deep.id}`, { parent_id: elsewhere.id });
        },
        ['b/y', 'c', 'a'],
      ],
      [
        'added',
        async ({ deep, b }) => {
          await owner.upload('w', 'W', deep.id);
          await owner.upload('first', 'F', b.id);
        },
        ['b/deep/w', 'b/y', 'b/first', 'c', 'a'],
      ],
    ];
    for (const [what, change, expected] of changes) {
      const made = await tree(owner);
      const first = await owner.get(`/cogs/${made.top.id}/tree?limit=3`);
      assert.deepEqual(paths(first.body), all.slice(0, 3));

      await change(made);

      const rest = await owner.get((nextOf(first.headers) ?? '').replace('limit=3', 'limit=9'));
      assert.deepEqual(paths(rest.body), expected, what);
      await owner.patch(`/cogs/${made.top.id}`, { name: `done: ${what}` });
      for (const { id } of (await owner.get('/cogs/?name=elsewhere')).body) {
        await owner.delete(`/cogs/${id}`);
      }
    }
  });

  it('lists the folder again of which the last row was removed for ever', async () => {
    const { owner, server } = await cast();
    const { top, x } = await tree(owner);
    const first = await owner.get(`/cogs/${top.id}/tree?limit=3`);
    const { db } = server.services;
    await db`delete from permissions where cog_id = ${x.id}`;
    await db`delete from cogs where id = ${x.id}`;
    await owner.upload('w', 'W', x.parent_id);

    const rest = await owner.get(nextOf(first.headers) ?? '');

    assert.deepEqual(paths(rest.body), ['b/deep/w', 'b/y', 'c']);
  });

  it('holds only what one may see, each with the access that one has', async () => {
    const { owner, viewer, editor, admin, stranger } = await cast();
    const { top, b, deep, x } = await tree(owner);
    const root = (await owner.get('/cogs/root')).body.id;
    await share(owner, b.id, viewer, 'viewer');
    await share(owner, deep.id, viewer, 'editor');
    await share(owner, x.id, editor, 'viewer');

    assert.equal((await viewer.get(`/cogs/${top.id}/tree`)).status, 403);
    assert.equal((await stranger.get(`/cogs/${top.id}/tree`)).status, 404);
    const { body } = await viewer.get(`/cogs/${b.id}/tree`);
    assert.deepEqual(paths(body), ['deep', 'deep/x', 'y']);
    for (const { path: _, ...cog } of body) {
      assert.deepEqual(cog, (await viewer.get(`/cogs/${cog.id}`)).body);
    }
    // What they see of others is in no folder that they see.
    for (const by of [viewer, editor]) {
      const seen = await by.get(`/cogs/${root}/tree?with_total=true`);
      assert.deepEqual(paths(seen.body), []);
      assert.equal(seen.headers.get('x-total-count'), '0');
    }
    await share(owner, top.id, editor, 'viewer');
    const under = all.map((path) => `top/${path}`);
    for (const by of [editor, admin, owner]) {
      const seen = await by.get(`/cogs/${root}/tree?with_total=true`);
      assert.deepEqual(paths(seen.body), ['top', ...under]);
      assert.equal(seen.headers.get('x-total-count'), '7');
      assert.deepEqual(paths((await treeOf(by, root, 2)).flat()), ['top', ...under]);
    }
  });

  it('ends where the rights end that the caller had for the page before', async () => {
    const { owner, viewer } = await cast();
    const { top, b } = await tree(owner);
    const root = (await owner.get('/cogs/root')).body.id;
    const granted = (await share(owner, top.id, viewer, 'viewer')).body ?? {};
    const first = await viewer.get(`/cogs/${root}/tree?limit=3`);
    assert.deepEqual(paths(first.body), ['top', 'top/b', 'top/b/deep']);

    const grants = (await owner.get(`/permissions/cogs/${top.id}`)).body;
    const own = grants.find(({ user_id }: { user_id: number }) => user_id === viewer.user.id);
    await owner.delete(`/permissions/${granted.permission_id ?? own.permission_id}`);

    assert.deepEqual((await viewer.get(nextOf(first.headers) ?? '')).body, []);
    assert.equal((await viewer.get(`/cogs/${b.id}/tree`)).status, 403);
  });

  it('costs two statements for the first page and three for another, whatever is below', async () => {
    const { owner, server } = await cast();
    const { top } = await tree(owner);
    let deepest = top.id;
    for (let depth = 0; depth < 40; depth++) deepest = (await folder(owner, 'in', deepest)).id;
    for (const name of ['1', '2', '3']) await owner.upload(name, name, deepest);
    const ask = (path: string) => costOf(server, () => owner.get(path));

    const first = await owner.get(`/cogs/${top.id}/tree?limit=48`);
    assert.equal(first.body.at(-1).path, `${'in/'.repeat(40)}2`);
    assert.equal((await ask(`/cogs/${top.id}/tree?limit=48`)).texts.length, 2);
    assert.equal((await ask(nextOf(first.headers) ?? '')).texts.length, 3);
    assert.equal((await owner.get(nextOf(first.headers) ?? '')).body.length, 1);
  });
});
