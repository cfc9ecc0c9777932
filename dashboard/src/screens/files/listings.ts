/**
 * The cached lists of files. Changes are written into them at once; short lists are loaded again as
 * well, whereas one of a hundred thousand rows would need hundreds of requests for that.
 */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';

type Lists = InfiniteData<{ rows: Cog[] }>;

/** Lists of cogs by pages, the first part of their query keys. */
const lists = ['children', 'search', 'shared'] as const;

/** A list with more pages is not loaded again. */
const fewPages = 4;

/** For the queries of lists: a long one is loaded again only on request. */
export const isShort = (data: InfiniteData<unknown> | undefined): boolean =>
  (data?.pages.length ?? 0) <= fewPages;

export function useListings() {
  const client = useQueryClient();
  return {
    /** After cogs were created, renamed or moved. */
    put(cogs: readonly Cog[]): Promise<unknown> {
      const known = new Map(cogs.map((cog) => [cog.id, cog]));
      eachRow(client, (row, folderId) => {
        const cog = known.get(row.id);
        if (!cog) return row;
        return folderId === undefined || folderId === cog.parent_id ? cog : undefined;
      });
      return reload(client);
    },

    /** After cogs were deleted. */
    drop(cogs: readonly Cog[]): Promise<unknown> {
      const gone = new Set(cogs.map(({ id }) => id));
      eachRow(client, (row) => (gone.has(row.id) ? undefined : row));
      return reload(client);
    },

    reload: () => reload(client),
  };
}

/** @param change the row as it is now, or undefined if it is no longer in that folder's list. */
function eachRow(
  client: QueryClient,
  change: (row: Cog, folderId: number | undefined) => Cog | undefined,
) {
  for (const list of lists) {
    for (const [queryKey, data] of client.getQueriesData<Lists>({ queryKey: [list] })) {
      if (!data) continue;
      const folderId = list === 'children' ? Number(queryKey[1]) : undefined;
      const pages = data.pages.map((page) => ({
        ...page,
        rows: page.rows.flatMap((row) => change(row, folderId) ?? []),
      }));
      client.setQueryData<Lists>(queryKey, { ...data, pages });
    }
  }
}

/** The name of a folder is in the paths of others too. */
function reload(client: QueryClient): Promise<unknown> {
  const others = ['folder', 'path', 'cog', 'trash'];
  return Promise.all([
    ...others.map((key) => client.invalidateQueries({ queryKey: [key] })),
    ...lists.map((key) =>
      client.invalidateQueries({
        queryKey: [key],
        predicate: ({ state }) => isShort(state.data as Lists | undefined),
      }),
    ),
  ]);
}
