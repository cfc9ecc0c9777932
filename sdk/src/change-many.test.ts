import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { deleteMany, moveMany, purgeMany, restoreMany } from './change-many.ts';
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
});
