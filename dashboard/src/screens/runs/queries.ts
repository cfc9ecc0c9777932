/** What the run screen asks: often while the run moves, never again once it has ended. */

import type { WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { isTerminal } from '@cogworks/sdk/runs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { api } from '../../api.ts';

/**
 * Progress is small and asked every second. The run itself is asked when progress has moved,
 * and every few seconds for what progress does not tell; both together stay far below the
 * service's limit of requests, with several tabs open too.
 */
export function useRun(id: number) {
  const client = useQueryClient();
  const run = useQuery({
    queryKey: ['run', id],
    queryFn: () => api.getRun({ path: { run_id: id } }),
    refetchInterval: ({ state }) => (state.data && isTerminal(state.data.status) ? false : 4000),
  });
  const isMoving = run.data !== undefined && !isTerminal(run.data.status);
  const progress = useQuery({
    queryKey: ['progress', id],
    queryFn: () => api.getRunProgress({ path: { run_id: id } }),
    refetchInterval: isMoving ? 1000 : false,
  });

  const seen = useRef('');
  const { data } = progress;
  useEffect(() => {
    const now = JSON.stringify(data);
    if (seen.current !== '' && seen.current !== now) {
      void client.invalidateQueries({ queryKey: ['run', id] });
    }
    seen.current = now ?? '';
  }, [client, data, id]);

  // The last progress may have been asked a moment before the end.
  const status = run.data?.status;
  useEffect(() => {
    if (status && isTerminal(status)) {
      void client.invalidateQueries({ queryKey: ['progress', id] });
      void client.invalidateQueries({ queryKey: ['runs'] });
    }
  }, [client, status, id]);
  return { run, progress: data, isMoving };
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
    onSettled: () => client.invalidateQueries({ queryKey: ['run', id] }),
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
