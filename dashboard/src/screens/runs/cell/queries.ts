/** What the drawer of a cell asks for. */
import type { NodeRun, WorkflowRun, WorkflowVersion } from '@cogworks/sdk/contract.gen';
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
  /** Whether it has other contents now than the run used, as far as that is known. */
  has_changed: boolean;
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
    has_changed: isOther(own?.checksum_sha256, cog.data?.checksum_sha256),
  };
  return file;
}

const isOther = (used: string | undefined, now: string | undefined) =>
  used !== undefined && now !== undefined && used !== now;

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
