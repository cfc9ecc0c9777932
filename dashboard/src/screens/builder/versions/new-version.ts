/** Makes new versions of what is edited or shown, and leads there. */
import type { Graph } from '@cogworks/graph/types';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../../api.ts';
import { useRequestKey } from '../../../request-key.ts';
import { asContract } from '../contract-graph.ts';
import { useSaver } from '../draft/draft-context.ts';
import { useEditor } from '../editor.ts';

type Kept = { graph: Graph; onMade?: () => Promise<unknown> };

/** A draft with the graph as it is shown here; what was not saved of it is given up over there. */
export function useNewVersion(workflowId: number) {
  const editor = useEditor();
  const saver = useSaver();
  const client = useQueryClient();
  const navigate = useNavigate();
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
      void navigate({
        to: '/workflows/$workflowId/versions/$versionId',
        params: { workflowId: String(workflowId), versionId: String(id) },
      });
    },
  });
  const keep = () => mutate({ graph: editor.getState().graph });
  return { keep, keepThis: mutate, isPending, error };
}

/** A workflow of one's own, with this graph, for whoever may not change this one. */
export function useCopyOfWorkflow(name: string) {
  const editor = useEditor();
  const client = useQueryClient();
  const navigate = useNavigate();
  const keyOf = useRequestKey();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      const body = { name: `Copy of ${name}`, graph: asContract(editor.getState().graph) };
      return api.createWorkflow({ body, idempotencyKey: keyOf(body) });
    },
    onSuccess: ({ id, latest_version_id }) => {
      void client.invalidateQueries({ queryKey: ['workflows'] });
      void navigate({
        to: '/workflows/$workflowId/versions/$versionId',
        params: { workflowId: String(id), versionId: String(latest_version_id) },
      });
    },
  });
  return { copy: () => mutate(), isPending, error };
}
