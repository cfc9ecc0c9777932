/** Makes new versions of what is edited or shown, and leads there. */
import type { Graph } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api.ts';
import { asContract } from '../../../contract-graph.ts';
import { useRequestKey } from '../../../request-key.ts';
import { useCreateWorkflow, useOpenBuilder } from '../../../workflows.ts';
import { useSaver } from '../draft/draft-context.ts';
import { useEditor } from '../editor.ts';

type Kept = { graph: Graph; onMade?: () => Promise<unknown> };

/** A draft with the graph as it is shown here; what was not saved of it is given up over there. */
export function useNewVersion(workflowId: number) {
  const editor = useEditor();
  const saver = useSaver();
  const client = useQueryClient();
  const openBuilder = useOpenBuilder();
  const keyOf = useRequestKey();
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ graph: kept }: Kept) => {
      const graph = asContract(kept);
      return api.createWorkflowVersion({
        path: { id: workflowId },
        body: { graph },
        idempotencyKey: keyOf(graph),
      });
    },
    onSuccess: async ({ id }, { onMade }) => {
      await onMade?.();
      await saver?.abandon();
      void client.invalidateQueries({ queryKey: ['versions'] });
      openBuilder(workflowId, id);
    },
  });
  const keep = () => mutate({ graph: editor.getState().graph });
  return { keep, keepThis: mutate, isPending, error };
}

/** A workflow of one's own, with this graph, for whoever may not change this one. */
export function useCopyOfWorkflow(name: string) {
  const editor = useEditor();
  const { create, isPending, error } = useCreateWorkflow();
  const copy = () =>
    create({ name: t`Copy of ${name}`, graph: asContract(editor.getState().graph) });
  return { copy, isPending, error };
}
