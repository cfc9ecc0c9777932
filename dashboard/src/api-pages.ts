/** A list of the service, page by page. */
import type { CallOptions } from '@cogworks/sdk/client';
import type { Operations } from '@cogworks/sdk/contract.gen';
import type { ListId, Row } from '@cogworks/sdk/pages';
import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { apiPage } from './api.ts';

/**
 * @param againAfter_ms when to read the list again, if no event tells of its changes; false: not.
 */
export const useApiPages = <Id extends ListId>(
  queryKey: QueryKey,
  id: Id,
  args: Operations[Id]['args'] & CallOptions,
  againAfter_ms: (rows: readonly Row<Id>[]) => number | false = () => false,
) =>
  useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => apiPage(id, args, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    refetchInterval: ({ state }) =>
      againAfter_ms(state.data?.pages.flatMap((page) => page.rows) ?? []),
  });
