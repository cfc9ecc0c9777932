/** What the drawer of a cell asks for. */
import type {
  NodeRun,
  WorkflowRun,
  WorkflowRunSummary,
  WorkflowVersion,
} from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../../api.ts';
import type { RunNews } from '../../../run-news.ts';
import type { CellPlace } from './cell-key.ts';
import { readAnew } from './read-anew.ts';

/** The node run of a cell; read again when an event tells that it has changed. */
export function useNodeRun(run_id: number, place: CellPlace, news: RunNews) {
  const client = useQueryClient();
  const { node_key, shard_index } = place;
  const query = useQuery({
    queryKey: ['node-run', run_id, node_key, shard_index],
    queryFn: async (): Promise<NodeRun | null> => {
      const of = shard_index === undefined ? {} : { shard_index };
      const rows = await api.listNodeRuns({
        path: { run_id },
        query: { node_key, ...of, limit: 1, with_attempts: true },
      });
      return rows[0] ?? null;
    },
  });
  useEffect(
    () =>
      news.subscribe(({ event, data }) => {
        const isOwn =
          event === 'node_run' && data.node_key === node_key && data.shard_index === shard_index;
        if (!isOwn && event !== 'reset' && event !== 'end') return;
        const queryKey = ['node-run', run_id, node_key, shard_index];
        void readAnew(client, queryKey);
      }),
    [client, news, run_id, node_key, shard_index],
  );
  return query;
}

/** The file of a cell's lane: an input, or a result that nodes are mapped over. */
export type CellFile = {
  name: string;
  cog_id?: number | undefined;
  size_bytes?: number | undefined;
  /** Where it is now, if the reader may see it. */
  folder?: number | undefined;
};

/** One step for one file, with the run and the graph that it belongs to. */
export type CellParts = {
  step: NodeRun;
  run: WorkflowRun;
  version: WorkflowVersion;
  file: CellFile | undefined;
};

export function useFileOf(run: WorkflowRun, place: CellPlace, cog_id: number | undefined) {
  const { node_key, shard_index } = place;
  const own = run.run_files.find((one) => one.direction === 'input' && one.cog_id === cog_id);
  const name = useQuery({
    queryKey: ['lane-name', run.id, node_key, shard_index],
    queryFn: () => nameOfLane(run.id, node_key, shard_index ?? 0),
    enabled: own === undefined && shard_index !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const cog = useQuery({
    queryKey: ['cog', cog_id],
    queryFn: () => api.getCog({ path: { id: cog_id ?? 0 } }),
    enabled: cog_id !== undefined,
    retry: false,
  });
  if (shard_index === undefined) return undefined;
  const file: CellFile = {
    name: own?.name ?? name.data ?? t`File ${shard_index + 1}`,
    cog_id,
    size_bytes: own?.size_bytes,
    folder: cog.data?.parent_id,
  };
  return file;
}

/** Of a row beyond the files that come with the run. */
async function nameOfLane(run_id: number, node_key: string, lane: number): Promise<string | null> {
  const path = { run_id };
  const { nodes, groups } = await api.getRunGrid({ path, query: { limit: 1 } });
  const group = nodes.find((node) => node.node_key === node_key)?.group ?? 0;
  const offset = groups.slice(0, group).reduce((sum, { count = 0 }) => sum + count, lane);
  const { rows } = await api.getRunGrid({ path, query: { limit: 1, offset } });
  return rows[0]?.name ?? null;
}

/** The definition that a node run used; the same for ever. */
export const useDefinition = (id: number) =>
  useQuery({
    queryKey: ['definition', id],
    queryFn: () => api.getNodeDefinition({ path: { id } }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export type Before = {
  run: WorkflowRunSummary;
  step: NodeRun | undefined;
  version_number: number;
  image: string | undefined;
};

/** The last successful run of the workflow before this one, and how this step was there. */
export const useLastSuccess = (run: WorkflowRun, node_key: string) =>
  useQuery({
    queryKey: ['last-success', run.id, node_key],
    queryFn: async (): Promise<Before | null> => {
      const { workflow_id } = run;
      const runs = await api.listRuns({ query: { workflow_id, status: 'success', limit: 20 } });
      const before = runs.find(({ id }) => id < run.id);
      if (!before) return null;
      const [version, steps] = await Promise.all([
        api.getWorkflowVersion({ path: { version_id: before.workflow_version_id } }),
        api.listNodeRuns({ path: { run_id: before.id }, query: { node_key, limit: 1 } }),
      ]);
      const [step] = steps;
      const definition =
        step && (await api.getNodeDefinition({ path: { id: step.node_definition_id } }));
      const { version_number } = version;
      return { run: before, step, version_number, image: definition?.image };
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
