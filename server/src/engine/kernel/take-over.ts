/**
 * What a restart of chosen node runs takes over: all that neither was chosen nor depends on what was,
 * as it ended, failures included. What was stopped before its end has nothing to take over, and runs.
 */
import type { ChosenNodeRun, NodeRunRow } from '../records.ts';
import { type Asking, rangesOf } from './asking.ts';
import type { Plan, PlannedNode } from './plan.ts';
import { takeSuccesses } from './reuse.ts';
import { type Again, countersOf, type Earlier, endRows, idOf, type RunState } from './state.ts';

/** The chosen node runs, and all that depends on them. */
export function againOf({ nodes, byKey }: Plan, only: readonly ChosenNodeRun[]): Again {
  const again: (ReadonlySet<number> | 'all' | undefined)[] = nodes.map(() => undefined);
  // Nodes share a set as long as they have the same lanes: a chain of a thousand nodes would copy it
  // as often.
  const add = (position: number, lanes: ReadonlySet<number> | 'all') => {
    const before = again[position];
    if (before === 'all' || before === lanes) return;
    if (lanes === 'all' || before === undefined) again[position] = lanes;
    else if (!isWithin(lanes, before)) again[position] = new Set([...before, ...lanes]);
  };
  for (const { node_key, shard_index } of only) {
    const node = byKey.get(node_key);
    if (node) add(node.position, shard_index === undefined ? 'all' : new Set([shard_index]));
  }
  // In topological order, so that all that leads to a node is known when the node is visited.
  for (const { position, incoming } of nodes) {
    for (const { source, role } of incoming) {
      const lanes = source === undefined ? undefined : again[source];
      if (lanes !== undefined) add(position, role === 'same_lane' ? lanes : 'all');
    }
  }
  return again;
}

function isWithin(lanes: ReadonlySet<number>, others: ReadonlySet<number>): boolean {
  for (const lane of lanes) if (!others.has(lane)) return false;
  return true;
}

/**
 * Ends node runs as they ended in the earlier run, if that is what the restart asks for. Called for
 * node runs whose parents have ended; all that can be taken over is when the run begins.
 *
 * @returns the others, which are to run.
 */
export function* takeOver(
  state: RunState,
  node: PlannedNode,
  rows: NodeRunRow[],
): Asking<NodeRunRow[]> {
  const { run, plan } = state;
  if (run.restart_only === undefined || state.loaded !== 'all') return rows;
  state.again ??= againOf(plan, run.restart_only);
  const again = state.again[node.position];
  if (again === 'all') return rows;
  const rest = rows.filter(({ shard_index }) => !again?.has(shard_index ?? 0));
  if (rest.length === 0) return rows;

  if (!state.earlier) yield { of: 'earlier' };
  const earlier = state.earlier as unknown as Earlier;
  const first = earlier.firstIds[node.position];
  if (!first) return rows;
  const idThen = ({ shard_index = 0 }: NodeRunRow) => first + shard_index;
  yield { of: 'earlier rows', ids: rangesOf(rest.map(idThen)) };
  const taken = rest.flatMap((row) => {
    const then = earlier.rows.get(idThen(row));
    return then ? [{ row, then }] : [];
  });
  const successes = taken.filter(({ then }) => then.status === 'success');
  yield* takeSuccesses(
    state,
    node,
    successes.map(({ row, then }) => ({ row, source: then.id })),
  );
  const failures = taken.filter(({ then }) => then.status === 'failure');
  takeFailures(state, node, failures);
  const isTaken = new Set([...successes, ...failures].map(({ row }) => row));
  return rows.filter((row) => !isTaken.has(row));
}

function takeFailures(
  state: RunState,
  node: PlannedNode,
  failures: readonly { row: NodeRunRow; then: NodeRunRow }[],
) {
  if (failures.length === 0) return;
  const { run, now } = state;
  run.restart_failures = (run.restart_failures ?? 0) + failures.length;
  const ended = failures.map(({ row, then }): NodeRunRow => {
    const { exit_code, error_class, error_message } = then;
    return {
      ...{ ...row, status: 'failure', reused_from_node_run_id: then.id, finished_at: now },
      ...(exit_code !== undefined && { exit_code }),
      ...(error_class !== undefined && { error_class }),
      ...(error_message !== undefined && { error_message }),
    };
  });
  endRows(state, node, ended);
}

/**
 * The place in the list of a chosen node run that cannot run, because something that leads to it
 * failed and was taken over; undefined if all can.
 *
 * @param state of a run that has begun.
 */
export function unreachableChoice(state: RunState): number | undefined {
  const seen = new Set<string>();
  const at = (state.run.restart_only ?? []).findIndex(({ node_key, shard_index }) => {
    const node = state.plan.byKey.get(node_key);
    if (!node) return false;
    const isCutOff = (lane: number) =>
      isAfterFailure(state.rows.get(idOf(state, node.position, lane)));
    if (shard_index !== undefined) return isCutOff(shard_index);
    // A node may be named many times, and have many lanes.
    if (seen.has(node_key)) return false;
    seen.add(node_key);
    const lanes = Array.from({ length: countersOf(state, node).expected ?? 0 }, (_, lane) => lane);
    return lanes.length > 0 && lanes.every(isCutOff);
  });
  return at === -1 ? undefined : at;
}

const isAfterFailure = (row: NodeRunRow | undefined) =>
  row?.skip_reason === 'upstream_failed' || row?.skip_reason === 'upstream_cancelled';
