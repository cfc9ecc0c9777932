/**
 * The kernel: decides what follows when node runs have ended. It visits the nodes in topological
 * order, a set of lanes at a time, until nothing more follows. Pure: it reads and changes the state
 * and records every change.
 */
import type { SkipReason } from '@cogworks/graph/statuses';
import { countOf, type NodeCounts, nextStep, type ParentState } from '@cogworks/graph/steps';
import type { NodeRunRow } from '../records.ts';
import { type Asking, rangesOf } from './asking.ts';
import { splitByCondition } from './conditions.ts';
import { endWhenDone } from './end-run.ts';
import { openLanes } from './opening.ts';
import type { PlannedNode } from './plan.ts';
import { reuse } from './reuse.ts';
import {
  changeRow,
  countersOf,
  endRows,
  idOf,
  pendingRow,
  type RunState,
  skip,
  touchChildren,
} from './state.ts';
import { stopWhenAborted } from './stop.ts';
import { takeOver } from './take-over.ts';

/** Decides until nothing more follows, and ends the run if it is complete. */
export function* advance(state: RunState): Asking<void> {
  stopWhenAborted(state);
  if (state.run.waiting_ended_as === undefined) {
    for (const node of state.plan.nodes) {
      const lanes = state.todo.get(node.position);
      if (lanes === undefined) continue;
      state.todo.delete(node.position);
      yield* decide(state, node, lanes);
    }
    // A condition that cannot be evaluated is a failure too, and may have occurred just now.
    stopWhenAborted(state);
  }
  state.todo.clear();
  yield* endWhenDone(state);
}

/** Marks every root node (no upstream node) to be decided for all its lanes, when a run begins. */
export function touchRoots({ plan, todo }: RunState): void {
  for (const node of plan.nodes) {
    if (node.incoming.every((edge) => edge.source === undefined)) todo.set(node.position, 'all');
  }
}

function* decide(state: RunState, node: PlannedNode, touched: Set<number> | 'all'): Asking<void> {
  const counters = countersOf(state, node);
  if (counters.expected === null) yield* openLanes(state, node);
  if (counters.expected === null) return;
  // Without lanes there is nothing to decide here, but a downstream gather may proceed.
  if (counters.expected === 0) return touchChildren(state, node, []);
  if (counters.begun === counters.expected) return;
  const lanes = touched === 'all' ? [...Array(counters.expected).keys()] : [...touched];
  yield* loadLanes(state, node, lanes);

  const parents = sharedParents(state, node);
  const ready: NodeRunRow[] = [];
  const skipped: { row: NodeRunRow; reason: SkipReason }[] = [];
  for (const lane of lanes) {
    if (state.rows.has(idOf(state, node.position, lane))) continue;
    const step = nextStep(parents(lane), { aborted: false });
    if (step === 'wait') continue;
    const row = pendingRow(state, node, lane);
    if (step === 'ready') ready.push(row);
    else skipped.push({ row, reason: step.skip });
  }
  const { wanted, unwanted, broken } = yield* splitByCondition(
    state,
    node,
    yield* takeOver(state, node, ready),
  );
  skipped.push(...unwanted.map((row) => ({ row, reason: 'condition_false' as const })));
  skip(state, node, skipped);
  fail(state, node, broken);
  queue(state, node, yield* reuse(state, node, wanted));
}

/** Loads the begun node runs of these lanes: of this node and of its same-lane parents. */
function* loadLanes(state: RunState, node: PlannedNode, lanes: readonly number[]): Asking<void> {
  const { loaded } = state;
  if (loaded === 'all') return;
  const sources = node.incoming.flatMap(({ role, source }) =>
    role === 'same_lane' && source !== undefined ? [source] : [],
  );
  const positions = [node.position, ...new Set(sources)].filter(
    (position) => (state.counts[position]?.begun ?? 0) > 0,
  );
  const missing = lanes.filter((lane) => !loaded.has(lane));
  const ids = positions
    .flatMap((position) => missing.map((lane) => idOf(state, position, lane)))
    .filter((id) => !state.rows.has(id));
  if (ids.length > 0) yield { of: 'rows', ids: rangesOf(ids) };
}

/** The parents of each lane. State shared by all lanes is looked up once. */
function sharedParents(state: RunState, node: PlannedNode): (lane: number) => ParentState[] {
  const { plan, counts, rows } = state;
  const parents = node.incoming.flatMap(({ edge, role, cardinality, source }) => {
    if (source === undefined) return [];
    const shared = {
      port: cardinality,
      gather: role === 'gather',
      source_on_error: plan.nodes[source]?.node.on_error ?? 'fail',
      ...(edge.min_success_ratio === undefined
        ? {}
        : { min_success_ratio: edge.min_success_ratio }),
    };
    const all = { ...shared, counts: counts[source] as NodeCounts };
    return role === 'same_lane'
      ? (lane: number): ParentState => ({
          ...shared,
          counts: countsOfOne(rows.get(idOf(state, source, lane))),
        })
      : () => all;
  });
  return (lane) => parents.map((parent) => parent(lane));
}

const nothing = {
  success: 0,
  failure: 0,
  cancelled: 0,
  skipped_by_condition: 0,
  skipped_upstream: 0,
};

function countsOfOne(row: NodeRunRow | undefined): NodeCounts {
  const column = row && countOf(row.status, row.skip_reason ?? null);
  return { ...nothing, expected: 1, ...(column ? { [column]: 1 } : {}) };
}

function fail(
  state: RunState,
  node: PlannedNode,
  broken: readonly { row: NodeRunRow; message: string }[],
) {
  if (broken.length === 0) return;
  endRows(
    state,
    node,
    broken.map(({ row, message }) => ({
      ...row,
      status: 'failure' as const,
      error_class: 'bad_params',
      error_message: message,
      finished_at: state.now,
    })),
  );
}

/** Marks these node runs as ready to start. */
function queue(state: RunState, node: PlannedNode, rows: readonly NodeRunRow[]) {
  for (const row of rows)
    makeReady(state, node, { ...row, status: 'queued', queued_at: state.now }, 0);
}

/** Makes a node run ready to start after `delay_ms`. */
export function makeReady(
  state: RunState,
  node: PlannedNode,
  row: NodeRunRow,
  delay_ms: number,
): void {
  const { definition } = node;
  const { cpu, memory_mb, gpu, disk_mb } = definition.resources;
  const needs = {
    ...{ cpu, memory_mb: row.memory_mb ?? memory_mb, gpu, disk_mb },
    egress: definition.network === 'egress',
  };
  changeRow(state, node, row);
  state.changes.ready.push({ row, needs, delay_ms });
}
