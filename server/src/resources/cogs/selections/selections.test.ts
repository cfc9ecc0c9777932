import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { folder, share } from '../../../../test/sharing.ts';
import { statementsOf } from '../../../../test/statements.ts';

const { server, admin, owner, editor, viewer, stranger } = await cast();

type Outcome = {
  cog_id: number;
  cog?: { name: string; parent_id: number; access?: { level: string } };
  error?: { status: number; code?: string };
};

const file = async (who: Client, name: string, parent?: number): Promise<number> =>
  (await who.upload(name, name, parent)).body.id;
const files = (who: Client, names: readonly string[], parent?: number) =>
  Promise.all(names.map((name) => file(who, name, parent)));

async function results(work: ReturnType<Client['post']>): Promise<Outcome[]> {
  const { status, body } = await work;
  assert.equal(status, 200, JSON.stringify(body));
  return body.results;
}
const move = (who: Client, cog_ids: number[], parent_id: number) =>
  results(who.post('/cogs/move', { cog_ids, parent_id }));
const remove = (who: Client, cog_ids: number[]) => results(who.post('/cogs/delete', { cog_ids }));
const restore = (who: Client, cog_ids: number[], existing?: string) =>
  results(who.post('/cogs/restore', { cog_ids, ...(existing && { existing }) }));
const purge = (who: Client, cog_ids: number[]) => results(who.post('/cogs/purge', { cog_ids }));

/** `ok`, or the code or status of the error. */
const told = (outcomes: readonly Outcome[]) =>
  outcomes.map(({ error }) => (error ? (error.code ?? error.status) : 'ok'));
const namesIn = async (who: Client, id: number): Promise<string[]> =>
  (await who.get(`/cogs/?parent_id=${id}&limit=1000`)).body.map(
    (cog: { name: string }) => cog.name,
  );
const eventsOf = async (action: string, ids: readonly number[]) =>
  (await admin.get(`/audit-events?action=${action}&limit=1000`)).body.filter(
    (event: { target_id: string }) => ids.includes(Number(event.target_id)),
  );

describe('moving many', () => {
  it('answers each in the order asked, with the cog or the error of its own request', async () => {
    const target = await folder(owner, 'target');
    const inner = await folder(owner, 'inner', target.id);
    const [a, b, there] = await Promise.all([
      file(owner, 'a'),
      file(owner, 'b'),
      file(owner, 'there', target.id),
    ]);
    const others = await file(editor, 'of another');
    const foreign = await file(stranger, 'foreign');
    const root = (await owner.get('/cogs/root')).body.id;

    const ids = [b, others, target.id, foreign, a, there, root, inner.id, 2 ** 40];
    const outcomes = await move(owner, ids, target.id);

    assert.deepEqual(told(outcomes), [
      ...['ok', 403, 'cycle', 404, 'ok', 'ok', 'root_folder', 'ok', 404],
    ]);
    assert.deepEqual(
      outcomes.map(({ cog_id }) => cog_id),
      ids,
    );
    assert.equal(outcomes[0]?.cog?.parent_id, target.id);
    assert.deepEqual(await namesIn(owner, target.id), ['a', 'b', 'inner', 'there']);
    assert.deepEqual((await eventsOf('cog.moved', ids)).length, 2);
  });

  it('refuses the folder as a whole', async () => {
    const [a] = await files(owner, ['alone']);
    const closed = await folder(editor, 'closed');
    const answers = [];
    for (const parent_id of [closed.id, 2 ** 40, a])
      answers.push(await owner.post('/cogs/move', { cog_ids: [a], parent_id }));

    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 404, 400],
    );
  });

  it('lets the first of several with one name have it, and none that is taken', async () => {
    const target = await folder(owner, 'names');
    const [one, two] = [await folder(owner, 'one'), await folder(owner, 'two')];
    const [first, taken] = await files(owner, ['same', 'taken'], one.id);
    const second = await file(owner, 'same', two.id);
    await file(owner, 'taken', target.id);

    const outcomes = await move(owner, [second, first ?? 0, taken ?? 0], target.id);

    assert.deepEqual(told(outcomes), ['ok', 'name_collision', 'name_collision']);
    assert.equal((await owner.get(`/cogs/${second}`)).body.parent_id, target.id);
  });

  it('moves a folder and what is in it side by side', async () => {
    const [target, outer] = [await folder(owner, 'aside'), await folder(owner, 'outer')];
    const middle = await folder(owner, 'middle', outer.id);
    const leaf = await file(owner, 'leaf', middle.id);

    for (const cog_ids of [
      [outer.id, middle.id, leaf],
      [leaf, middle.id, outer.id],
    ]) {
      assert.deepEqual(told(await move(owner, cog_ids, target.id)), ['ok', 'ok', 'ok']);
      assert.deepEqual(await namesIn(owner, target.id), ['leaf', 'middle', 'outer']);
      await move(owner, [leaf], middle.id);
      await move(owner, [middle.id], outer.id);
    }
  });

  it('decides about rights as moving one does', async () => {
    const shared = await folder(owner, 'shared');
    const own = await folder(editor, 'own');
    await share(owner, shared.id, editor, 'editor');
    const [kept, given] = await files(owner, ['kept', 'given'], shared.id);
    await share(owner, given ?? 0, editor, 'editor', { can_delete: true });

    const outcomes = await move(editor, [kept ?? 0, given ?? 0], own.id);

    assert.deepEqual(told(outcomes), [403, 'ok']);
    assert.equal(outcomes[1]?.cog?.access?.level, 'editor', 'not raised by the own folder');
    assert.equal((await owner.get(`/cogs/${given}`)).body.access.level, 'owner');
  });

  it('keeps to the depth limit, for each with what is below it', async () => {
    let deep = await folder(owner, 'deep');
    for (let n = 2; n < 99; n++) deep = await folder(owner, `${n}`, deep.id);
    const [tall, flat] = [await folder(owner, 'tall'), await folder(owner, 'flat')];
    await folder(owner, '2', (await folder(owner, '1', tall.id)).id);

    assert.deepEqual(told(await move(owner, [tall.id, flat.id], deep.id)), ['depth_limit', 'ok']);
    const last = await folder(owner, 'last', flat.id);
    const below = { name: 'x', cog_type: 'asset_folder', parent_id: last.id };
    assert.equal((await owner.post('/cogs/', below)).body.code, 'depth_limit');
  });
});

describe('deleting, restoring and removing many', () => {
  it('decides about each as about one alone', async () => {
    const shared = await folder(owner, 'shared for deletion');
    const [mine, theirs] = await files(owner, ['mine', 'theirs'], shared.id);
    const ids = [mine ?? 0, theirs ?? 0];
    await share(owner, shared.id, editor, 'editor');
    await share(owner, theirs ?? 0, editor, 'editor', { can_delete: true });
    await share(owner, mine ?? 0, viewer, 'viewer');
    const foreign = await file(stranger, 'foreign too');

    assert.deepEqual(told(await remove(editor, [...ids, foreign])), [403, 'ok', 404]);
    assert.deepEqual(told(await remove(owner, [...ids, shared.id])), ['ok', 404, 'ok']);
    assert.deepEqual(told(await restore(viewer, ids)), [404, 404]);
    assert.deepEqual(told(await purge(editor, [theirs ?? 0, mine ?? 0, foreign])), [403, 404, 404]);

    const restored = await restore(owner, [theirs ?? 0, mine ?? 0, shared.id]);
    assert.deepEqual(told(restored), ['ok', 'ok', 'ok']);
    assert.equal(restored[0]?.cog?.access?.level, 'owner');
    for (const who of [editor, viewer])
      assert.equal((await who.get(`/cogs/${mine}`)).status, 403, 'their grants have ended');
    assert.deepEqual(told(await restore(owner, ids)), ['not_in_trash', 'not_in_trash']);
    assert.equal((await eventsOf('cog.deleted', ids)).length, 2);
    assert.equal((await eventsOf('cog.restored', ids)).length, 2);
  });

  it('takes folders and what is in them, whatever comes first', async () => {
    const outer = await folder(owner, 'outer of all');
    const inner = await folder(owner, 'inner of all', outer.id);
    const [leaf = 0] = await files(owner, ['leaf of all'], inner.id);

    for (const ids of [
      [outer.id, leaf, inner.id],
      [leaf, inner.id, outer.id],
    ]) {
      assert.deepEqual(told(await remove(owner, ids)), ['ok', 'ok', 'ok']);
      assert.equal((await restore(owner, [leaf]))[0]?.error?.code, 'parent_deleted');
      assert.deepEqual(told(await restore(owner, ids)), ['ok', 'ok', 'ok']);
      assert.deepEqual(await namesIn(owner, inner.id), ['leaf of all']);
    }
    await remove(owner, [outer.id, inner.id, leaf]);
    assert.deepEqual(told(await purge(owner, [leaf, leaf, outer.id, inner.id])), [
      ...['ok', 'ok', 'ok', 'ok'],
    ]);
    assert.equal((await eventsOf('cog.purged', [leaf])).length, 1);
    assert.deepEqual(told(await restore(owner, [leaf, outer.id])), [404, 404]);
  });

  it('restores the first of several with one name, and none whose name is taken', async () => {
    const place = await folder(owner, 'one name');
    const ids: number[] = [];
    for (let n = 0; n < 2; n++) {
      ids.push(await file(owner, 'again', place.id));
      await remove(owner, ids.slice(-1));
    }
    ids.push(await file(owner, 'other', place.id));
    await remove(owner, ids.slice(-1));
    await file(owner, 'other', place.id);

    assert.deepEqual(told(await restore(owner, ids)), ['ok', 'name_collision', 'name_collision']);
  });

  it('keeps who may delete nothing in a folder from deleting the folder', async () => {
    const shared = await folder(owner, 'with a kept file');
    const [kept = 0] = await files(owner, ['kept in it'], shared.id);
    await share(owner, shared.id, editor, 'owner');
    await share(owner, kept, editor, 'viewer');
    const other = await file(editor, 'of the editor', shared.id);

    assert.deepEqual(told(await remove(editor, [shared.id, other, kept])), [403, 'ok', 403]);
  });

  it('never deletes the root or the folder for all results', async () => {
    const root = (await admin.get('/cogs/root')).body.id;
    assert.deepEqual(told(await remove(admin, [root])), ['root_folder']);
  });
});

describe('restoring many of which names are taken', () => {
  it('gives numbers to all of them, twins too, each in its folder, if that is wanted', async () => {
    const [one, other] = [await folder(owner, 'twins here'), await folder(owner, 'there')];
    const gone: number[] = [];
    for (const place of [one, one, other]) {
      const id = await file(owner, 'twin.txt', place.id);
      gone.push(id);
      await remove(owner, [id]);
    }
    const first = await file(owner, 'first.txt', one.id);
    await remove(owner, [first]);
    await file(owner, 'first.txt', one.id);
    await file(owner, 'twin (2).txt', one.id);
    const ids = [...gone, first];

    assert.deepEqual(told(await restore(owner, ids)), [
      ...['ok', 'name_collision', 'ok', 'name_collision'],
    ]);
    await remove(owner, gone);
    const { statements } = await statementsOf(server, async () => {
      const outcomes = await restore(owner, ids, 'number');
      assert.deepEqual(
        outcomes.map(({ cog }) => [cog?.parent_id, cog?.name]),
        [
          [one.id, 'twin.txt'],
          [one.id, 'twin (3).txt'],
          [other.id, 'twin.txt'],
          [one.id, 'first (2).txt'],
        ],
      );
    });
    assert.ok(statements <= 17, `${statements} statements`);
  });
});

describe('a request with many', () => {
  const change = { 'idempotency-key': 'many-once' };

  it('takes one to five hundred ids', async () => {
    for (const cog_ids of [[], Array.from({ length: 501 }, (_, at) => at + 1), ['1']]) {
      assert.equal((await owner.post('/cogs/delete', { cog_ids })).status, 422);
    }
  });

  it('is done once for a key, and answers the same again', async () => {
    const [one = 0] = await files(owner, ['once']);
    const ask = () => owner.post('/cogs/delete', { cog_ids: [one, 2 ** 40] }, { headers: change });

    const [first, second] = [await ask(), await ask()];

    assert.deepEqual(first.body, second.body);
    assert.equal(second.headers.get('idempotent-replay'), 'true');
    assert.deepEqual(told(first.body.results), ['ok', 404]);
    const another = { cog_ids: [one] };
    const { body } = await owner.post('/cogs/delete', another, { headers: change });
    assert.equal(body.code, 'idempotency_mismatch');
  });

  it('sends as few statements for many as for two', async () => {
    const [from, to] = [await folder(owner, 'from'), await folder(owner, 'to')];
    const names = Array.from({ length: 100 }, (_, at) => `file ${at}`);
    const ids = await files(owner, names, from.id);
    const folders = await Promise.all(names.map((name) => folder(owner, `in ${name}`, from.id)));
    const all = [...ids, ...folders.map(({ id }) => id)];
    const steps = [
      { what: 'move', work: () => move(owner, all, to.id), budget: 15, trips: 2 },
      { what: 'delete', work: () => remove(owner, all), budget: 10, trips: 2 },
      { what: 'restore', work: () => restore(owner, all), budget: 16, trips: 5 },
      { what: 'delete', work: () => remove(owner, all), budget: 10, trips: 2 },
      { what: 'purge', work: () => purge(owner, all), budget: 7, trips: 2 },
    ];
    for (const { what, work, budget, trips } of steps) {
      let outcomes: Outcome[] = [];
      const { statements, round_trips } = await statementsOf(server, async () => {
        outcomes = await work();
      });
      assert.ok(outcomes.every(({ error }) => error === undefined));
      assert.ok(statements <= budget, `${what}: ${statements} statements`);
      assert.ok(round_trips <= trips, `${what}: ${round_trips} round trips`);
    }
  });
});
