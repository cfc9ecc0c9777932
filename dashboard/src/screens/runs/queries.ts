/** The queries of the run screens, and how events update them. */

import type { Progress, WorkflowRun as Run, RunFile } from '@cogworks/sdk/contract.gen';
import { followRuns } from '@cogworks/sdk/events';
import type { RunEvent } from '@cogworks/sdk/run-events';
import { isTerminal, watchRun } from '@cogworks/sdk/runs';
import {
  type InfiniteData,
  type QueryClient,
  skipToken,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { api, apiPage } from '../../api.ts';
import { useWatching } from '../../watching.ts';
import { type Filter, hasOtherRows, withTold } from './run-list.ts';

/** A run under way: updated by its events, and read again when they request it. */
export function useRun(id: number) {
  const client = useQueryClient();
  const [progress, setProgress] = useState<Progress>();
  const watch = useCallback(
    async (signal: AbortSignal, onNews: () => void) => {
      const onEvent = (event: RunEvent) => readLogAgain(client, event);
      for await (const moment of watchRun(api, id, { signal, onEvent })) {
        client.setQueryData<Run>(['run', id], moment.run);
        setProgress(moment.progress);
        onNews();
      }
      void client.invalidateQueries({ queryKey: ['runs'] });
      void client.invalidateQueries({ queryKey: ['run-files', id] });
    },
    [client, id],
  );
  const { error, retry } = useWatching(watch);
  const { data } = useQuery<Run>({ queryKey: ['run', id], queryFn: skipToken });
  const run = { data, error, isFetching: false, refetch: retry };
  return { run, progress, isMoving: data !== undefined && !isTerminal(data.status) };
}

/** The open log has grown. Events that arrive during a read cause one more read. */
function readLogAgain(client: QueryClient, { event, data }: RunEvent) {
  if (event !== 'log') return;
  const queryKey = ['log', data.node_run_id];
  void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

/** Files per direction included in a run. */
const withRun = 1000;

type Direction = RunFile['direction'];
type Pages = InfiniteData<Awaited<ReturnType<typeof apiPage<'listRuns'>>>>;

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
  for (const [queryKey, pages] of client.getQueriesData<Pages>({ queryKey: ['runs'] })) {
    if (!pages) continue;
    const rows = pages.pages.flatMap((page) => page.rows);
    isOld ||= hasOtherRows(rows, queryKey[1] as Filter, told);
    client.setQueryData<Pages>(queryKey, {
      ...pages,
      pages: pages.pages.map((page) => ({
        ...page,
        rows: page.rows.map((row) => withTold(row, told)),
      })),
    });
  }
  return isOld;
}

/**
 * Files of a run: the first are included in it; if there are more, they are read page by page on
 * demand.
 */
export function useFiles({ id: runId, run_files, run_files_total }: Run, direction: Direction) {
  const [isWanted, setWanted] = useState(false);
  const own = run_files.filter((file) => file.direction === direction);
  const total = run_files_total?.[direction] ?? own.length;
  // Files added by events need not directly follow the first ones.
  const first = run_files_total ? own.slice(0, withRun) : own;
  const query = { direction, limit: withRun, offset: first.length };
  const { data, fetchNextPage, hasNextPage, isFetching, error } = useInfiniteQuery({
    queryKey: ['run-files', runId, query],
    queryFn: ({ pageParam }) =>
      apiPage('listRunFiles', { path: { run_id: runId }, query }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    enabled: isWanted,
  });
  return {
    files: [...first, ...(data?.pages.flatMap((page) => page.rows) ?? [])],
    total,
    isFetching,
    error,
    hasMore: total > first.length && (data === undefined || hasNextPage),
    showMore: () => (isWanted ? void fetchNextPage() : setWanted(true)),
  };
}

export function useRunWorkflow(run: Run | undefined) {
  const workflow = useQuery({
    queryKey: ['workflow', run?.workflow_id],
    queryFn: () => api.getWorkflow({ path: { id: run?.workflow_id ?? 0 } }),
    enabled: run !== undefined,
  });
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
    onSuccess: (run) => client.setQueryData<Run>(['run', id], run),
  });
}

export function useRestart(id: number) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (mode: 'failed' | 'all') =>
      api.restartRun({ path: { run_id: id }, body: { mode } }),
    onSuccess: ({ workflow_run_id }) =>
      void navigate({ to: '/runs/$runId', params: { runId: String(workflow_run_id) } }),
  });
}
