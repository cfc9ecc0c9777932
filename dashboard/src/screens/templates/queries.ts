/** Templates, as the gallery and their own screens read and use them. */
import type { TemplateRequirement } from '@cogworks/sdk/contract.gen';
import { allRows, type Row } from '@cogworks/sdk/pages';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useRequestKey } from '../../request-key.ts';

export type Summary = Row<'listWorkflowTemplates'>;

/** More are found by nobody who looks through pictures. */
const mostShown = 1000;

export const useTemplates = () =>
  useQuery({
    queryKey: ['templates'],
    queryFn: async () => {
      const rows: Summary[] = [];
      const pages = allRows(api, 'listWorkflowTemplates', { query: { limit: 200 } });
      for await (const row of pages) {
        rows.push(row);
        if (rows.length >= mostShown) break;
      }
      return rows;
    },
  });

export const useTemplate = (id: number) =>
  useQuery({
    queryKey: ['template', id],
    queryFn: () => api.getWorkflowTemplate({ path: { id } }),
    // What it needs is done on other screens.
    refetchOnMount: 'always',
    // No event tells how far an image is.
    refetchInterval: ({ state: { data } }) => (data?.requirements.some(isBuilding) ? 3000 : false),
  });

/** An image that is being made, for which runs wait. */
export const isBuilding = ({ state }: TemplateRequirement): boolean => state === 'building';

/** A workflow of a template, once: also when the button is pressed twice or an answer is lost. */
export function useInstantiation(id: number) {
  const client = useQueryClient();
  const keyOf = useRequestKey();
  return useMutation({
    mutationFn: (body: { name: string }) =>
      api.instantiateWorkflowTemplate({ path: { id }, body, idempotencyKey: keyOf(body) }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['workflows'] }),
  });
}

export function useDeletion(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.deleteWorkflowTemplate({ path: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['templates'] }),
  });
}
