/** The queries of the run screens, and how events update them. */
import type { RestartRun, WorkflowRun as Run, RunFile } from '@cogworks/sdk/contract.gen';
import { followRuns } from '@cogworks/sdk/events';
import type { ListId, ListPage, Row } from '@cogworks/sdk/pages';
import { isTerminal, type Moment, watchRun } from '@cogworks/sdk/runs';
import {
  type InfiniteData,
  type QueryClient,
  type QueryKey,
  skipToken,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { api, apiPage } from '../../api.ts';
import { useRequestKey } from '../../request-key.ts';
import { RunNews } from '../../run-news.ts';
import { useWatching } from '../../watching.ts';
import { useWorkflow } from '../../workflows.ts';
import { type Filter, hasOtherRows, withTold } from './run-list.ts';

/** A run under way: updated by its events, and read again when they request it. */
export function useRun(id: number) {
  const client = useQueryClient();
  const [news] = useState(() => new RunNews());
  const watch = useCallback(
    async (signal: AbortSignal, onNews: () => void) => {
      // What came while nobody watched is not told.
      news.tell({ event: 'reset', data: { reason: 'reopened' } });
      const onEvent = (event: Parameters<typeof news.tell>[0]) => news.tell(event);
      for await (const moment of watchRun(api, id, { signal, onEvent })) {
        client.setQueryData<Moment>(['run', id], moment);
        onNews();
      }
      void client.invalidateQueries({ queryKey: ['runs'] });
      void client.invalidateQueries({ queryKey: ['run-rows', id] });
    },
    [client, id, news],
  );
  const { error, retry } = useWatching(watch);
  const { data } = useQuery<Moment>({ queryKey: ['run', id], queryFn: skipToken });
  return {
    moment: { data, error, isFetching: false, refetch: retry },
    isMoving: data !== undefined && !isTerminal(data.run.status),
    news,
  };
}

/** Minimum interval between reads of a list that events request. */
const betweenReads_ms = 1000;

/** The list of runs, page by page, updated by events. */
export function useRuns(query: Filter) {
  const client = useQueryClient();
  const watch = useCallback(
    async (signal: AbortSignal, onNews: () => void) => {
      let isReading = false;
      const readAgain = () => {
        if (isReading) return;
        isReading = true;
        setTimeout(() => {
          isReading = false;
          if (!signal.aborted) void client.invalidateQueries({ queryKey: ['runs'] });
        }, betweenReads_ms);
      };
      for await (const { event, data: told } of followRuns(api, { signal })) {
        onNews();
        if (event === 'reset') void client.invalidateQueries({ queryKey: ['runs'] });
        else if (event === 'run' && bringUp(client, told)) readAgain();
      }
    },
    [client],
  );
  useWatching(watch);
  return useInfiniteQuery({
    queryKey: ['runs', query],
    queryFn: ({ pageParam }) => apiPage('listRuns', { query: { ...query, limit: 50 } }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  });
}

/** Applies an event to every list. @returns whether a list has to be read again. */
function bringUp(client: QueryClient, told: Parameters<typeof withTold>[1]): boolean {
  let isOld = false;
  for (const [queryKey, pages] of client.getQueriesData<Pages<'listRuns'>>({
    queryKey: ['runs'],
  })) {
    if (!pages) continue;
    const all = pages.pages.flatMap((page) => page.rows);
    isOld ||= hasOtherRows(all, queryKey[1] as Filter, told);
    client.setQueryData(
      queryKey,
      withRows(pages, (rows) => rows.map((row) => withTold(row, told))),
    );
  }
  return isOld;
}

type Pages<Id extends ListId> = InfiniteData<ListPage<Id>>;

const withRows = <Id extends ListId>(
  { pages, pageParams }: Pages<Id>,
  change: (rows: Row<Id>[]) => Row<Id>[],
): Pages<Id> => ({
  pages: pages.map((page) => ({ ...page, rows: change(page.rows) })),
  pageParams,
});

/** Files of a run with that direction. */
export function useFiles({ id, run_files, run_files_total }: Run, direction: RunFile['direction']) {
  const own = run_files.filter((file) => file.direction === direction);
  // Files added by events need not directly follow the first ones.
  const first = run_files_total ? own.slice(0, withRun) : own;
  return useRows(['run-rows', id, 'run_files', direction], {
    first,
    total: run_files_total?.[direction] ?? own.length,
    offset: first.length,
    read: (query, cursor) =>
      apiPage('listRunFiles', { path: { run_id: id }, query: { ...query, direction } }, cursor),
  });
}

/** Rows of each kind that are included in a run, and rows of a further page. */
const withRun = 1000;

type Rows<Row> = {
  /** The rows included in the run. */
  first: Row[];
  total: number;
  /** The place in the list of the row after the first ones. */
  offset: number;
  read(
    query: { limit: number; offset: number },
    cursor: string | undefined,
  ): Promise<{ rows: Row[]; cursor?: string }>;
};

/**
 * Rows of a run: the first are included in it; if there are more, they are read page by page on
 * demand, or at once if none is included.
 */
function useRows<Row extends { id: number }>(
  key: QueryKey,
  { first, total, offset, read }: Rows<Row>,
) {
  const [isAsked, setAsked] = useState(false);
  const isWanted = isAsked || (first.length === 0 && total > 0);
  const { data, fetchNextPage, hasNextPage, isFetching, error } = useInfiniteQuery({
    // If other rows become the first ones, what follows them has to be read again.
    queryKey: [...key, offset, first.at(-1)?.id],
    queryFn: ({ pageParam }) => read({ limit: withRun, offset }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    enabled: isWanted,
    // Rows that are not shown are not read again when they should be, so none are kept.
    gcTime: 0,
    // Comparing thousands of rows with themselves at each event takes longer than drawing one.
    structuralSharing: false,
  });
  const rows = [...first, ...(data?.pages.flatMap((page) => page.rows) ?? [])];
  return {
    rows,
    total,
    isFetching,
    error,
    hasMore: rows.length < total && (data === undefined || hasNextPage),
    showMore: () => (isWanted ? void fetchNextPage() : setAsked(true)),
  };
}

export function useRunWorkflow(run: Run | undefined) {
  const workflow = useWorkflow(run?.workflow_id);
  const version = useQuery({
    queryKey: ['version', run?.workflow_version_id],
    queryFn: () => api.getWorkflowVersion({ path: { version_id: run?.workflow_version_id ?? 0 } }),
    enabled: run !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return { workflow: workflow.data, version: version.data };
}

export function useCancel(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.cancelRun({ path: { run_id: id }, body: {} }),
    onSuccess: (run) =>
      client.setQueryData<Moment>(['run', id], (moment) => moment && { ...moment, run }),
  });
}

export function useRestart(id: number) {
  const navigate = useNavigate();
  const keyOf = useRequestKey();
  return useMutation({
    mutationFn: (body: RestartRun) =>
      api.restartRun({ path: { run_id: id }, body, idempotencyKey: keyOf([id, body]) }),
    onSuccess: ({ workflow_run_id }) =>
      void navigate({ to: '/runs/$runId', params: { runId: String(workflow_run_id) } }),
  });
}
