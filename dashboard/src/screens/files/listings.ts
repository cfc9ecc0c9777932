/**
 * The cached lists of files. Changes are written into them at once; short lists are loaded again as
 * well, whereas one of a hundred thousand rows would need hundreds of requests for that.
 */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Sort } from '../../app/search.ts';
import { withInserted } from './listing-order.ts';

type Lists = InfiniteData<{ rows: Cog[]; next?: unknown }>;

/** Lists of cogs by pages, the first part of their query keys. */
const lists = ['children', 'search', 'shared'] as const;

/** A list with more pages is not loaded again. */
const fewPages = 4;

const isShort = ({ state }: { state: { data?: unknown } }): boolean =>
  ((state.data as Lists | undefined)?.pages.length ?? 0) <= fewPages;

/** For the queries of lists: when they are loaded again without a request of the user. */
export const reloading = {
  refetchOnMount: isShort,
  refetchOnWindowFocus: isShort,
  refetchOnReconnect: isShort,
};

export function useListings() {
  const client = useQueryClient();
  return useMemo(() => listingsOf(client), [client]);
}

function listingsOf(client: QueryClient) {
  return {
    /** After cogs were created, restored, renamed or moved. */
    put(cogs: readonly Cog[]): void {
      show(client, cogs);
      void reload(client);
    },

    /** The same without a request. */
    show: (cogs: readonly Cog[]) => show(client, cogs),

    /** After cogs were deleted. */
    drop(cogs: readonly Cog[]): void {
      const gone = new Set(cogs.map(({ id }) => id));
      eachRow(client, (row) => (gone.has(row.id) ? undefined : row));
      void reload(client);
    },

    reload: () => reload(client),
  };
}

function show(client: QueryClient, cogs: readonly Cog[]) {
  const known = new Map(cogs.map((cog) => [cog.id, cog]));
  const shown = new Set<string>();
  eachRow(client, (row, folderId) => {
    const cog = known.get(row.id);
    if (!cog) return row;
    shown.add(`${folderId} ${cog.id}`);
    return folderId === undefined || folderId === cog.parent_id ? cog : undefined;
  });
  for (const cog of cogs) {
    if (shown.has(`${cog.parent_id} ${cog.id}`)) continue;
    const found = client.getQueriesData<Lists>({ queryKey: ['children', cog.parent_id] });
    for (const [queryKey, data] of found) {
      if (!data) continue;
      const place = { sort: queryKey[2] as Sort, hasMore: data.pages.at(-1)?.next !== undefined };
      client.setQueryData<Lists>(queryKey, {
        ...data,
        pages: withInserted(data.pages, cog, place),
      });
    }
  }
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
  const others = ['folder', 'path', 'cog', 'file-versions', 'trash'];
  return Promise.all([
    ...others.map((key) => client.invalidateQueries({ queryKey: [key] })),
    ...lists.map((key) =>
      client.invalidateQueries({
        queryKey: [key],
        predicate: isShort,
      }),
    ),
    ...lists.map((key) => reloadLoading(client, key)),
  ]);
}

/**
 * A list that is loading for the first time may be of the time before the change, and is not asked
 * for again while it has no data.
 */
async function reloadLoading(client: QueryClient, key: string): Promise<void> {
  const loading = client.getQueryCache().findAll({
    queryKey: [key],
    fetchStatus: 'fetching',
    predicate: ({ state }) => state.data === undefined,
  });
  for (const { promise, queryKey } of loading) {
    await promise?.catch(() => {});
    await client.invalidateQueries({ queryKey, exact: true });
  }
}
