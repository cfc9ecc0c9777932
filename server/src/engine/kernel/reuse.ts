/**
 * What a restarted run reuses of the earlier run: node runs that succeeded there, with the same
 * params and the same inputs. Everything else runs again.
 */
import { countOf } from '@cogworks/graph/steps';
import type { NodeRunRow } from '../records.ts';
import { type Asking, rangesOf } from './asking.ts';
import type { PlannedNode } from './plan.ts';
import { type Earlier, endRows, idOf, type RunState } from './state.ts';

/** Ends reusable node runs as successes. @returns the others. */
export function* reuse(
  state: RunState,
  node: PlannedNode,
  rows: NodeRunRow[],
): Asking<NodeRunRow[]> {
  const { run } = state;
  const isTouched = run.restart_touched?.includes(node.key);
  if (rows.length === 0 || run.restarted_from_run_id === undefined) return rows;
  if (run.restart_mode !== 'failed' || isTouched || run.restart_only) return rows;
  if (!state.earlier) yield { of: 'earlier' };
  const earlier = state.earlier as unknown as Earlier;
  if (!bringTheSame(state, node, earlier)) return rows;
  yield* loadEarlier(node, rows, earlier);

  const sourceOf = (row: NodeRunRow) => {
    const before = earlier.rows.get(earlierId(earlier, node.position, row));
    return before?.status === 'success' && isSameLane(state, node, row, earlier)
      ? before.id
      : undefined;
  };
  const taken = rows.flatMap((row) => {
    const source = sourceOf(row);
    return source === undefined ? [] : [{ row, source }];
  });
  yield* takeSuccesses(state, node, taken);
  const isTaken = new Set(taken.map(({ row }) => row));
  return rows.filter((row) => !isTaken.has(row));
}

/** Ends node runs as successes, with the outputs of node runs of the earlier run. */
export function* takeSuccesses(
  state: RunState,
  node: PlannedNode,
  taken: readonly { row: NodeRunRow; source: number }[],
): Asking<void> {
  if (taken.length === 0) return;
  const { changes, plan } = state;
  const hasLanes = plan.nodes.some(
    ({ domain }) => domain?.kind === 'output' && domain.node === node.key,
  );
  // The lanes of a fan-out are counted now, while the outputs are still stored with the earlier
  // run.
  if (hasLanes) yield { of: 'outputs', ids: taken.map(({ source }) => source) };
  for (const { row, source } of taken) {
    const counts = state.outputCounts.get(source);
    if (counts) state.outputCounts.set(row.id, counts);
    changes.copies.push({ id: row.id, source });
    if (node.leaf) changes.published.push(row.id);
  }
  endRows(
    state,
    node,
    taken.map(({ row, source }) => ({
      ...row,
      status: 'success' as const,
      reused_from_node_run_id: source,
      finished_at: state.now,
    })),
  );
}

const earlierId = ({ firstIds }: Earlier, position: number, { shard_index }: NodeRunRow) =>
  (firstIds[position] as number) + (shard_index ?? 0);

/**
 * Whether parents that are not same-lane bring the same files as in the earlier run: all their node
 * runs were reused, except that the same number was skipped by a condition both times.
 */
function bringTheSame(state: RunState, node: PlannedNode, earlier: Earlier): boolean {
  return node.incoming.every(({ source, role }) => {
    if (source === undefined || role === 'same_lane') return true;
    const now = state.counts[source];
    const then = earlier.counts[source];
    return (
      now !== undefined &&
      now.expected === then?.expected &&
      now.skipped_by_condition === then?.skipped_by_condition &&
      now.reused + now.skipped_by_condition === now.expected
    );
  });
}

const parentsInLane = (node: PlannedNode) => [
  ...new Set(
    node.incoming.flatMap(({ source, role }) =>
      source !== undefined && role === 'same_lane' ? [source] : [],
    ),
  ),
];

/** Loads the earlier node runs that may be reused, and their same-lane parents. */
function* loadEarlier(node: PlannedNode, rows: NodeRunRow[], earlier: Earlier): Asking<void> {
  const positions = [node.position, ...parentsInLane(node)];
  const ids = positions.flatMap((position) =>
    earlier.firstIds[position] ? rows.map((row) => earlierId(earlier, position, row)) : [],
  );
  const missing = ids.filter((id) => !earlier.rows.has(id));
  if (missing.length > 0) yield { of: 'earlier rows', ids: rangesOf(missing) };
}

/** Whether the lane's parents were all reused, or skipped by a condition both times. */
function isSameLane(state: RunState, node: PlannedNode, row: NodeRunRow, earlier: Earlier) {
  return parentsInLane(node).every((position) => {
    const here = state.rows.get(idOf(state, position, row.shard_index ?? 0));
    if (here?.reused_from_node_run_id !== undefined) return true;
    const there = earlier.rows.get(earlierId(earlier, position, row));
    return isLeftOut(here) && isLeftOut(there);
  });
}

const isLeftOut = (row: NodeRunRow | undefined) =>
  row !== undefined && countOf(row.status, row.skip_reason ?? null) === 'skipped_by_condition';
