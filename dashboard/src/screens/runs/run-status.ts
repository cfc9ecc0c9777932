/** Summarizes a run's node runs, node by node. Pure. */
import type { Graph, NodeRun } from '@cogworks/sdk/contract.gen';
import { formatCount } from '../../ui/format.ts';
import { type GraphParts, graphParts } from '../../ui/graph-parts.ts';

export type NodeStatus = NodeRun['status'];
export type Counts = Partial<Record<NodeStatus, number>>;

export function countByNode(nodeRuns: readonly NodeRun[]): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>();
  for (const { node_key, status } of nodeRuns) {
    const own = counts.get(node_key) ?? {};
    own[status] = (own[status] ?? 0) + 1;
    counts.set(node_key, own);
  }
  return counts;
}

const total = (counts: Counts) => Object.values(counts).reduce((sum, one) => sum + one, 0);

/** One status for all lanes of a node: running ones take precedence, then failures. */
export function statusOfNode(counts: Counts): NodeStatus | 'partial_success' {
  const all = total(counts);
  if (counts.running) return 'running';
  if (counts.queued) return counts.success ? 'running' : 'queued';
  if (counts.pending || all === 0) return 'pending';
  if (counts.failure) return counts.success ? 'partial_success' : 'failure';
  if (counts.success) return 'success';
  return counts.cancelled ? 'cancelled' : 'skipped';
}

const words: Record<NodeStatus, string> = {
  running: 'running',
  queued: 'queued',
  pending: 'waiting',
  success: 'done',
  failure: 'failed',
  cancelled: 'cancelled',
  skipped: 'skipped',
};

/** `97 of 100 done · 3 failed`; for a node that runs once, only its status. */
export function noteOf(counts: Counts): string {
  const all = total(counts);
  if (all === 0) return 'waiting';
  const present = (Object.keys(words) as NodeStatus[]).filter((status) => counts[status]);
  if (all === 1) return present.map((status) => words[status]).join('');
  const done = `${formatCount(counts.success ?? 0)} of ${formatCount(all)} done`;
  const others = (['failure', 'cancelled', 'skipped'] as const)
    .filter((status) => counts[status])
    .map((status) => `${formatCount(counts[status] ?? 0)} ${words[status]}`);
  return [done, ...others].join(' · ');
}

const barOrder: NodeStatus[] = ['success', 'failure', 'running', 'cancelled', 'skipped'];

/** The graph of a run: each node with its status, its counts and a bar of them. */
export function runGraph(graph: Graph, nodeRuns: readonly NodeRun[]): GraphParts {
  const { nodes, edges } = graphParts(graph);
  const counts = countByNode(nodeRuns);
  return {
    edges,
    nodes: nodes.map((node) => {
      if (node.isInput) return node;
      const own = counts.get(node.key) ?? {};
      const all = Math.max(1, total(own));
      return {
        ...node,
        note: noteOf(own),
        status: statusOfNode(own),
        shares: barOrder
          .filter((status) => own[status])
          .map((status) => ({ status, share: (own[status] ?? 0) / all })),
      };
    }),
  };
}
