/** Which first steps are done, asked of the service. */
import type { Me } from '@cogworks/sdk/contract.gen';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api.ts';
import { useMe } from '../people.ts';
import { hasOwnFile, isOwnVersion } from './first-steps.ts';
import { type TemplateSummary, useTemplates } from './templates.ts';

export type Done = Record<'signed_in' | 'first_run' | 'own_file' | 'own_version', boolean>;

/** Newcomers have few; whoever has more has done it all. */
const mostAsked = 5;

export function useFirstSteps() {
  const { data: me } = useMe();
  const { data: templates } = useTemplates();
  return useQuery({
    queryKey: ['first-steps', me?.id, templates?.length],
    queryFn: () => stepsOf(me as Me, templates ?? []),
    enabled: me !== undefined && templates !== undefined,
    refetchOnMount: 'always',
  });
}

async function stepsOf(me: Me, templates: readonly TemplateSummary[]): Promise<Done> {
  const [runs, workflows] = await Promise.all([
    api.listRuns({ query: { started_by: me.id, limit: mostAsked } }),
    api.listWorkflows({ query: { limit: 1000 } }),
  ]);
  const mine = workflows.filter(({ created_by }) => created_by === me.id).slice(0, mostAsked);
  const [own_file, own_version] = await Promise.all([
    isAny(runs, async ({ id }) => {
      const query = { direction: 'input', limit: 100 } as const;
      const inputs = await api.listRunFiles({ path: { run_id: id }, query });
      return hasOwnFile(inputs, templates);
    }),
    isAny(mine, async ({ id }) => {
      const versions = await api.listWorkflowVersions({ path: { id }, query: { limit: 100 } });
      return versions.some((version) => isOwnVersion(version, me.id));
    }),
  ]);
  const first_run = runs.some(({ finished_at }) => finished_at !== undefined);
  return { signed_in: true, first_run, own_file, own_version };
}

const isAny = async <Row>(rows: readonly Row[], is: (row: Row) => Promise<boolean>) =>
  (await Promise.all(rows.map(is))).some(Boolean);
