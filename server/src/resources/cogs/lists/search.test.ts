import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Cast, type Client, cast } from '../../../../test/cast.ts';
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
        { mostExamined: 300, statement_ms: 5000 },
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
