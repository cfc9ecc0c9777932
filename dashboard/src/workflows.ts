/** The workflows of the tenant and their versions, and the way to the builder. */
import type { Graph, WorkflowVersionSummary } from '@cogworks/sdk/contract.gen';
import { listAll } from '@cogworks/sdk/pages';
import { t } from '@lingui/core/macro';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { api } from './api.ts';
import { useRequestKey } from './request-key.ts';

export const useWorkflows = () =>
  useQuery({
    queryKey: ['workflows'],
    queryFn: () => api.listWorkflows({ query: { limit: 1000 } }),
  });

export function useWorkflowNames(): (id: number) => string {
  const { data } = useWorkflows();
  return (id) => data?.find((one) => one.id === id)?.name ?? t`Workflow ${id}`;
}

/** @param id undefined while it is not known; nothing is read then. */
export const useWorkflow = (id: number | undefined) =>
  useQuery({
    queryKey: ['workflow', id],
    queryFn: () => api.getWorkflow({ path: { id: id ?? 0 } }),
    enabled: id !== undefined,
  });

/** Its versions without their graphs. @param id undefined while it is not known. */
export const useVersions = (id: number | undefined) =>
  useQuery({
    queryKey: ['versions', id],
    queryFn: () => readVersions(id ?? 0),
    enabled: id !== undefined,
  });

/** All of them: the newest, which matter most, come last. */
export const readVersions = (id: number): Promise<WorkflowVersionSummary[]> =>
  listAll(api, 'listWorkflowVersions', { path: { id }, query: { limit: 1000 } });

export const versionQuery = (id: number) =>
  queryOptions({
    queryKey: ['version', id],
    queryFn: () => api.getWorkflowVersion({ path: { version_id: id } }),
  });

/** With its graph. Of a draft: as it was when this was read. */
export const useVersion = (id: number) => useQuery(versionQuery(id));

/** Leads to a version in the builder. */
export function useOpenBuilder() {
  const navigate = useNavigate();
  return useCallback(
    (workflowId: number, versionId: number | undefined) =>
      void navigate({
        to: '/workflows/$workflowId/versions/$versionId',
        params: { workflowId: String(workflowId), versionId: String(versionId) },
      }),
    [navigate],
  );
}

/** Makes a workflow with a draft, and leads to it in the builder. */
export function useCreateWorkflow() {
  const client = useQueryClient();
  const openBuilder = useOpenBuilder();
  const keyOf = useRequestKey();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (body: { name: string; graph: Graph }) =>
      api.createWorkflow({ body, idempotencyKey: keyOf(body) }),
    onSuccess: ({ id, latest_version_id }) => {
      void client.invalidateQueries({ queryKey: ['workflows'] });
      openBuilder(id, latest_version_id);
    },
  });
  return { create: mutate, isPending, error, reset };
}
