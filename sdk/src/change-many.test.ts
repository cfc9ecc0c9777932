import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { copyMany, deleteMany, moveMany, purgeMany, restoreMany } from './change-many.ts';
import { type Client, createClient } from './client.ts';
import type { ApiError } from './errors.ts';

const { server, owner } = await cast();
const client = createClient({ baseUrl: server.url, token: () => owner.token });
const folder = (name: string, parent_id?: number) =>
  client.createFolder({
    body: { name, cog_type: 'asset_folder', ...(parent_id && { parent_id }) },
  });

/** Counts the requests, and lets one of them fail. */
function counting(failing?: number) {
  let count = 0;
  const fetching: typeof fetch = (input, init) => {
    count += 1;
    return count === failing
      ? Promise.resolve(new Response('{}', { status: 403 }))
      : fetch(input, init);
  };
  const counted = createClient({ baseUrl: server.url, token: () => owner.token, fetch: fetching });
  return { client: counted as Client, requests: () => count };
}

describe('changes of many cogs', () => {
  it('move, delete, restore and remove them, with an outcome for each', async () => {
    const [a, b, to] = [await folder('a'), await folder('b'), await folder('to')];
    const gone = { id: 2 ** 40 };

    const moved = await moveMany(client, [a, gone, to], to.id);
    assert.deepEqual(
      moved.map(({ cog, error }) => [cog?.parent_id, (error as ApiError)?.status]),
      [
        [to.id, undefined],
        [undefined, 404],
        [undefined, 409],
      ],
    );
    assert.deepEqual(await deleteMany(client, [a, b]), [{ item: a }, { item: b }]);
    const restored = await restoreMany(client, [b, a]);
    assert.deepEqual(
      restored.map(({ cog }) => cog?.name),
      ['b', 'a'],
    );
    await deleteMany(client, [b]);
    const purged = await purgeMany(client, [b, a]);
    assert.deepEqual(
      purged.map(({ error }) => (error as ApiError)?.code),
      [undefined, 'not_in_trash'],
    );
  });

  it('copy them, with numbers after names that are taken if told to', async () => {
    const [a, place] = [await folder('to copy'), await folder('copies')];

    const copied = await copyMany(client, [a, { id: 2 ** 40 }], place.id);
    const again = await copyMany(client, [a], place.id);
    const numbered = await copyMany(client, [a], place.id, { existing: 'number' });

    assert.deepEqual(
      [...copied, ...again, ...numbered].map(
        ({ cog, error }) => cog?.name ?? (error as ApiError).status,
      ),
      ['to copy', 404, 409, 'to copy (2)'],
    );
  });

  it('send five hundred in a request, and nothing after one that fails', async () => {
    const items = Array.from({ length: 1200 }, (_, at) => ({ id: 2 ** 40 + at }));
    const whole = counting();
    assert.equal((await deleteMany(whole.client, items)).length, 1200);
    assert.equal(whole.requests(), 3);

    const broken = counting(2);
    const outcomes = await deleteMany(broken.client, items);
    assert.equal(broken.requests(), 2);
    const statuses = outcomes.map(({ error }) => (error as ApiError).status);
    assert.deepEqual(
      [404, 403].map((status) => statuses.filter((one) => one === status).length),
      [500, 700],
    );
  });

  it('move again what was too much together with others', async () => {
    const items = [1, 2, 3, 4, 5].map((id) => ({ id }));
    const asked: number[][] = [];
    /** Moves two at once; of the item 5 never anything. */
    const answering: typeof fetch = async (_, init) => {
      const { cog_ids } = JSON.parse(String(init?.body)) as { cog_ids: number[] };
      asked.push(cog_ids);
      const error = { status: 409, detail: 'too many', code: 'too_many_grants' };
      const results = cog_ids.map((cog_id, at) =>
        at < 2 && cog_id < 5 ? { cog_id, cog: { id: cog_id } } : { cog_id, error },
      );
      return Response.json({ results });
    };
    const stub = createClient({ baseUrl: server.url, token: () => owner.token, fetch: answering });

    const moved = await moveMany(stub, items, 9);

    assert.deepEqual(asked, [[1, 2, 3, 4, 5], [3, 4, 5], [5]]);
    assert.deepEqual(
      moved.map(({ item, cog, error }) => [item.id, cog?.id ?? (error as ApiError).code]),
      [...[1, 2, 3, 4].map((id) => [id, id]), [5, 'too_many_grants']],
    );
  });
});
