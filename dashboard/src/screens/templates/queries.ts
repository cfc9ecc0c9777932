/** What changes templates, and what is made of them. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useRequestKey } from '../../request-key.ts';

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
