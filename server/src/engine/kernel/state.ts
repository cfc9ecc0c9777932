/**
 * What the kernel knows of a run while it decides: the run's row, its counters, and those node runs
 * that the decision is about. A value that `load` fills and `advance` works on; nothing here knows
 * of a database.
 */
import type { RunStatus, SkipReason } from '@cogworks/graph/statuses';
import { type CountedStatus, countOf, type NodeCounts } from '@cogworks/graph/steps';
import type { NodeRunRow, RunRow } from '../records.ts';
import { type Changes, noChanges } from './changes.ts';
import type { Plan, PlannedNode } from './plan.ts';

/** Counters of one node. `expected` is null until its lanes are known. */
export type Counters = NodeCounts & {
  /** How many of its node runs have a row: something has happened to them. */
  begun: number;
  running: number;
  /** Of the successes, how many were taken over from the run that this one restarts. */
  reused: number;
};

/** A file as a condition and a work order see it. */
export type LaneFile = { name: string; media_type: string; size_bytes: number };

/** The run that this one restarts, which has ended: nothing of it changes any more. */
export type Earlier = {
  counts: readonly Counters[];
  firstIds: readonly number[];
  rows: Map<number, NodeRunRow>;
};

/** Lanes of a node that something happened to, or all. */
type Touched = Set<number> | 'all';

export type RunState = {
  readonly run: RunRow;
  readonly plan: Plan;
  /** By place of the node in topological order. */
  readonly counts: Counters[];
  /** The same as they were loaded. */
  readonly countsBefore: readonly Counters[];
  /** Of each node the id of its first node run; 0 while its lanes are unknown. */
  readonly firstIds: number[];
  /**
   * Begun node runs by id. What was asked for and is not here has not begun: it is pending, or was
   * ended with all that waited when the run was stopped.
   */
  readonly rows: Map<number, NodeRunRow>;
  /** Lanes of which `rows` holds all that has begun. */
  readonly loaded: Set<number> | 'all';
  /** How many files each port of a node run has, where that was asked or just reported. */
  readonly outputCounts: Map<number, ReadonlyMap<string, number>>;
  /** Files of lanes, by the name that `nameOfLanes` gives to a domain. */
  readonly laneFiles: Map<string, Map<number, LaneFile>>;
  earlier: Earlier | undefined;
  /** The first of the ids that were reserved last. */
  firstReserved: number;
  /** The first failure of each node that had one, for the message of a run that ends. */
  failures: ReadonlyMap<string, NodeRunRow> | undefined;
  /** What the running node runs of each node say of themselves, added up, by place. */
  fractions: ReadonlyMap<number, number> | undefined;
  /** The same of those that end in this decision. */
  readonly saidByEnded: Map<number, number>;
  /** The database's time of this decision, ISO 8601. */
  readonly now: string;
  /** Nodes whose node runs have to be decided on. */
  readonly todo: Map<number, Touched>;
  readonly changes: Changes;
};

export function newState(
  run: RunRow,
  plan: Plan,
  now: string,
  known: Pick<RunState, 'counts' | 'firstIds' | 'loaded'>,
): RunState {
  return {
    run,
    plan,
    ...known,
    countsBefore: known.counts.map((counters) => ({ ...counters })),
    rows: new Map(),
    outputCounts: new Map(),
    laneFiles: new Map(),
    earlier: undefined,
    firstReserved: 0,
    failures: undefined,
    fractions: undefined,
    saidByEnded: new Map(),
    now,
    todo: new Map(),
    changes: noChanges(),
  };
}

export const countersOf = (state: RunState, node: PlannedNode): Counters =>
  state.counts[node.position] as Counters;

/** The id of a node run, which has one before it has a row. Lane 0 where the node runs once. */
export const idOf = (state: RunState, position: number, lane: number): number =>
  (state.firstIds[position] as number) + lane;

/** How many node runs of a node have ended, in whatever way. */
export const endedOf = (counts: NodeCounts): number =>
  counts.success +
  counts.failure +
  counts.cancelled +
  counts.skipped_by_condition +
  counts.skipped_upstream;

/** A node run that has not begun: what its row would hold. */
export function pendingRow(state: RunState, node: PlannedNode, lane: number): NodeRunRow {
  const { run } = state;
  return {
    id: idOf(state, node.position, lane),
    tenant_id: run.tenant_id,
    run_id: run.id,
    node_key: node.key,
    ...(node.domain ? { shard_index: lane } : {}),
    status: 'pending',
    attempt: 0,
    system_faults: 0,
  };
}

/** Ends node runs: counts them, has their rows written, and marks what follows them. */
export function endRows(state: RunState, node: PlannedNode, ended: readonly NodeRunRow[]): void {
  const counters = countersOf(state, node);
  for (const row of ended) {
    counters[endedAs(row)] += 1;
    if (row.reused_from_node_run_id !== undefined) counters.reused += 1;
    changeRow(state, node, row);
  }
  state.changes.run = true;
  touchChildren(
    state,
    node,
    ended.map((row) => row.shard_index),
  );
}

/** Ends node runs that are left out. */
export function skip(
  state: RunState,
  node: PlannedNode,
  skipped: readonly { row: NodeRunRow; reason: SkipReason }[],
): void {
  if (skipped.length === 0) return;
  endRows(
    state,
    node,
    skipped.map(({ row, reason }) => ({
      ...row,
      status: 'skipped' as const,
      skip_reason: reason,
      finished_at: state.now,
    })),
  );
}

/** Has the row of a node run written as it is now; one that is new has begun by that. */
export function changeRow(state: RunState, node: PlannedNode, row: NodeRunRow): void {
  const { rows, changes } = state;
  const before = rows.get(row.id);
  if (before) changes.rows.delete(before);
  else {
    countersOf(state, node).begun += 1;
    changes.run = true;
  }
  rows.set(row.id, row);
  changes.rows.add(row);
}

function endedAs(row: NodeRunRow): CountedStatus {
  const column = countOf(row.status, row.skip_reason ?? null);
  if (!column) throw new Error(`Node run ${row.id} has not ended.`);
  return column;
}

/** Of a mapped child in the same lanes, just these lanes; of any other, all there is. */
export function touchChildren(
  { plan, todo }: RunState,
  { position, children }: PlannedNode,
  lanes: readonly (number | undefined)[],
): void {
  for (const child of children) {
    const edges = plan.nodes[child]?.incoming.filter(({ source }) => source === position) ?? [];
    const inLanes =
      edges.every((edge) => edge.role === 'same_lane') &&
      lanes.every((lane): lane is number => lane !== undefined);
    const before = todo.get(child);
    if (!inLanes || before === 'all') todo.set(child, 'all');
    else todo.set(child, new Set([...(before ?? []), ...(lanes as number[])]));
  }
}

export const isUnderWay = (status: RunStatus): boolean =>
  status === 'queued' || status === 'running';
