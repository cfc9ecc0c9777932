/** The list of a run's node runs: the place of a node in it, and how events update it. Pure. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import {
  type RunEvent,
  type ToldNode,
  type ToldNodeRun,
  toldNodeRun,
} from '@cogworks/sdk/run-events';

/**
 * The place of a node's node runs in the list of all, which has the order of `nodes`; without a
 * key, of all. A node run exists once the number of its node's lanes is known: those that have not
 * begun are counted, those of nodes whose lanes are unknown are not.
 */
export function placeOf(
  nodes: readonly ToldNode[],
  key: string | undefined,
): { offset: number; total: number } {
  if (key === undefined) return { offset: 0, total: existingOf(nodes) };
  const at = nodes.findIndex(({ node_key }) => node_key === key);
  if (at < 0) return { offset: 0, total: 0 };
  return { offset: existingOf(nodes.slice(0, at)), total: existingOf(nodes.slice(at, at + 1)) };
}

const existingOf = (nodes: readonly ToldNode[]) =>
  nodes.reduce((sum, { expected }) => sum + (expected ?? 0), 0);

/** Rows updated by events; node runs that are not among them are left out. */
export function withEvents(rows: NodeRun[], events: readonly RunEvent[]): NodeRun[] {
  const told = new Map<number, ToldNodeRun>();
  for (const { event, data } of events) if (event === 'node_run') told.set(data.id, data);
  if (!rows.some(({ id }) => told.has(id))) return rows;
  return rows.map((row) => {
    const data = told.get(row.id);
    return data ? toldNodeRun(data, row) : row;
  });
}

const urgency: Record<NodeRun['status'], number> = {
  failure: 0,
  running: 1,
  queued: 2,
  pending: 3,
  success: 4,
  cancelled: 5,
  skipped: 6,
};

/** Those first that somebody may have to act on. */
export const byUrgency = (rows: readonly NodeRun[]): NodeRun[] =>
  rows.toSorted((a, b) => urgency[a.status] - urgency[b.status] || a.id - b.id);
