/** The workers, and what keeps them up to date. */
import type { EnrollmentToken } from '@cogworks/sdk/contract.gen';
import type { RunsEvent } from '@cogworks/sdk/run-events';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { api } from '../../api.ts';
import { useTenantNews } from '../../tenant-news.ts';

/**
 * Of heartbeats, with what a worker has in use, and of silence no event tells; neither of workers
 * of the platform, which all organizations share.
 */
const quiet_ms = 15_000;
/** While a dialog waits for a worker of the platform. */
const awaited_ms = 3000;

const listed = queryOptions({
  queryKey: ['workers'],
  queryFn: () => api.listWorkers({ query: { limit: 1000 } }),
});

export function useWorkers() {
  const client = useQueryClient();
  useTenantNews(
    isAboutWork,
    useCallback(() => client.invalidateQueries({ queryKey: ['workers'] }), [client]),
  );
  return useQuery({ ...listed, refetchInterval: quiet_ms });
}

/** The one that a token has enrolled, asked for as long as somebody is shown that it is awaited. */
export function useArrival({ id, scope }: EnrollmentToken) {
  const isTold = scope === 'tenant';
  const { data } = useQuery({ ...listed, refetchInterval: isTold ? false : awaited_ms });
  return data?.find((one) => one.enrollment_token_id === id);
}

/** A run that goes on means that workers do something else. */
const isAboutWork = ({ event }: RunsEvent) => event === 'worker' || event === 'run';

export type Steering = 'drain' | 'resume';

export function useSteering(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (to: Steering) =>
      to === 'drain' ? api.drainWorker({ path: { id } }) : api.resumeWorker({ path: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['workers'] }),
  });
}

export function useChange(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; labels: string[] }) =>
      api.changeWorker({ path: { id }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['workers'] }),
  });
}

export function useRemoval(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.deleteWorker({ path: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['workers'] }),
  });
}
