/** Trying a step: a run of a version of a workflow that holds it alone. */
import type { Graph } from '@cogworks/sdk/contract.gen';
import { isTerminal, type Moment, watchRun } from '@cogworks/sdk/runs';
import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { api } from '../../../api.ts';
import { useRequestKey } from '../../../request-key.ts';
import { RunNews } from '../../../run-news.ts';
import { useWatching } from '../../../watching.ts';
import { workflowOfTries } from './tried-steps.ts';

type Try = {
  userId: number;
  graph: Graph;
  cog_ids: number[];
  extra_variables: Record<string, string>;
};

/** Starts it. @returns the id of the run. */
export function useTry() {
  const client = useQueryClient();
  const keyOf = useRequestKey();
  const count = useRef(0);
  return useMutation({
    mutationFn: async ({ userId, graph, ...start }: Try) => {
      // The same until it has started: then the same again is another try.
      const key = keyOf([count.current, graph, start]);
      const path = { id: await workflowOfTries(userId) };
      const version = await api.createWorkflowVersion({
        path,
        body: { graph },
        idempotencyKey: `${key}-version`,
      });
      const started = await api.startRun({
        path: { version_id: version.id },
        body: { ...start, keep_results: false },
        idempotencyKey: `${key}-run`,
      });
      count.current += 1;
      return started.workflow_run_id;
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['workflows'] });
      void client.invalidateQueries({ queryKey: ['runs'] });
    },
  });
}

/** A run under way, by its events. */
export function useTriedRun(id: number) {
  const client = useQueryClient();
  const [news] = useState(() => new RunNews());
  const watch = useCallback(
    async (signal: AbortSignal, onNews: () => void) => {
      // What came while nobody watched is not told.
      news.tell({ event: 'reset', data: { reason: 'reopened' } });
      const onEvent = (event: Parameters<typeof news.tell>[0]) => news.tell(event);
      for await (const moment of watchRun(api, id, { signal, onEvent })) {
        client.setQueryData<Moment>(['try', id], moment);
        onNews();
      }
    },
    [client, id, news],
  );
  const { error, retry } = useWatching(watch);
  const { data } = useQuery<Moment>({ queryKey: ['try', id], queryFn: skipToken });
  const isMoving = data === undefined || !isTerminal(data.run.status);
  return { moment: { data, error, isFetching: false, refetch: retry }, isMoving, news };
}
