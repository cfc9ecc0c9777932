/** The queries of the files screens; changes.ts has what changes files. */

import type { Cog, Operations } from '@cogworks/sdk/contract.gen';
import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { api, apiPage } from '../../api.ts';
import type { More } from '../../ui/rows/virtual-rows.ts';
import { reloading } from './listings.ts';

type AnySort = NonNullable<NonNullable<Operations['listCogs']['args']['query']>['sort']>;
export type Sort = Exclude<AnySort, 'created_at' | '-created_at'>;

/** The folder of a URL; without an id the tenant's root. */
export function useFolder(id: number | undefined) {
  return useQuery({
    queryKey: ['folder', id ?? 'root'],
    queryFn: () => (id === undefined ? api.getRootCog() : api.getCog({ path: { id } })),
  });
}

/** The path from the root to the folder, inclusive. */
export function usePath(folder: Cog | undefined) {
  return useQuery({
    queryKey: ['path', folder?.id],
    queryFn: () => (folder ? api.getCogPath({ path: { id: folder.id } }) : []),
    enabled: folder !== undefined,
  });
}

type Position = { part: 'folders' | 'files'; cursor?: string | undefined };
type Listing = { rows: Cog[]; next: Position | undefined };

/** A folder's children, page by page; folders come before files. */
export function useChildren(folderId: number | undefined, sort: Sort) {
  return useInfiniteQuery({
    queryKey: ['children', folderId, sort],
    queryFn: ({ pageParam }) => listFrom(folderId ?? 0, sort, pageParam),
    initialPageParam: { part: 'folders' } as Position,
    getNextPageParam: (page) => page.next,
    // In the former order until the new one is known: nothing flickers, and what is chosen stays so.
    placeholderData: keepPreviousData,
    ...reloading,
    enabled: folderId !== undefined,
  });
}

async function listFrom(parent_id: number, sort: Sort, from: Position): Promise<Listing> {
  if (from.part === 'files') return listPart(parent_id, sort, from);
  // Folders have no size to sort by.
  const folderSort = sort.endsWith('size_bytes') ? 'name' : sort;
  const folders = await listPart(parent_id, folderSort, from);
  if (folders.next) return folders;
  const files = await listPart(parent_id, sort, { part: 'files' });
  return { ...files, rows: [...folders.rows, ...files.rows] };
}

async function listPart(parent_id: number, sort: Sort, { part, cursor }: Position) {
  const cog_type = part === 'folders' ? 'asset_folder' : 'file';
  // The first page is shown sooner than a larger one; the others are wanted by whoever goes on.
  const limit = cursor === undefined ? 500 : 1000;
  const page = await apiPage('listCogs', { query: { parent_id, cog_type, sort, limit } }, cursor);
  return {
    rows: page.rows,
    next: page.cursor === undefined ? undefined : { part, cursor: page.cursor },
  };
}

/** What is called like that, with where it is. */
export function useSearch(q: string, under: number | undefined) {
  return useInfiniteQuery({
    queryKey: ['search', q, under],
    queryFn: ({ pageParam }) =>
      apiPage('searchCogs', { query: { q, under, with_above: true } }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    // While one types on.
    placeholderData: keepPreviousData,
    ...reloading,
    enabled: q !== '',
  });
}

export function useSharedWithMe() {
  return useInfiniteQuery({
    queryKey: ['shared'],
    queryFn: ({ pageParam }) =>
      apiPage('listCogsSharedWithMe', { query: { limit: 500, with_above: true } }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    ...reloading,
  });
}

/** What lists need to load the next page. */
export const moreOf = (list: UseInfiniteQueryResult<unknown>): More => ({
  hasMore: list.hasNextPage && !list.isPlaceholderData,
  isLoadingMore: list.isFetchingNextPage,
  ...(list.isFetchNextPageError && { moreError: list.error }),
  onMore: () => void list.fetchNextPage(),
});

export type Rows<Row> = InfiniteData<{ rows: Row[] }>;

/** The same array as long as the data is the same. */
export function rowsOf<Row>(data: Rows<Row>): readonly Row[] {
  const [only] = data.pages;
  if (only && data.pages.length === 1) return only.rows;
  const known = joined.get(data.pages) as Row[] | undefined;
  if (known) return known;
  const rows = data.pages.flatMap((page) => page.rows);
  joined.set(data.pages, rows);
  return rows;
}

const joined = new WeakMap<object, unknown[]>();
