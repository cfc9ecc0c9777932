/**
 * What a run reuses of an earlier one, as a restart of it or because its start says so: node runs that
 * succeeded there, with the same params and the same inputs. Everything else runs again.
 */
import { countOf } from '@cogworks/graph/steps';
import type { NodeRunRow } from '../records.ts';
import { type Asking, rangesOf } from './asking.ts';
import type { Plan, PlannedNode } from './plan.ts';
import { type Earlier, endRows, idOf, isPublished, type RunState } from './state.ts';

/** Ends reusable node runs as successes. @returns the others. */
export function* reuse(
  state: RunState,
  node: PlannedNode,
  rows: NodeRunRow[],
): Asking<NodeRunRow[]> {
  if (rows.length === 0 || !mayReuse(state, node)) return rows;
  if (!state.earlier) yield { of: 'earlier' };
  const earlier = state.earlier as unknown as Earlier;
  if (!bringTheSame(state, node, earlier)) return rows;
  yield* loadEarlier(state.plan, node, rows, earlier);

  const sourceOf = (row: NodeRunRow) => {
    const before = earlierRow(earlier, node, row);
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
    if (isPublished(state, node)) changes.published.push(row.id);
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

function mayReuse({ run, loaded }: RunState, { key }: PlannedNode): boolean {
  // What depends on nothing that runs is decided when the run begins.
  if (run.reuse_from_run_id !== undefined) return loaded === 'all';
  const isTouched = run.restart_touched?.includes(key);
  return run.restart_mode === 'failed' && !isTouched && run.restart_only === undefined;
}

/** The position that the node had in the earlier run, if it did the same there. */
const positionThen = ({ match }: Earlier, { position }: PlannedNode): number | undefined =>
  match ? match.positions[position] : position;

function earlierId(earlier: Earlier, node: PlannedNode, { shard_index = 0 }: NodeRunRow) {
  const position = positionThen(earlier, node);
  const first = position === undefined ? 0 : earlier.firstIds[position];
  const { domain } = node;
  const lane =
    earlier.match && domain?.kind === 'input'
      ? earlier.match.lanes.get(domain.input)?.[shard_index]
      : shard_index;
  return first && lane !== undefined ? first + lane : undefined;
}

function earlierRow(earlier: Earlier, node: PlannedNode, row: NodeRunRow) {
  const id = earlierId(earlier, node, row);
  return id === undefined ? undefined : earlier.rows.get(id);
}

/**
 * Whether parents that are not same-lane bring the same files as in the earlier run: all their node
 * runs were reused, except that the same number was skipped by a condition both times.
 */
function bringTheSame({ plan, counts }: RunState, node: PlannedNode, earlier: Earlier): boolean {
  return node.incoming.every(({ source, role }) => {
    const parent = source === undefined ? undefined : plan.nodes[source];
    if (!parent || role === 'same_lane') return true;
    const now = counts[parent.position];
    const then = earlier.counts[positionThen(earlier, parent) ?? -1];
    return (
      now !== undefined &&
      hasSameLanes(earlier, parent) &&
      now.expected === then?.expected &&
      now.skipped_by_condition === then?.skipped_by_condition &&
      now.reused + now.skipped_by_condition === now.expected
    );
  });
}

/** Lanes of a fan-out are the same if the node they come from was reused, which is checked there. */
const hasSameLanes = ({ match }: Earlier, { domain }: PlannedNode): boolean =>
  !match || domain?.kind !== 'input' || match.sameInputs.has(domain.input);

function parentsInLane({ nodes }: Plan, node: PlannedNode): PlannedNode[] {
  const positions = node.incoming.flatMap(({ source, role }) =>
    source !== undefined && role === 'same_lane' ? [source] : [],
  );
  return [...new Set(positions)].flatMap((position) => nodes[position] ?? []);
}

/** Loads the earlier node runs that may be reused, and their same-lane parents. */
function* loadEarlier(
  plan: Plan,
  node: PlannedNode,
  rows: NodeRunRow[],
  earlier: Earlier,
): Asking<void> {
  const nodes = [node, ...parentsInLane(plan, node)];
  const ids = nodes.flatMap((one) => rows.flatMap((row) => earlierId(earlier, one, row) ?? []));
  const missing = ids.filter((id) => !earlier.rows.has(id));
  if (missing.length > 0) yield { of: 'earlier rows', ids: rangesOf(missing) };
}

/** Whether the lane's parents were all reused, or skipped by a condition both times. */
function isSameLane(state: RunState, node: PlannedNode, row: NodeRunRow, earlier: Earlier) {
  return parentsInLane(state.plan, node).every((parent) => {
    const here = state.rows.get(idOf(state, parent.position, row.shard_index ?? 0));
    if (here?.reused_from_node_run_id !== undefined) return true;
    const there = earlierRow(earlier, parent, row);
    return isLeftOut(here) && isLeftOut(there);
  });
}

const isLeftOut = (row: NodeRunRow | undefined) =>
  row !== undefined && countOf(row.status, row.skip_reason ?? null) === 'skipped_by_condition';
