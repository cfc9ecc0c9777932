import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { pages } from '../../../../test/pages.ts';
import { costOf } from '../../../../test/statements.ts';
import { ensureFolderPath } from '../files/files.ts';

type Named = { name: string };
const names = (cogs: Named[]) => cogs.map((cog) => cog.name);

const folder = async (by: Client, name: string, parent_id?: number) =>
  (
    await by.post('/cogs/', {
      name,
      cog_type: 'asset_folder',
      ...(parent_id === undefined ? {} : { parent_id }),
    })
  ).body;

const share = (by: Client, id: number, to: Client, level: string) =>
  by.post(`/permissions/cogs/${id}`, {
    target_type: 'cog',
    target_id: id,
    user_id: to.user.id,
    level,
  });

describe('GET /cogs/', () => {
  it('costs two statements, whoever asks, of the root and of a folder', async () => {
    const { owner, admin, viewer, server } = await cast();
    const docs = await folder(owner, 'Docs');
    await share(owner, docs.id, viewer, 'viewer');
    await folder(owner, 'Inner', docs.id);
    for (const by of [owner, admin, viewer]) {
      for (const path of ['/cogs/', `/cogs/?parent_id=${docs.id}&sort=-created_at`]) {
        const { texts, round_trips } = await costOf(server, async () => {
          assert.equal((await by.get(path)).body.length, 1);
        });

        assert.equal(texts.length, 2, texts.join('\n'));
        assert.equal(round_trips, 2);
      }
    }
  });

  it('sorts by each key, both ways, and pages the same', async () => {
    const { owner } = await cast();
    const docs = await folder(owner, 'Docs');
    for (const [name, bytes] of [
      ['b', 'xx'],
      ['a', 'xxx'],
      ['d', ''],
      ['c', 'x'],
    ] as const) {
      await owner.upload(name, bytes, docs.id);
    }
    await folder(owner, 'f', docs.id);
    await folder(owner, 'e', docs.id);
    const orders = {
      name: ['a', 'b', 'c', 'd', 'e', 'f'],
      created_at: ['b', 'a', 'd', 'c', 'f', 'e'],
      updated_at: ['b', 'a', 'd', 'c', 'f', 'e'],
      size_bytes: ['f', 'e', 'd', 'c', 'b', 'a'],
    };
    for (const [sort, order] of Object.entries(orders)) {
      for (const [key, expected] of [
        [sort, order],
        [`-${sort}`, [...order].reverse()],
      ] as const) {
        const found = await pages(owner, `/cogs/?parent_id=${docs.id}&limit=2&sort=${key}`);
        assert.deepEqual(names(found.flat()), expected, key);
        assert.deepEqual(
          found.map((page) => page.length),
          [2, 2, 2],
        );
      }
    }
  });

  it('keeps to the cursor while rows come and go, and the order stays when all are equal', async () => {
    const { owner, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const made = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) made.push(await folder(owner, name, docs.id));
    await server.services.db`
      update cogs set created_at = '2026-01-01' where parent_id = ${docs.id}
    `;
    const first = await owner.get(`/cogs/?parent_id=${docs.id}&sort=created_at&limit=2`);
    const link = first.headers.get('link')?.match(/<.+?(\/cogs.+)>/)?.[1] ?? '';

    await owner.delete(`/cogs/${made[0].id}`);
    await owner.delete(`/cogs/${made[1].id}`);
    const second = await owner.get(link);

    assert.deepEqual(names(first.body), ['a', 'b']);
    assert.deepEqual(names(second.body), ['c', 'd']);
    assert.equal((await owner.get(link.replace('created_at', 'name'))).status, 422);
  });

  it('tells nothing in a cursor: a search goes on behind names that one may not see', async () => {
    const { owner } = await cast();
    for (const name of ['salaries', 'secrets']) await folder(owner, name);
    const { headers } = await owner.get('/cogs/?limit=1');
    const link = headers.get('link')?.match(/<.+?(\/cogs.+)>/)?.[1] ?? '';
    const cursor = new URL(link, 'http://x').searchParams.get('cursor') ?? '';

    const texts = cursor
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    assert.ok(texts.every((text) => !text.includes('salaries')));
    assert.deepEqual(names((await owner.get(link)).body), ['secrets']);
    const forged = Buffer.from(cursor, 'base64url');
    forged[forged.length - 1] = ~(forged.at(-1) ?? 0) & 255;
    const { status } = await owner.get(link.replace(cursor, forged.toString('base64url')));
    assert.equal(status, 422);
  });

  it('shows a member in the root only what they may see, and counts and pages only that', async () => {
    const { owner, viewer, admin } = await cast();
    for (let n = 10; n < 40; n++) {
      const made = await folder(owner, `f${n}`);
      if (n % 3 === 0) await share(owner, made.id, viewer, 'viewer');
    }

    const all = await admin.get('/cogs/?with_total=true');
    const some = await viewer.get('/cogs/?with_total=true&limit=4');

    assert.equal(all.headers.get('x-total-count'), '30');
    assert.equal(some.headers.get('x-total-count'), '10');
    assert.deepEqual(names(some.body), ['f12', 'f15', 'f18', 'f21']);
    const found = await pages(viewer, '/cogs/?limit=4');
    assert.deepEqual(
      found.map((page) => page.length),
      [4, 4, 2],
    );
  });

  it('tells of each row what the caller may do to it, inherited or its own', async () => {
    const { owner, viewer } = await cast();
    const docs = await folder(owner, 'Docs');
    await folder(owner, 'plain', docs.id);
    const special = await folder(owner, 'special', docs.id);
    await share(owner, docs.id, viewer, 'viewer');
    await share(owner, special.id, viewer, 'editor');

    const { body } = await viewer.get(`/cogs/?parent_id=${docs.id}`);

    const levels = body.map((cog: { access: { level: string } }) => cog.access.level);
    assert.deepEqual(levels, ['viewer', 'editor']);
    for (const cog of body) assert.deepEqual((await viewer.get(`/cogs/${cog.id}`)).body, cog);
  });

  it('answers each row exactly as the cog is answered by itself', async () => {
    const { owner, admin, editor, viewer, server } = await cast();
    const { db } = server.services;
    const { tenant_id, id: user_id } = owner.user;
    await db.transaction((tx) => ensureFolderPath(tx, tenant_id, user_id, null, ['Results']));
    const root = (await owner.get('/cogs/root')).body.id;
    const docs = await folder(owner, 'Docs "of" \\ ours \u2028 \u{1f600} <b>');
    await folder(owner, 'Inner', docs.id);
    for (const [name, type] of [
      ['plain.txt', 'text/plain'],
      ['Ünïcode \\n\\u0041 "quoted".bin', undefined],
      ['typed', 'multipart/mixed;boundary="a\\"b"'],
      ['empty', 'image/svg+xml'],
    ] as const) {
      const { body } = await owner.upload(name, name === 'empty' ? '' : name, docs.id, type);
      const at = `2026-01-02 03:04:05${name === 'plain.txt' ? '' : '.01'}+00`;
      await db`update cogs set created_at = ${at}, updated_at = ${at} where id = ${body.id}`;
      if (name === 'typed') await share(owner, body.id, editor, 'editor');
    }
    await share(owner, docs.id, viewer, 'viewer');

    const lengths: number[] = [];
    for (const by of [owner, admin, viewer, editor]) {
      for (const id of [root, docs.id]) {
        const path = `/cogs/?parent_id=${id}&sort=size_bytes`;
        const { status, body, headers } = await by.get(path);
        if (status === 403) continue;
        const alone = await Promise.all(
          body.map(async (cog: { id: number }) => (await by.get(`/cogs/${cog.id}`)).body),
        );

        assert.deepEqual(body, alone);
        assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
        lengths.push(body.length);
      }
    }
    assert.deepEqual(lengths, [2, 5, 2, 5, 2, 5, 1]);
  });

  it('filters by type and by exact name', async () => {
    const { owner } = await cast();
    const docs = await folder(owner, 'Docs');
    await folder(owner, 'caf\u00e9', docs.id);
    await owner.upload('x_1.txt', 'x', docs.id);
    await owner.upload('xa1.txt', 'x', docs.id);
    const at = `/cogs/?parent_id=${docs.id}`;

    assert.deepEqual(names((await owner.get(`${at}&cog_type=asset_folder`)).body), ['caf\u00e9']);
    const decomposed = encodeURIComponent('cafe\u0301');
    assert.deepEqual(names((await owner.get(`${at}&name=${decomposed}`)).body), ['caf\u00e9']);
    assert.deepEqual(names((await owner.get(`${at}&name=x_1.txt`)).body), ['x_1.txt']);
    assert.equal((await owner.get(`${at}&name=%00`)).status, 422);
    assert.equal((await owner.get(`${at}&sort=owner`)).status, 422);
    assert.equal((await owner.get(`${at}&cog_type=link`)).status, 422);
  });

  it('refuses a folder that is not there, not to be seen, or a file', async () => {
    const { owner, editor, stranger } = await cast();
    const docs = await folder(owner, 'Docs');
    const file = (await owner.upload('a', 'x', docs.id)).body;

    assert.equal((await stranger.get(`/cogs/?parent_id=${docs.id}`)).status, 404);
    assert.equal((await editor.get(`/cogs/?parent_id=${docs.id}`)).status, 403);
    assert.equal((await owner.get(`/cogs/?parent_id=${file.id}`)).status, 400);
    for (const bad of ['limit=0', 'limit=1001', 'offset=-1', 'limit=x', 'cursor=zzz']) {
      assert.equal((await owner.get(`/cogs/?${bad}`)).status, 422, bad);
    }
  });
});

describe('GET /cogs/search', () => {
  it('finds a part of a name as it is written, in any case, and only what may be seen', async () => {
    const { owner, viewer, stranger } = await cast();
    const docs = await folder(owner, 'Docs');
    for (const name of ['100%.txt', '100x.txt', 'a_b', 'aXb', 'back\\slash', "it's", 'ÄPFEL']) {
      await owner.upload(name, 'x', docs.id);
    }
    await folder(owner, 'a_b outside');
    const find = async (by: Client, q: string, more = '') =>
      names((await by.get(`/cogs/search?q=${encodeURIComponent(q)}${more}`)).body);

    assert.deepEqual(await find(owner, '0%'), ['100%.txt']);
    assert.deepEqual(await find(owner, 'A_B'), ['a_b', 'a_b outside']);
    assert.deepEqual(await find(owner, '\\'), ['back\\slash']);
    assert.deepEqual(await find(owner, "'"), ["it's"]);
    assert.deepEqual(await find(owner, 'a_b', `&under=${docs.id}`), ['a_b']);
    assert.deepEqual(await find(viewer, 'a_b'), []);
    assert.deepEqual(await find(stranger, 'a_b'), []);
    await share(owner, docs.id, viewer, 'viewer');
    assert.deepEqual(await find(viewer, 'a_b'), ['a_b']);
    assert.equal((await owner.get('/cogs/search')).status, 422);
    assert.equal((await stranger.get(`/cogs/search?q=a&under=${docs.id}`)).status, 404);
    const found = await pages(owner, '/cogs/search?q=a&limit=2');
    assert.deepEqual(names(found.flat()), ['a_b', 'a_b outside', 'aXb', 'back\\slash']);
  });
});

describe('GET /cogs/shared-with-me', () => {
  it('lists what others shared, not what is inherited, own, expired or deleted', async () => {
    const { owner, viewer, server } = await cast();
    const [a, b, c, d] = [
      await folder(owner, 'a'),
      await folder(owner, 'b'),
      await folder(owner, 'c'),
      await folder(owner, 'd'),
    ];
    await folder(owner, 'in a', a.id);
    await folder(viewer, 'own');
    for (const cog of [a, b, c, d]) await share(owner, cog.id, viewer, 'viewer');
    await server.services.db`
      update permissions set expires_at = now() - interval '1 second'
      where cog_id = ${b.id} and user_id = ${viewer.user.id}
    `;
    await owner.delete(`/cogs/${c.id}`);

    assert.deepEqual(names((await viewer.get('/cogs/shared-with-me')).body), ['a', 'd']);
  });

  it('also lists what is mine in a folder I do not see, since nothing else leads there', async () => {
    const { owner, viewer } = await cast();
    const docs = await folder(owner, 'Docs');
    const granted = await share(owner, docs.id, viewer, 'editor');
    await folder(viewer, 'mine', docs.id);
    await owner.delete(`/permissions/${granted.body.permission_id}`);

    assert.deepEqual(names((await viewer.get('/cogs/shared-with-me')).body), ['mine']);
  });

  it('has both in one order on its pages, and nothing of deleted folders', async () => {
    const { owner, viewer } = await cast();
    const [open, gone] = [await folder(owner, 'Open'), await folder(owner, 'Gone')];
    const expected: string[] = [];
    for (const [at, place] of [open, gone].entries()) {
      const granted = await share(owner, place.id, viewer, 'editor');
      for (const n of [1, 3, 5]) await folder(viewer, `${n} mine ${at}`, place.id);
      await owner.delete(`/permissions/${granted.body.permission_id}`);
      for (const n of [2, 4, 6]) {
        const inner = await folder(owner, `of ${n}`, place.id);
        const shared = await folder(owner, `${n} shared ${at}`, inner.id);
        await share(owner, shared.id, viewer, 'viewer');
      }
    }
    for (const n of [1, 3, 5]) expected.push(`${n} mine 0`, `${n + 1} shared 0`);
    await owner.delete(`/cogs/${gone.id}`);

    for (const limit of [1, 2, 4, 100]) {
      const path = `/cogs/shared-with-me?limit=${limit}`;
      const found = await pages(viewer, path);
      assert.deepEqual(names(found.flat()), expected);
      const { body, headers } = await viewer.get(`${path}&offset=2&with_total=true`);
      assert.deepEqual(names(body), expected.slice(2, 2 + limit));
      assert.equal(headers.get('x-total-count'), '6');
    }
  });
});
