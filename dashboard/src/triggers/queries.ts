/** Triggers, as several screens read and change them. */
import type { NewTrigger, TriggerChanges } from '@cogworks/sdk/contract.gen';
import type { RunsEvent } from '@cogworks/sdk/run-events';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { api } from '../api.ts';
import { useRequestKey } from '../request-key.ts';
import { useTenantNews } from '../tenant-news.ts';

export type TriggerFilter = { workflow_id?: number; folder_id?: number };

export const useTriggers = (filter: TriggerFilter = {}) =>
  useQuery({
    queryKey: ['triggers', filter],
    queryFn: () => api.listTriggers({ query: { ...filter, limit: 1000 } }),
    // They fire while other screens are shown.
    refetchOnMount: 'always',
  });

export const useTrigger = (id: number) =>
  useQuery({ queryKey: ['trigger', id], queryFn: () => api.getTrigger({ path: { id } }) });

/** Reads all that is shown of triggers again. */
export const readAgain = (client: QueryClient) =>
  Promise.all(
    ['triggers', 'trigger', 'firings', 'deliveries', 'next-times'].map((key) =>
      client.invalidateQueries({ queryKey: [key] }),
    ),
  );

/** Keeps triggers up to date: a run of one means that it has fired, or that its run has gone on. */
export function useTriggerNews(): void {
  const client = useQueryClient();
  useTenantNews(
    isOfTrigger,
    useCallback(() => readAgain(client), [client]),
  );
}

const isOfTrigger = ({ event, data }: RunsEvent) =>
  event === 'run' && 'trigger_id' in data && data.trigger_id !== undefined;

/** A new one, once: also when the button is pressed twice or an answer is lost. */
export function useCreateTrigger() {
  const client = useQueryClient();
  const keyOf = useRequestKey();
  return useMutation({
    mutationFn: (body: NewTrigger) => api.createTrigger({ body, idempotencyKey: keyOf(body) }),
    onSuccess: () => readAgain(client),
    // The secret must not outlive the dialog that shows it.
    gcTime: 0,
  });
}

export function useChangeTrigger() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, changes }: { id: number; changes: TriggerChanges }) =>
      api.changeTrigger({ path: { id }, body: changes }),
    onSuccess: () => readAgain(client),
  });
}
