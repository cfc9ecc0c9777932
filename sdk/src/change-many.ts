/** Moves, copies, deletes, restores or removes any number of cogs: up to 500 in a request. */
import type { Client } from './client.ts';
import type { Cog, ItemError, RestoredCog } from './contract.gen.ts';
import { ApiError } from './errors.ts';
import { newKey } from './upload-keys.ts';

/** What became of one of them: it has an `error`, or it was done. */
export type Changed<Item, Result = undefined> = { item: Item; cog?: Result; error?: unknown };

type Options = { signal?: AbortSignal | undefined };
type Existing = { existing?: 'refuse' | 'number' };
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

/**
 * @param existing what becomes of copies whose name is taken: an error, or a number after it.
 * @returns the copies.
 */
export const copyMany = <Item extends WithId>(
  client: Client,
  items: readonly Item[],
  parent_id: number,
  { signal, existing = 'refuse' }: Options & Existing = {},
): Promise<Changed<Item, Cog>[]> =>
  changeMany(items, (cog_ids) =>
    client.copyCogs({ body: { cog_ids, parent_id, existing }, signal, idempotencyKey: newKey() }),
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

/** @param existing what becomes of those whose name is taken: an error, or a number after it. */
export const restoreMany = <Item extends WithId>(
  client: Client,
  items: readonly Item[],
  { signal, existing = 'refuse' }: Options & Existing = {},
): Promise<Changed<Item, RestoredCog>[]> =>
  changeMany(items, (cog_ids) =>
    client.restoreCogs({ body: { cog_ids, existing }, signal, idempotencyKey: newKey() }),
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
  const changed: Changed<Item, Result>[] = items.map((item) => ({ item }));
  let open = items.map((item, at) => ({ item, at }));
  while (open.length > 0) {
    const some = open.slice(0, mostCogs);
    try {
      const { results } = await change(some.map(({ item }) => item.id));
      for (const [index, { item, at }] of some.entries())
        changed[at] = outcomeOf(item, results[index]);
    } catch (error) {
      for (const { item, at } of open) changed[at] = { item, error };
      break;
    }
    // Each was only too many together with those before it, which are done.
    const left = some.filter(({ at }) => isTooMany(changed[at]?.error));
    open = [...(left.length < some.length ? left : []), ...open.slice(mostCogs)];
  }
  return changed;
}

const isTooMany = (error: unknown) => error instanceof ApiError && error.code === 'too_many_grants';

function outcomeOf<Item, Result>(
  item: Item,
  result: Answer<Result>['results'][number] | undefined,
): Changed<Item, Result> {
  if (!result) return { item, error: new Error('The service did not answer for this item.') };
  const { cog, error } = result;
  if (error) return { item, error: new ApiError(error.status, error) };
  return cog === undefined ? { item } : { item, cog };
}
