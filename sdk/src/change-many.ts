/** Moves, deletes, restores or removes any number of cogs: up to 500 in a request. */
import type { Client } from './client.ts';
import type { Cog, ItemError, RestoredCog } from './contract.gen.ts';
import { ApiError } from './errors.ts';
import { newKey } from './upload-keys.ts';

/** What became of one of them: it has an `error`, or it was done. */
export type Changed<Item, Result = undefined> = { item: Item; cog?: Result; error?: unknown };

type Options = { signal?: AbortSignal | undefined };
type WithId = { id: number };
type Answer<Result> = {
  results: { cog_id: number; cog?: Result | undefined; error?: ItemError | undefined }[];
};

const mostCogs = 500;

export const moveMany = <Item extends WithId>(
  client: Client,
  items: readonly Item[],
  parent_id: number,
  { signal }: Options = {},
): Promise<Changed<Item, Cog>[]> =>
  changeMany(items, (cog_ids) =>
    client.moveCogs({ body: { cog_ids, parent_id }, signal, idempotencyKey: newKey() }),
  );

/** Into the trash. */
export const deleteMany = <Item extends WithId>(
  client: Client,
  items: readonly Item[],
  { signal }: Options = {},
): Promise<Changed<Item>[]> =>
  changeMany(items, (cog_ids) =>
    client.deleteCogs({ body: { cog_ids }, signal, idempotencyKey: newKey() }),
  );

export const restoreMany = <Item extends WithId>(
  client: Client,
  items: readonly Item[],
  { signal }: Options = {},
): Promise<Changed<Item, RestoredCog>[]> =>
  changeMany(items, (cog_ids) =>
    client.restoreCogs({ body: { cog_ids }, signal, idempotencyKey: newKey() }),
  );

/** What is in the trash, for ever. */
export const purgeMany = <Item extends WithId>(
  client: Client,
  items: readonly Item[],
  { signal }: Options = {},
): Promise<Changed<Item>[]> =>
  changeMany(items, (cog_ids) =>
    client.purgeCogs({ body: { cog_ids }, signal, idempotencyKey: newKey() }),
  );

/** @returns the outcomes in the order of the items; after a request that fails none is sent. */
async function changeMany<Item extends WithId, Result>(
  items: readonly Item[],
  change: (ids: number[]) => Promise<Answer<Result>>,
): Promise<Changed<Item, Result>[]> {
  const changed: Changed<Item, Result>[] = [];
  for (let at = 0; at < items.length; at += mostCogs) {
    const some = items.slice(at, at + mostCogs);
    try {
      const { results } = await change(some.map(({ id }) => id));
      for (const [index, item] of some.entries()) changed.push(outcomeOf(item, results[index]));
    } catch (error) {
      return [...changed, ...items.slice(at).map((item) => ({ item, error }))];
    }
  }
  return changed;
}

function outcomeOf<Item, Result>(
  item: Item,
  result: Answer<Result>['results'][number] | undefined,
): Changed<Item, Result> {
  if (!result) return { item, error: new Error('The service did not answer for this item.') };
  const { cog, error } = result;
  if (error) return { item, error: new ApiError(error.status, error) };
  return cog === undefined ? { item } : { item, cog };
}
