/** Templates as what starts something with them reads and uses them. */
import type { Workflow, WorkflowTemplate } from '@cogworks/sdk/contract.gen';
import { allRows, type Row } from '@cogworks/sdk/pages';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../api.ts';
import { useRequestKey } from '../request-key.ts';
import { beginFirstSteps } from './first-steps-memory.ts';
import { isBuilding } from './readiness.ts';
import { copySamples } from './samples.ts';

export type TemplateSummary = Row<'listWorkflowTemplates'>;

/** More are found by nobody who looks through pictures. */
const mostShown = 1000;

export const useTemplates = (isEnabled = true) =>
  useQuery({
    queryKey: ['templates'],
    queryFn: async () => {
      const rows: TemplateSummary[] = [];
      const pages = allRows(api, 'listWorkflowTemplates', { query: { limit: 200 } });
      for await (const row of pages) {
        rows.push(row);
        if (rows.length >= mostShown) break;
      }
      return rows;
    },
    enabled: isEnabled,
  });

export const templateQuery = (id: number) =>
  queryOptions({
    queryKey: ['template', id],
    queryFn: () => api.getWorkflowTemplate({ path: { id } }),
    // What it needs is done on other screens.
    refetchOnMount: 'always',
    // No event tells how far an image is.
    refetchInterval: ({ state: { data } }) => (data?.requirements.some(isBuilding) ? 3000 : false),
  });

export const useTemplate = (id: number, isEnabled = true) =>
  useQuery({ ...templateQuery(id), enabled: isEnabled });

type Started = Pick<WorkflowTemplate, 'id' | 'name' | 'description'>;

/**
 * Makes a workflow of a template, publishes it, starts it, and shows the run. A workflow that was
 * made of it before is taken again.
 */
export function useTemplateStart() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const keyOf = useRequestKey();
  return useMutation({
    mutationFn: async ({ template, cog_ids }: { template: Started; cog_ids: number[] }) => {
      const version_id = await publishedOf(template, keyOf);
      const body = { cog_ids };
      const idempotencyKey = keyOf([version_id, body]);
      return api.startRun({ path: { version_id }, body, idempotencyKey });
    },
    onSuccess: ({ workflow_run_id }) => {
      for (const key of ['workflows', 'runs', 'children']) {
        void client.invalidateQueries({ queryKey: [key] });
      }
      void navigate({ to: '/runs/$runId', params: { runId: String(workflow_run_id) } });
    },
  });
}

/** The same on the samples of the template, which are copied first. */
export function useSamplesStart() {
  const start = useTemplateStart();
  const copy = useMutation({
    mutationFn: ({ id, samples = [] }: Pick<TemplateSummary, 'id' | 'samples'>) =>
      copySamples(id, samples),
  });
  return {
    run: (template: Started & Pick<TemplateSummary, 'samples'>) => {
      beginFirstSteps();
      start.reset();
      copy.mutate(template, {
        onSuccess: (cog_ids) => start.mutate({ template, cog_ids }),
      });
    },
    /** The template that was pressed. */
    startedId: copy.variables?.id,
    isPending: copy.isPending || start.isPending || start.isSuccess,
    error: copy.error ?? start.error,
  };
}

/** The published version of the caller's workflow of a template. */
async function publishedOf(
  { id, name, description }: Started,
  keyOf: (request: unknown) => string,
): Promise<number> {
  const me = await api.getMe();
  const isOwn = (one: Workflow) =>
    one.created_by === me.id && one.name === name && one.description === description;
  for await (const one of allRows(api, 'listWorkflows', { query: { limit: 1000 } })) {
    if (isOwn(one) && one.published_version_id !== undefined) return one.published_version_id;
  }
  const body = { name };
  const made = await api.instantiateWorkflowTemplate({
    path: { id },
    body,
    idempotencyKey: keyOf([id, body]),
  });
  const version_id = made.latest_version_id ?? 0;
  const nothingSoFar = { published_version_id: null };
  await api.publishWorkflowVersion({ path: { version_id }, body: nothingSoFar });
  return version_id;
}
