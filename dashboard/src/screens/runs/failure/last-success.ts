/** Where the same step last worked: in which earlier run of the workflow, and how. */
import type { NodeRun, WorkflowRun, WorkflowRunSummary } from '@cogworks/sdk/contract.gen';
import { listPage } from '@cogworks/sdk/pages';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api.ts';

export type Before = {
  run: WorkflowRunSummary;
  step: NodeRun;
  version_id: number;
  version_number: number;
  image: string;
};

export const useLastSuccess = (run: WorkflowRun, step: NodeRun, name: string | undefined) =>
  useQuery({
    queryKey: ['last-success', run.id, step.node_key, name],
    queryFn: async (): Promise<Before | null> => {
      const found = await findLastSuccess(run, step.node_key, name);
      if (!found) return null;
      const [version, definition] = await Promise.all([
        api.getWorkflowVersion({ path: { version_id: found.run.workflow_version_id } }),
        api.getNodeDefinition({ path: { id: found.step.node_definition_id } }),
      ]);
      const { id: version_id, version_number } = version;
      return { ...found, version_id, version_number, image: definition.image };
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

const mostPages = 4;
/** Each costs a request or two. */
const mostRuns = 10;

type Found = { run: WorkflowRunSummary; step: NodeRun };

async function findLastSuccess(
  now: WorkflowRun,
  node_key: string,
  name: string | undefined,
): Promise<Found | undefined> {
  let cursor: string | undefined;
  let looked = 0;
  for (let page = 0; page < mostPages; page += 1) {
    const query = { workflow_id: now.workflow_id, limit: 50 };
    const runs = await listPage(api, 'listRuns', { query }, cursor);
    for (const run of earlierOf(runs.rows, now.id)) {
      looked += 1;
      if (looked > mostRuns) return undefined;
      const step = await successIn(run.id, node_key, name);
      if (step) return { run, step };
    }
    cursor = runs.cursor;
    if (cursor === undefined) return undefined;
  }
  return undefined;
}

type Listed = Pick<WorkflowRunSummary, 'id' | 'status'>;

/** Those before this one in which some step worked to the end. */
export const earlierOf = <Run extends Listed>(runs: readonly Run[], now: number): Run[] =>
  runs.filter(
    ({ id, status }) => id < now && (status === 'success' || status === 'partial_success'),
  );

async function successIn(run_id: number, node_key: string, name: string | undefined) {
  const path = { run_id };
  if (name !== undefined) {
    const { nodes, rows } = await api.getRunGrid({ path, query: { q: name, limit: 20 } });
    const group = nodes.find((node) => node.node_key === node_key)?.group;
    const row = rows.find((one) => one.name === name && one.group === group);
    if (row) {
      const query = { node_key, shard_index: row.shard_index, limit: 1 };
      const own = chosenOf(await api.listNodeRuns({ path, query }));
      if (own) return own;
    }
  }
  return chosenOf(await api.listNodeRuns({ path, query: { node_key, limit: 100 } }));
}

/** One that worked, and rather one that ran than one that was taken over. */
export const chosenOf = (steps: readonly NodeRun[]): NodeRun | undefined => {
  const worked = steps.filter(({ status }) => status === 'success');
  return worked.find(({ cached }) => !cached) ?? worked[0];
};
