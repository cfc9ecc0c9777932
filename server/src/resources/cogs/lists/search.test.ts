import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Cast, type Client, cast } from '../../../../test/cast.ts';
import { pages } from '../../../../test/pages.ts';
import { folder, share } from '../../../../test/sharing.ts';
import { statementsOf } from '../../../../test/statements.ts';
import { ensureFolderPath } from '../files/files.ts';
import { searchCogs } from './search.ts';

/** Folders and 1,200 files, written directly into the table. */
async function manyFiles({ owner, server }: Cast) {
  const { db } = server.services;
  const { tenant_id, id: owner_id } = owner.user;
  const object = (await owner.upload('bytes', 'x')).body.id;
  const folder = async (name: string) =>
    (await owner.post('/cogs', { name, cog_type: 'asset_folder' })).body.id as number;
  const [shown, hidden] = [await folder('shown'), await folder('hidden')];
  const add = (parent: number, from: number, to: number) => db`
    insert into cogs
      (tenant_id, parent_id, name, cog_type, owner_id, object_id, size_bytes, mime_type, version)
    select ${tenant_id}, ${parent}, 'Part ' || to_char(n, 'FM0000') || '.TXT', 'file', ${owner_id},
           object_id, size_bytes, 'text/plain', 1
    from cogs, generate_series(${from}::int, ${to}::int) as n
    where id = ${object}
  `;
  await add(hidden, 1, 1000);
  await add(shown, 1001, 1200);
  return { shown, hidden };
}

const namesOf = (cogs: readonly { name: string }[]) => cogs.map(({ name }) => name);

const callerOf = ({ user }: Client) => ({
  user_id: user.id,
  tenant_id: user.tenant_id,
  role: 'member' as const,
  is_platform_admin: false,
});

describe('searching among many files', () => {
  it('finds what may be seen behind a thousand that may not, in pages that fit together', async () => {
    const people = await cast();
    const { owner, viewer } = people;
    const { shown, hidden } = await manyFiles(people);
    await owner.post(`/permissions/cogs/${shown}`, {
      target_type: 'cog',
      target_id: shown,
      user_id: viewer.user.id,
      level: 'viewer',
    });
    const expected = Array.from({ length: 200 }, (_, index) => `Part ${index + 1001}.TXT`);
    const search = async (by: Client, query: string) => {
      const { status, body, headers } = await by.get(`/cogs/search?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return { names: body.map((cog: { name: string }) => cog.name), headers };
    };

    const found: string[] = [];
    let next = '/cogs/search?q=part&limit=90';
    while (next !== '') {
      const { names, headers } = await search(viewer, next.split('?')[1] ?? '');
      found.push(...names);
      next = headers.get('link')?.match(/<([^>]+)>/)?.[1] ?? '';
    }
    assert.deepEqual(found, expected);

    const middle = await search(viewer, 'q=T%201&offset=50&limit=3&with_total=true');
    assert.deepEqual(middle.names, expected.slice(50, 53));
    assert.equal(middle.headers.get('x-total-count'), '200');
    assert.deepEqual((await search(viewer, 'q=0999')).names, []);
    assert.deepEqual((await search(owner, 'q=0999')).names, ['Part 0999.TXT']);
    assert.deepEqual((await search(owner, `q=x&under=${hidden}&limit=2`)).names, [
      'Part 0001.TXT',
      'Part 0002.TXT',
    ]);
    assert.deepEqual((await search(viewer, 'q=zz')).names, []);
  });

  it('ends a page early that costs too much, and goes on behind it', async () => {
    const people = await cast();
    const { viewer, server } = people;
    const { shown } = await manyFiles(people);
    await people.owner.post(`/permissions/cogs/${shown}`, {
      target_type: 'cog',
      target_id: shown,
      user_id: viewer.user.id,
      level: 'viewer',
    });
    const page = (after?: readonly (string | number)[]) =>
      searchCogs(
        server.services.db,
        callerOf(viewer),
        { q: 'part' },
        { offset: 0, limit: 100, with_total: false, ...(after ? { after } : {}) },
        { mostExamined: 300, mostFromAbove: 0 },
      );

    const first = await page();
    const names: string[] = first.rows.map((cog) => cog.name);
    let next = first.next;
    for (let pages = 1; next !== undefined; pages += 1) {
      assert.ok(pages < 10);
      const { rows, ...rest } = await page(next);
      names.push(...rows.map((cog) => cog.name));
      next = rest.next;
    }

    assert.deepEqual(first.rows, []);
    assert.ok(first.next);
    assert.equal(names[0], 'Part 1001.TXT');
  });
});

describe('searching where next to nothing is shown', () => {
  it('reads from above, and finds the same in the same order', async () => {
    const people = await cast();
    const { admin, owner, viewer, server } = people;
    const { db } = server.services;
    const { shown, hidden } = await manyFiles(people);
    await db.transaction((tx) =>
      ensureFolderPath(tx, owner.user.tenant_id, owner.user.id, null, ['A part of mine']),
    );
    const { body: root } = await owner.get('/cogs/root');
    // A few more: below a folder of their own, one by one, twice, and in a folder that is deleted.
    const top = await folder(owner, 'part of few');
    const inner = await folder(owner, 'PART within', top.id);
    const gone = await folder(owner, 'part gone', top.id);
    const one = (await owner.upload('part 0500.5', 'x', hidden)).body;
    const lost = (await owner.upload('part lost', 'x', gone.id)).body;
    await owner.upload('part of nothing', 'x', inner.id);
    await owner.upload('another', 'x', inner.id);
    for (const { id } of [top, inner, one, lost]) await share(owner, id, viewer, 'viewer');
    await owner.delete(`/cogs/${gone.id}`);

    const expected = ['part 0500.5', 'part of few', 'part of nothing', 'PART within'];
    const searches: [Client, { q: string; under?: number }, string[]][] = [
      [viewer, { q: 'part' }, expected],
      [viewer, { q: 'part', under: root.id }, expected],
      [viewer, { q: 't' }, ['another', ...expected, 'Workflow outputs']],
      [viewer, { q: 'part', under: top.id }, expected.slice(2)],
      [owner, { q: 'part', under: top.id }, expected.slice(2)],
      [admin, { q: 'part', under: inner.id }, ['part of nothing']],
    ];
    for (const [who, { q, under }, names] of searches) {
      const query = `q=${q}${under === undefined ? '' : `&under=${under}`}`;
      const { texts } = await statementsOf(server, async () => {
        const { body, headers } = await who.get(`/cogs/search?${query}`);
        assert.deepEqual(namesOf(body), names, query);
        assert.equal(headers.get('link'), null);
      });
      assert.ok(texts.some((text) => text.includes('below')));
      const found = await pages(who, `/cogs/search?${query}&limit=3`);
      assert.deepEqual(namesOf(found.flat()), names);
      const { body } = await who.get(`/cogs/search?${query}&limit=2&offset=1`);
      assert.deepEqual(namesOf(body), names.slice(1, 3));
    }
    for (const mostFromAbove of [0, 3, 1000]) {
      const page = { offset: 0, limit: 300, with_total: false };
      const query = { q: 'part', under: shown };
      const caller = callerOf(owner);
      const { rows } = await searchCogs(db, caller, query, page, { mostFromAbove });
      assert.equal(rows.length, 200);
    }
  });
});

describe('searching as a member', () => {
  it('finds the folder of all results, as lists show it, and what is their own in it', async () => {
    const { owner, viewer, server } = await cast();
    const { tenant_id, id } = owner.user;
    await server.services.db.transaction((tx) =>
      ensureFolderPath(tx, tenant_id, id, null, ['Output of mine']),
    );
    const search = async (by: Client) => {
      const { body, headers } = await by.get('/cogs/search?q=output&with_total=true');
      const names = body.map((cog: { name: string }) => cog.name);
      return [names, headers.get('x-total-count')];
    };

    assert.deepEqual(await search(owner), [['Output of mine', 'Workflow outputs'], '2']);
    assert.deepEqual(await search(viewer), [['Workflow outputs'], '1']);
  });
});
