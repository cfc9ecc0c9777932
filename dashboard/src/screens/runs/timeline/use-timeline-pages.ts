/** The node runs in view of a timeline, read by pages and again when they have changed. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../../api.ts';
import type { RunNews } from '../../../run-news.ts';

export const pageSize = 200;
/** Between reads of what is in view while it changes. */
const pause_ms = 2000;

export function useTimelinePages(
  run_id: number,
  items: readonly { index: number }[],
  news: RunNews,
  isMoving: boolean,
) {
  const client = useQueryClient();
  const pages = [...new Set(items.map(({ index }) => Math.floor(index / pageSize)))];
  const found = useQueries({
    queries: pages.map((page) => ({
      queryKey: ['run-timeline', run_id, page],
      queryFn: () =>
        api.listNodeRuns({
          path: { run_id },
          query: { offset: page * pageSize, limit: pageSize, with_attempts: true },
        }),
      structuralSharing: false,
    })),
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void client.invalidateQueries({ queryKey: ['run-timeline', run_id] });
      }, pause_ms);
    };
    const leave = news.subscribe(({ event }) => {
      if (event === 'node_run' || event === 'reset') readSoon();
    });
    return () => {
      leave();
      clearTimeout(timer);
    };
  }, [client, news, run_id]);
  // Its last changes may still wait for their turn.
  // biome-ignore lint/correctness/useExhaustiveDependencies: at the end
  useEffect(() => {
    void client.invalidateQueries({ queryKey: ['run-timeline', run_id] });
  }, [client, run_id, isMoving]);
  const rows = (index: number): NodeRun | undefined => {
    const at = pages.indexOf(Math.floor(index / pageSize));
    return found[at]?.data?.[index % pageSize];
  };
  return { rows, error: found.find(({ error }) => error)?.error ?? null };
}
