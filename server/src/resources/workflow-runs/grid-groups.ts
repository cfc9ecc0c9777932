/** The rows of a run's grid in groups, and its cells as letters. Pure. */
import { type CellCode, cellCodes } from '@cogworks/graph/statuses';
import { isSameDomain, type Plan, type PlannedNode } from '../../engine/kernel/plan.ts';
import { type Counters, endedOf } from '../../engine/kernel/state.ts';
import type { RunRow } from '../../engine/records.ts';

/** Files of an input, or of an output that nodes are mapped over. */
export type Group = {
  files: { input: string } | { node_key: string; port: string };
  /** The nodes that run once for each. */
  members: readonly PlannedNode[];
  /** How many there are; undefined until that is known. */
  count: number | undefined;
};

/** Inputs by name, as in the list of a run's files; then outputs in topological order. */
export function groupsOf({ graph, nodes }: Plan): Group[] {
  const inputs = graph.inputs
    .map(({ name }) => ({ kind: 'input' as const, input: name }))
    .sort((a, b) => (a.input < b.input ? -1 : 1));
  const outputs = nodes
    .map(({ domain }) => domain)
    .filter((domain) => domain?.kind === 'output')
    .filter((one, at, all) => all.findIndex((other) => isSameDomain(one, other)) === at);
  return [...inputs, ...outputs].map((domain) => ({
    files:
      domain.kind === 'input'
        ? { input: domain.input }
        : { node_key: domain.node, port: domain.port },
    members: nodes.filter((node) => isSameDomain(node.domain, domain)),
    count: undefined,
  }));
}

/** Groups with as many rows as each of their nodes has node runs. */
export const withCounts = (groups: readonly Group[], counts: readonly Counters[]): Group[] =>
  groups.map((group) => {
    const [first] = group.members;
    return first ? { ...group, count: counts[first.position]?.expected ?? undefined } : group;
  });

/** How a node run ended that had not begun when its run was stopped; otherwise it waits. */
export const codeOfWaiting = (endedAs: RunRow['waiting_ended_as']): CellCode => {
  if (endedAs === undefined) return cellCodes.pending;
  return endedAs === 'cancelled' ? cellCodes.cancelled : cellCodes.skipped_upstream;
};

/** How many node runs of a node have which letter. */
export function countsByCode(
  counters: Counters,
  endedAs: RunRow['waiting_ended_as'],
): Partial<Record<CellCode, number>> {
  const { expected, begun, running, success, reused, failure, cancelled } = counters;
  const { skipped_by_condition, skipped_upstream } = counters;
  const waiting = (expected ?? 0) - endedOf(counters) - running;
  // In a stopped run nothing waits. Otherwise what has not begun is pending, and the rest queued.
  const pending = endedAs === undefined ? (expected ?? 0) - begun : 0;
  const found: Record<keyof typeof cellCodes, number> = {
    ...{ pending, queued: waiting - pending, running, success: success - reused, reused },
    ...{ failure, cancelled, skipped_by_condition, skipped_upstream },
  };
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, count]) =>
      count > 0 ? [[cellCodes[name as keyof typeof cellCodes], count]] : [],
    ),
  );
}
