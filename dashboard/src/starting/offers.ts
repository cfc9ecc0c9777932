/** The workflows and templates that files may be given to, with what they take. */
import { useQuery } from '@tanstack/react-query';
import { api } from '../api.ts';
import type { Offer } from './fitting.ts';
import { useTemplates } from './templates.ts';

/** Of more, the ones that were changed last; each is a request. */
const mostWorkflows = 10;

export function useOffers() {
  const templates = useTemplates();
  const workflows = useQuery({ queryKey: ['offers', 'workflows'], queryFn: publishedWorkflows });
  const own = workflows.data ?? [];
  // Of a template and the workflow that was made of it, the workflow.
  const isMade = ({ name, description }: Pick<Offer, 'name' | 'description'>) =>
    own.some((one) => one.name === name && one.description === description);
  const offered = (templates.data ?? []).flatMap((one): Offer[] =>
    one.shape && !isMade(one) ? [{ ...one, kind: 'template', inputs: one.shape.inputs }] : [],
  );
  return {
    offers: [...own, ...offered],
    isLoading: templates.isPending || workflows.isPending,
    error: templates.error ?? workflows.error,
  };
}

async function publishedWorkflows(): Promise<Offer[]> {
  const all = await api.listWorkflows({ query: { limit: 1000 } });
  const chosen = all
    .filter(({ published_version_id }) => published_version_id !== undefined)
    .toSorted((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at))
    .slice(0, mostWorkflows);
  return Promise.all(
    chosen.map(async ({ id, name, description = '', published_version_id = 0 }) => {
      const path = { version_id: published_version_id };
      const { graph } = await api.getWorkflowVersion({ path });
      return { kind: 'workflow' as const, id, name, description, inputs: graph.inputs };
    }),
  );
}
