import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../../test/cast.ts';
import { folderOfFiles } from '../../../../test/runs.ts';
import { folder } from '../../../../test/sharing.ts';
import { mostGrants } from './moves.ts';

const { server, owner, editor } = await cast();
const { db } = server.services;
const { tenant_id, id: owner_id } = owner.user;

type Outcome = { cog_id: number; error?: { code: string; status: number; detail: string } };

/** Files in a folder that so many other users own. */
async function filesOf(owners: number, count: number): Promise<number[]> {
  const from = await folderOfFiles(server, owner, count);
  await db`
    with users as (
      insert into users (tenant_id, email, issuer, subject, role, status)
      select ${tenant_id}, 'owner' || n || '@x.example', 'x', 'owner' || n, 'member', 'active'
      from generate_series(1, ${owners}::int) as n
      returning id
    )
    insert into permissions (tenant_id, cog_id, user_id, level, created_by)
    select ${tenant_id}, ${from}, id, 'owner', ${owner_id}
    from (select id from users union all select ${editor.user.id}::bigint) as added
  `;
  const { body } = await owner.get(`/cogs/?parent_id=${from}&limit=1000`);
  return body.map(({ id }: { id: number }) => id);
}

const codes = (outcomes: readonly Outcome[]) =>
  outcomes.flatMap(({ error }) => (error ? [error.code] : []));

describe('moving files away from hundreds of owners', () => {
  it('keeps them owners, of as many files at once as need 10,000 grants', async () => {
    const ids = await filesOf(300, 50);
    const place = await folder(owner, 'place');
    const move = async (cog_ids: number[]): Promise<Outcome[]> =>
      (await owner.post('/cogs/move', { cog_ids, parent_id: place.id })).body.results;
    // The mover owns the new place; the others need a grant each.
    const most = Math.floor(mostGrants / 301);

    const outcomes = await move(ids);

    const refused = outcomes.filter(({ error }) => error);
    assert.equal(refused.length, 50 - most);
    assert.deepEqual(new Set(codes(outcomes)), new Set(['too_many_grants']));
    assert.match(refused[0]?.error?.detail ?? '', /grants for 301 users/);
    const again = await move(refused.map(({ cog_id }) => cog_id));
    assert.deepEqual(codes(again), []);
    for (const id of [ids[0], ids.at(-1)]) {
      assert.equal((await editor.get(`/cogs/${id}`)).body.access.level, 'owner');
      const { headers } = await owner.get(`/permissions/cogs/${id}?limit=1&with_total=true`);
      assert.equal(headers.get('x-total-count'), '301');
    }
  });
});
