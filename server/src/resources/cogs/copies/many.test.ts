import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { limitedPeople } from '../../../../test/quota.ts';
import { folderOfFiles } from '../../../../test/runs.ts';
import { folder, ownGrant, share } from '../../../../test/sharing.ts';
import { statementsOf } from '../../../../test/statements.ts';
import { storedKeys } from '../../../../test/trash.ts';
import { addDetachedCopies } from './queries.ts';

const { server, admin, owner, editor, viewer, stranger } = await cast();
const { db } = server.services;

type Outcome = {
  cog_id: number;
  cog?: { id: number; name: string; parent_id: number; owner_id: number };
  error?: { status: number; code?: string };
};

const file = async (who: Client, name: string, parent?: number): Promise<number> =>
  (await who.upload(name, name, parent)).body.id;
const send = (who: Client, cog_ids: number[], parent_id: number, more = {}) =>
  who.post('/cogs/copy', { cog_ids, parent_id, ...more });
async function copy(who: Client, ids: number[], parent: number, more = {}): Promise<Outcome[]> {
  const { status, body } = await send(who, ids, parent, more);
  assert.equal(status, 200, JSON.stringify(body));
  return body.results;
}
/** The name of the copy, or the code or status of the error. */
const told = (outcomes: readonly Outcome[]) =>
  outcomes.map(({ cog, error }) => (error ? (error.code ?? error.status) : cog?.name));
const inside = async (who: Client, id: number): Promise<{ id: number; name: string }[]> =>
  (await who.get(`/cogs/?parent_id=${id}&limit=1000`)).body;
const namesIn = async (who: Client, id: number) => (await inside(who, id)).map(({ name }) => name);
const countOf = async () =>
  (
    await db<{ count: number }[]>`
    select count(*) from cogs where tenant_id = ${owner.user.tenant_id}
      and (purged_at is null or purged_at > now())
  `
  )[0]?.count;

describe('copying many', () => {
  it('answers each in the order asked, with its copy or the error of its own request', async () => {
    const target = await folder(owner, 'target');
    const [a, b] = [await file(owner, 'a'), await file(owner, 'b')];
    const others = await file(editor, 'of another');
    const foreign = await file(stranger, 'foreign');
    const root = (await owner.get('/cogs/root')).body.id;
    const project = await folder(owner, 'project');
    await file(owner, 'in it', project.id);
    const before = (await countOf()) ?? 0;

    const ids = [b, others, target.id, foreign, a, root, project.id, 2 ** 40, b];
    const outcomes = await copy(owner, ids, target.id);

    assert.deepEqual(told(outcomes), [
      ...['b', 403, 'cycle', 404, 'a', 'root_folder', 'project', 404, 'b'],
    ]);
    assert.deepEqual(
      outcomes.map(({ cog_id }) => cog_id),
      ids,
    );
    assert.equal(outcomes[0]?.cog?.id, outcomes[8]?.cog?.id, 'one that comes twice is copied once');
    assert.deepEqual(await namesIn(owner, target.id), ['a', 'b', 'project']);
    assert.deepEqual(await namesIn(owner, outcomes[6]?.cog?.id ?? 0), ['in it']);
    assert.equal(await countOf(), before + 4, 'and nothing besides');
    const [key, same] = await storedKeys(db, [a, outcomes[4]?.cog?.id ?? 0]);
    assert.equal(key, same, 'no bytes are copied');
    const events = (await admin.get('/audit-events?action=cog.copied')).body;
    assert.deepEqual(
      events.map(({ details }: { details: { count: number } }) => details.count).sort(),
      [1, 1, 2],
    );
  });

  it('refuses the folder as a whole, and makes nothing', async () => {
    const [a, closed] = [await file(owner, 'alone'), await folder(editor, 'closed')];
    const foreign = await folder(stranger, 'elsewhere');
    const before = await countOf();
    const statuses = [];
    for (const parent of [closed.id, foreign.id, 2 ** 40, a])
      statuses.push((await send(owner, [a], parent)).status);

    assert.deepEqual(statuses, [403, 404, 404, 400]);
    assert.equal(await countOf(), before);
  });

  it('lets the first of several with one name have it, and none that is taken', async () => {
    const target = await folder(owner, 'names');
    const [one, two] = [await folder(owner, 'one'), await folder(owner, 'two')];
    const [first, second] = [await file(owner, 'x', one.id), await file(owner, 'x', two.id)];
    const taken = await file(owner, 'taken', one.id);
    await file(owner, 'taken', target.id);

    const outcomes = await copy(owner, [second, first, taken], target.id);

    assert.deepEqual(told(outcomes), ['x', 'name_collision', 'name_collision']);
    assert.equal((await inside(owner, target.id)).length, 2);
  });

  it('numbers those whose name is taken, if it is asked to', async () => {
    const home = await folder(owner, 'numbered');
    const other = await folder(owner, 'numbered elsewhere');
    const names = ['a.txt', 'a (2).txt', 'b', `${'l'.repeat(251)}.txt`];
    const ids: number[] = [];
    for (const name of names) ids.push(await file(owner, name, home.id));
    ids.push(await file(owner, 'a.txt', other.id));

    const numbered = told(await copy(owner, ids, home.id, { existing: 'number' }));

    assert.deepEqual(numbered, [
      ...['a (3).txt', 'a (4).txt', 'b (2)', `${'l'.repeat(243)} (2).txt`, 'a (5).txt'],
    ]);
    assert.deepEqual(told(await copy(owner, [ids[0] ?? 0], home.id)), ['name_collision']);
    const both = await Promise.all(
      [1, 2].map(() => copy(owner, ids, home.id, { existing: 'number' })),
    );
    const given = both.flatMap(told);
    assert.equal(new Set(given).size, 2 * ids.length, `${given}`);
  });

  it('belongs to whoever copied, with what they may see and no grant of the originals', async () => {
    const [mine, theirs] = [await file(owner, 'mine'), await file(owner, 'theirs')];
    await share(owner, mine, viewer, 'viewer');
    const place = await folder(viewer, 'place of the viewer');

    const [copied, refused] = await copy(viewer, [mine, theirs], place.id);

    assert.equal(refused?.error?.status, 403);
    assert.equal(copied?.cog?.owner_id, viewer.user.id);
    assert.equal((await owner.get(`/cogs/${copied?.cog?.id}`)).status, 403);
    const { body: root } = await viewer.get('/cogs/root');
    const [inRoot] = await copy(viewer, [mine], root.id, { existing: 'number' });
    assert.equal((await ownGrant(viewer, inRoot?.cog?.id ?? 0)).level, 'owner');
  });

  it('keeps to the depth limit, for each with what is below it', async () => {
    let deep = await folder(owner, 'deep');
    for (let n = 2; n < 99; n++) deep = await folder(owner, `${n}`, deep.id);
    const [tall, flat] = [await folder(owner, 'tall'), await folder(owner, 'flat')];
    await folder(owner, '2', (await folder(owner, '1', tall.id)).id);

    const outcomes = await copy(owner, [tall.id, flat.id], deep.id);

    assert.deepEqual(told(outcomes), ['depth_limit', 'flat']);
    const last = await folder(owner, 'last', outcomes[1]?.cog?.id);
    const below = { name: 'x', cog_type: 'asset_folder', parent_id: last.id };
    assert.equal((await owner.post('/cogs/', below)).body.code, 'depth_limit');
  });

  it('copies the first ones that fit, and of the others nothing', async () => {
    const sizes = [2, 1, 5, 0];
    const ids = [];
    for (const [at, size] of sizes.entries()) {
      const { id } = await folder(owner, `of ${size}`);
      for (let n = 0; n < size; n += 1) await folder(owner, `${at} ${n}`, id);
      ids.push(id);
    }
    const sources = ids.map((id) => ({ id, sees_all: true }));
    const { body: root } = await owner.get('/cogs/root');
    const before = (await countOf()) ?? 0;
    const { id: user_id, tenant_id } = owner.user;
    const made = (most: number, makes: 'all or none' | 'what fits') =>
      addDetachedCopies(db, { tenant_id, user_id }, sources, root.id, { most, makes });

    assert.equal(await made(9, 'all or none'), undefined);
    assert.equal(await countOf(), before);
    const some = await made(9, 'what fits');
    assert.deepEqual(
      some?.map(({ fits, id }) => fits && id !== undefined),
      [true, true, false, false],
    );
    assert.equal(await countOf(), before + 3 + 2);
    const all = await made(12, 'all or none');
    assert.deepEqual(
      all?.map(({ count }) => count),
      [3, 2, 6, 1],
    );
  });

  it('needs no room in the storage, since it stores no bytes', async () => {
    const full = await limitedPeople(server, 6);
    const ids = [await file(full.owner, 'one'), await file(full.owner, 'two')];
    const place = await folder(full.owner, 'full');
    assert.equal((await full.owner.upload('three', 'more')).status, 403);

    assert.deepEqual(told(await copy(full.owner, ids, place.id)), ['one', 'two']);
  });

  it('is made once for requests with one idempotency key', async () => {
    const place = await folder(owner, 'once');
    const id = await file(owner, 'repeated');
    const headers = { headers: { 'idempotency-key': 'copies-once' } };
    const body = { cog_ids: [id, 2 ** 40], parent_id: place.id };

    const [first, again] = [
      await owner.post('/cogs/copy', body, headers),
      await owner.post('/cogs/copy', body, headers),
    ];

    assert.deepEqual(told(first.body.results), ['repeated', 404]);
    assert.deepEqual(again.body, first.body);
    assert.equal((await inside(owner, place.id)).length, 1);
  });

  it('sends as few statements for five hundred as for two', async () => {
    const from = await folderOfFiles(server, owner, 500);
    const ids = (await inside(owner, from)).map(({ id }) => id);
    const [few, many] = [await folder(owner, 'few'), await folder(owner, 'many')];
    const costOf = (some: number[], target: number) =>
      statementsOf(server, async () => {
        for (const { error } of await copy(owner, some, target, { existing: 'number' }))
          assert.equal(error, undefined);
      });

    const two = await costOf(ids.slice(0, 2), few.id);
    const fiveHundred = await costOf(ids, many.id);
    const numbered = await costOf(ids, from);

    assert.equal(fiveHundred.statements, two.statements);
    assert.equal(numbered.statements, two.statements + 1);
    assert.ok(numbered.statements <= 19, `${numbered.statements} statements`);
    assert.ok(numbered.round_trips <= 7, `${numbered.round_trips} round trips`);
    assert.equal((await inside(owner, many.id)).length, 500);
  });
});
