/** Summarizes a run's node runs, node by node, from the counts that its events tell. Pure. */
import type { Graph, NodeRun } from '@cogworks/sdk/contract.gen';
import type { ToldNode } from '@cogworks/sdk/run-events';
import { isTerminal, type Moment } from '@cogworks/sdk/runs';
import { t } from '@lingui/core/macro';
import { formatCount } from '../../ui/format.ts';
import { type GraphParts, graphParts } from '../../ui/graph-parts.ts';

export type NodeStatus = NodeRun['status'];
export type Counts = Partial<Record<NodeStatus, number>>;

const total = (counts: Counts) => Object.values(counts).reduce((sum, one) => sum + one, 0);

/** A node's node runs by status, begun or not; undefined while the number of lanes is unknown. */
export function countsOf({ node_key: _, expected, ...told }: ToldNode): Counts | undefined {
  if (expected === null) return undefined;
  return { ...told, pending: Math.max(0, expected - total(told)) };
}

/**
 * One status for all lanes of a node: running ones take precedence, then failures. A node without
 * lanes, such as for an empty list of files, is skipped.
 */
export function statusOfNode(counts: Counts | undefined): NodeStatus | 'partial_success' {
  if (!counts) return 'pending';
  if (counts.running) return 'running';
  if (counts.queued) return counts.success ? 'running' : 'queued';
  if (counts.pending) return 'pending';
  if (counts.failure) return counts.success ? 'partial_success' : 'failure';
  if (counts.cancelled) return 'cancelled';
  return counts.success ? 'success' : 'skipped';
}

const words: Record<NodeStatus, string> = {
  running: t`running`,
  queued: t`queued`,
  pending: t`waiting`,
  success: t`done`,
  failure: t`failed`,
  cancelled: t`cancelled`,
  skipped: t`skipped`,
};

/** `97 of 100 done · 3 failed`; for a node that runs once, only its status. */
export function noteOf(counts: Counts | undefined): string {
  if (!counts) return words.pending;
  const all = total(counts);
  if (all === 0) return t`no files`;
  const present = (Object.keys(words) as NodeStatus[]).filter((status) => counts[status]);
  if (all === 1) return present.map((status) => words[status]).join('');
  const done = t`${formatCount(counts.success ?? 0)} of ${formatCount(all)} done`;
  const others = (['failure', 'cancelled', 'skipped'] as const)
    .filter((status) => counts[status])
    .map((status) => `${formatCount(counts[status] ?? 0)} ${words[status]}`);
  return [done, ...others].join(' · ');
}

const barOrder: NodeStatus[] = ['success', 'failure', 'running', 'cancelled', 'skipped'];

/**
 * How many files a node passed on, for the lines that leave it: `100 → 97` if some did not get
 * through, red where they failed. Steps that run once and those that nobody follows have none.
 */
export function passedOf(counts: Counts | undefined) {
  const none = { text: '', isLess: false };
  if (!counts) return none;
  const { success = 0, failure = 0, cancelled = 0, skipped = 0 } = counts;
  const ended = success + failure + cancelled + skipped;
  if (ended === 0) return none;
  if (ended === success) return { text: formatCount(success), isLess: false };
  return { text: `${formatCount(ended)} → ${formatCount(success)}`, isLess: failure > 0 };
}

/** The graph of a run: each node with its status, its counts and a bar of them. */
export function runGraph(graph: Graph, told: readonly ToldNode[]): GraphParts {
  const { nodes, edges } = graphParts(graph);
  const counts = new Map(told.map((node) => [node.node_key, countsOf(node)]));
  const isMapped = new Map(graph.nodes.map(({ key, map }) => [key, map === true]));
  const before = new Set(edges.map(({ from }) => from));
  return {
    edges,
    nodes: nodes.map((node) => {
      if (node.isInput) return node;
      const own = counts.get(node.key);
      const passes = isMapped.get(node.key) && before.has(node.key);
      return {
        ...{ ...node, note: noteOf(own), status: statusOfNode(own), shares: sharesOf(own ?? {}) },
        passed: passes ? passedOf(own) : undefined,
      };
    }),
  };
}

/** The parts of a bar, 0…1 each. */
export function sharesOf(counts: Counts) {
  const all = total(counts);
  return barOrder.flatMap((status) => {
    const count = counts[status];
    return count ? [{ status, share: count / all }] : [];
  });
}

/** What the browser's tab tells: how far a run is, and how it ended, such as `✓ 97 of 100`. */
export function tabTitleOf({ run, progress, nodes }: Moment, name: string): string {
  if (!isTerminal(run.status)) return `${Math.floor(progress.progress_percentage)} % ${name}`;
  if (run.status === 'cancelled') return t`– Cancelled: ${name}`;
  if (run.status === 'success') return `✓ ${name}`;
  const most = Math.max(0, ...nodes.map(({ expected }) => expected ?? 0));
  if (run.status === 'failure' || most < 2) return `✗ ${name}`;
  const { all, worked } = filesOf(run, nodes, most);
  return t`✓ ${formatCount(worked)} of ${formatCount(all)}: ${name}`;
}

/**
 * The files of a run and how many worked. If the run does not have all of them, or splits them, the
 * largest node stands for them: what failed is counted at each node, so that it is never too little.
 */
function filesOf({ run_files, run_files_total }: Moment['run'], nodes: Nodes, most: number) {
  const inputs = run_files.filter(({ direction }) => direction === 'input');
  if (!run_files_total && inputs.length >= most) {
    const failed = inputs.filter(({ status }) => status === 'failure' || status === 'cancelled');
    return { all: inputs.length, worked: inputs.length - failed.length };
  }
  const mapped = nodes.filter(({ expected }) => (expected ?? 0) > 1);
  const failures = mapped.reduce((sum, { failure }) => sum + failure, 0);
  return { all: most, worked: Math.max(0, most - failures) };
}

type Nodes = Moment['nodes'];
