/**
 * What the kernel knows of a run while it decides: the run's row, its counters, and the node runs
 * that the decision concerns. A plain value: `load` fills it, `advance` changes it. It does not
 * depend on the database.
 */
import type { RunStatus, SkipReason } from '@cogworks/graph/statuses';
import { type CountedStatus, countOf, type NodeCounts } from '@cogworks/graph/steps';
import type { NodeRunRow, RunRow } from '../records.ts';
import { type Changes, noChanges } from './changes.ts';
import type { Match } from './match.ts';
import type { Plan, PlannedNode } from './plan.ts';

/** Counters of one node. `expected` is null until the number of lanes is known. */
export type Counters = NodeCounts & {
  /** How many of its node runs have begun, and therefore have a row. */
  begun: number;
  running: number;
  /** How many of the successes were taken over from an earlier run. */
  reused: number;
};

/** A file, as conditions and work orders see it. */
export type LaneFile = { name: string; media_type: string; size_bytes: number };

/** The earlier run that this one takes over from. It has ended and no longer changes. */
export type Earlier = {
  /** Where the runs differ in more than variables: which nodes and lanes correspond. */
  match?: Match;
  counts: readonly Counters[];
  firstIds: readonly number[];
  rows: Map<number, NodeRunRow>;
};

/** By position of the node: the lanes that run again. */
export type Again = readonly (ReadonlySet<number> | 'all' | undefined)[];

/** The lanes of a node to decide on. */
type Touched = Set<number> | 'all';

export type RunState = {
  readonly run: RunRow;
  readonly plan: Plan;
  /** By position of the node. */
  readonly counts: Counters[];
  /** The counters as loaded. */
  readonly countsBefore: readonly Counters[];
  /** The first node run id of each node; 0 while the number of its lanes is unknown. */
  readonly firstIds: number[];
  /**
   * Begun node runs by id. An id that was loaded but is absent has not begun: it is pending, or it
   * ended when the run was stopped.
   */
  readonly rows: Map<number, NodeRunRow>;
  /** Lanes for which `rows` holds every begun node run. */
  readonly loaded: Set<number> | 'all';
  /** File counts of each port of a node run, if loaded or just reported. */
  readonly outputCounts: Map<number, ReadonlyMap<string, number>>;
  /** Files by lane, under the key that `nameOfLanes` gives to a domain. */
  readonly laneFiles: Map<string, Map<number, LaneFile>>;
  earlier: Earlier | undefined;
  /** What runs again, in a restart of chosen node runs. */
  again: Again | undefined;
  /** The first of the most recently reserved ids. */
  firstReserved: number;
  /** The first failure of each failed node, for the error message of the run. */
  failures: ReadonlyMap<string, NodeRunRow> | undefined;
  /** The sum of the fractions that each node's running node runs reported, by position. */
  fractions: ReadonlyMap<number, number> | undefined;
  /** The same sum for node runs that end in this decision. */
  readonly saidByEnded: Map<number, number>;
  /** The database's time at this decision, ISO 8601. */
  readonly now: string;
  /** Nodes that have to be decided on, and their lanes. */
  readonly todo: Map<number, Touched>;
  readonly changes: Changes;
};

/**
 * Whether the outputs of a node become files: those of leaves, and in a test of a part those of all
 * nodes, since whoever tests wants to see what each of them makes.
 */
export const isPublished = ({ run }: Pick<RunState, 'run'>, { leaf }: PlannedNode): boolean =>
  leaf || (run.until !== undefined && !run.keep_results);

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
    again: undefined,
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

/** The id of a node run, known before its row exists. The lane is 0 if the node runs once. */
export const idOf = (state: RunState, position: number, lane: number): number =>
  (state.firstIds[position] as number) + lane;

/** How many node runs of a node have ended, with any status. */
export const endedOf = (counts: NodeCounts): number =>
  counts.success +
  counts.failure +
  counts.cancelled +
  counts.skipped_by_condition +
  counts.skipped_upstream;

/** The row of a node run that has not begun. */
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

/** Ends node runs: counts them, marks their rows to be written, and marks the nodes that follow. */
export function endRows(state: RunState, node: PlannedNode, ended: readonly NodeRunRow[]): void {
  const counters = countersOf(state, node);
  for (const row of ended) {
    counters[endedAs(row)] += 1;
    if (row.status === 'success' && row.reused_from_node_run_id !== undefined) counters.reused += 1;
    changeRow(state, node, row);
  }
  state.changes.run = true;
  touchChildren(
    state,
    node,
    ended.map((row) => row.shard_index),
  );
}

/** Ends node runs as skipped. */
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

/** Marks the current row of a node run to be written; a new row counts as begun. */
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

/** A mapped child in the same domain is marked for these lanes only, any other child for all. */
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

/** Ending this many queued node runs takes some 15 ms. */
const longQueue = 2000;

/** Whether so many node runs of a run are queued that other runs would have to wait for the end of all. */
export const hasLongQueue = ({ countsBefore }: RunState): boolean =>
  countsBefore.reduce((sum, one) => sum + one.begun - endedOf(one) - one.running, 0) > longQueue;
