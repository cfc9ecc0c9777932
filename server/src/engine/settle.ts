/**
 * The kernel: what follows when node runs have ended. Works under the lock of the run, node by
 * node in topological order, a set of lanes at a time, until nothing more follows; then the
 * queue, the counters and perhaps the run's end are written. What is decided is decided by the
 * pure functions of the graph package.
 */
import type { SkipReason } from '@cogworks/graph/statuses';
import {
  countOf,
  type NodeCounts,
  nextStep,
  openLanes,
  type ParentState,
} from '@cogworks/graph/steps';
import type { Db } from '../db/connection.ts';
import { splitByCondition } from './conditions.ts';
import { countsOf, endedOf, endWhenDone } from './end-run.ts';
import { addLanes } from './lanes.ts';
import { publishResults } from './outputs.ts';
import { piecesOf } from './pieces.ts';
import { nodesOfDomain, type Plan, type PlannedNode } from './plan.ts';
import {
  endWaiting,
  failNodeRuns,
  findNodeRuns,
  findOutputs,
  findRunNodes,
  queueNodeRuns,
  requestStop,
  skipNodeRuns,
  writeRunNodes,
} from './queries.ts';
import type { NodeRunRow, RunNodeRow, RunRow } from './records.ts';
import { findReusable, reuse } from './reuse.ts';

/** Node runs that ended or are to be looked at for the first time: which lanes, or all. */
export type Touched = Map<string, Set<number> | 'all'>;

/** The state of one settling: the locked run, its plan and counters, and which counters changed. */
export type Settling = {
  tx: Db;
  run: RunRow;
  plan: Plan;
  nodes: Map<string, RunNodeRow>;
  changed: Set<string>;
  /** Nodes whose node runs have to be decided on, with the lanes that something happened to. */
  todo: Touched;
};

/** Begins a settling. The caller holds the lock of the run. */
export async function beginSettling(tx: Db, run: RunRow, plan: Plan): Promise<Settling> {
  const rows = await findRunNodes(tx, run.tenant_id, run.id);
  return {
    tx,
    run,
    plan,
    nodes: new Map(rows.map((row) => [row.node_key, row])),
    changed: new Set(),
    todo: new Map(),
  };
}

/** Looks at every node that waits for no other; at the start of a run. */
export function touchRoots({ plan, todo }: Settling): void {
  for (const node of plan.nodes.values()) {
    if (node.incoming.every((edge) => edge.source === undefined)) todo.set(node.key, 'all');
  }
}

/** Counts ended node runs and marks what follows them. Their rows have been written. */
export function countEnded(settling: Settling, key: string, ended: NodeRunRow[]): void {
  const { nodes, changed, plan } = settling;
  const counters = nodes.get(key) as RunNodeRow;
  for (const row of ended) {
    const column = countOf(row.status, row.skip_reason ?? null);
    if (!column) throw new Error(`Node run ${row.id} has not ended.`);
    counters[column] += 1;
    if (row.reused_from_node_run_id !== undefined) counters.reused += 1;
  }
  changed.add(key);
  for (const child of plan.nodes.get(key)?.children ?? []) touch(settling, child, key, ended);
}

/** Of a mapped child in the same lanes, just these lanes; of any other, all there is. */
function touch({ plan, todo }: Settling, child: string, parent: string, ended: NodeRunRow[]) {
  const edges = plan.nodes.get(child)?.incoming.filter((edge) => edge.source === parent) ?? [];
  const lanes = ended.map((row) => row.shard_index);
  const inLanes =
    edges.every((edge) => edge.role === 'same_lane') && lanes.every((lane) => lane !== undefined);
  const before = todo.get(child);
  if (!inLanes || before === 'all') todo.set(child, 'all');
  else todo.set(child, new Set([...(before ?? []), ...(lanes as number[])]));
}

/** Decides until nothing follows, then writes counters, and the run's end where it has come. */
export async function settle(settling: Settling): Promise<void> {
  const { plan, todo } = settling;
  if (settling.run.cancel_requested_at === undefined) {
    await abortWhenAsked(settling);
    for (const node of plan.nodes.values()) {
      const lanes = todo.get(node.key);
      if (lanes !== undefined) await decide(settling, node, lanes);
      todo.delete(node.key);
    }
    // A condition without an answer is a failure too, and came only now.
    await abortWhenAsked(settling);
  }
  await writeChanges(settling);
  await endWhenDone(settling);
}

/** `on_failure: abort`: with the first failure, what has not started is skipped, the rest stopped. */
async function abortWhenAsked(settling: Settling) {
  const { run, tx, nodes } = settling;
  if (run.on_failure !== 'abort' || ![...nodes.values()].some((node) => node.failure > 0)) return;
  const ended = await endWaiting(tx, run.tenant_id, run.id, 'skipped', 'run_aborted');
  await requestStop(tx, run.tenant_id, run.id);
  countWithoutRows(settling, ended, 'skipped_upstream');
  settling.todo.clear();
}

/** Adds to the counters of nodes whose waiting node runs were ended in one statement. */
export function countWithoutRows(
  { nodes, changed }: Settling,
  ended: { node_key: string; count: number }[],
  column: keyof Omit<NodeCounts, 'expected'>,
) {
  for (const { node_key, count } of ended) (nodes.get(node_key) as RunNodeRow)[column] += count;
  for (const node of nodes.values()) {
    // Lanes that nobody knew yet will not come any more.
    node.expected ??= endedOf(node);
    changed.add(node.node_key);
  }
}

async function decide(settling: Settling, node: PlannedNode, touched: Set<number> | 'all') {
  const { tx, run } = settling;
  if (settling.nodes.get(node.key)?.expected === undefined) await expandDomain(settling, node);
  if (settling.nodes.get(node.key)?.expected === undefined) return;

  const shards = touched === 'all' ? undefined : [...touched];
  const rows = await findNodeRuns(tx, run.tenant_id, run.id, [node.key], shards);
  const pending = rows.filter((row) => row.status === 'pending');
  if (pending.length === 0 && settling.nodes.get(node.key)?.expected !== 0) return;
  // No lane at all: nothing to decide, but what gathers them may go on.
  if (pending.length === 0) return countEnded(settling, node.key, []);

  const parents = await parentStates(settling, node, shards);
  const ready: NodeRunRow[] = [];
  const skipped: { row: NodeRunRow; reason: SkipReason }[] = [];
  for (const row of pending) {
    const step = nextStep(parents(row.shard_index), { aborted: false });
    if (step === 'ready') ready.push(row);
    else if (step !== 'wait') skipped.push({ row, reason: step.skip });
  }
  const { wanted, unwanted, broken } = await splitByCondition(settling, node, ready);
  skipped.push(...unwanted.map((row) => ({ row, reason: 'condition_false' as const })));
  await skip(settling, node, skipped);
  await fail(settling, node, broken);
  await start(settling, node, wanted);
}

/** A fan-out becomes known when its source has ended: one lane per file, for every node along it. */
async function expandDomain(settling: Settling, node: PlannedNode) {
  const { plan, nodes, tx, run, todo, changed } = settling;
  if (node.domain?.kind !== 'output') return;
  const source = nodes.get(node.domain.node);
  if (!source) return;
  const { node: key, port } = node.domain;
  const outputs = await findOutputs(tx, run.tenant_id, run.id, [key]);
  const count = outputs.filter((file) => file.port === port).length;
  const opened = openLanes(countsOf(source), count);
  if (!opened) return;

  const along = nodesOfDomain(plan, node.domain);
  for (const member of along) {
    (nodes.get(member.key) as RunNodeRow).expected = opened.lanes;
    changed.add(member.key);
    todo.set(member.key, 'all');
  }
  if (opened.skip === null) {
    const lanes = Array.from({ length: opened.lanes }, (_, index) => ({
      shard_index: index,
      cog_id: null,
    }));
    return addLanes(tx, run, along, lanes);
  }
  // No file came, so there is no lane; the report still says what was left out, and why.
  await addLanes(tx, run, along, [{ shard_index: null, cog_id: null }]);
  for (const member of along) {
    const rows = await findNodeRuns(tx, run.tenant_id, run.id, [member.key]);
    await skip(
      settling,
      member,
      rows.map((row) => ({ row, reason: opened.skip as SkipReason })),
    );
  }
}

/** The parents of each lane, read in one query for all lanes. */
async function parentStates(settling: Settling, node: PlannedNode, shards: number[] | undefined) {
  const { tx, run, plan, nodes } = settling;
  const inLane = node.incoming
    .filter((edge) => edge.role === 'same_lane')
    .map((edge) => edge.source as string);
  const rows =
    inLane.length === 0
      ? []
      : await findNodeRuns(tx, run.tenant_id, run.id, [...new Set(inLane)], shards);
  const byLane = new Map(rows.map((row) => [`${row.node_key}|${row.shard_index}`, row]));

  return (shard: number | undefined): ParentState[] =>
    node.incoming.flatMap(({ edge, role, cardinality, source }): ParentState[] => {
      if (source === undefined) return [];
      const lane = role === 'same_lane' ? byLane.get(`${source}|${shard}`) : undefined;
      const counts = lane ? countsOfOne(lane) : countsOf(nodes.get(source) as RunNodeRow);
      return [
        {
          port: cardinality,
          gather: role === 'gather',
          source_on_error: plan.nodes.get(source)?.node.on_error ?? 'fail',
          counts,
          ...(edge.min_success_ratio === undefined
            ? {}
            : { min_success_ratio: edge.min_success_ratio }),
        },
      ];
    });
}

const nothing = {
  success: 0,
  failure: 0,
  cancelled: 0,
  skipped_by_condition: 0,
  skipped_upstream: 0,
};

function countsOfOne(row: NodeRunRow): NodeCounts {
  const column = countOf(row.status, row.skip_reason ?? null);
  return { ...nothing, expected: 1, ...(column ? { [column]: 1 } : {}) };
}

async function skip(
  settling: Settling,
  node: PlannedNode,
  skipped: { row: NodeRunRow; reason: SkipReason }[],
) {
  if (skipped.length === 0) return;
  const { tx, run } = settling;
  await skipNodeRuns(
    tx,
    run.tenant_id,
    skipped.map(({ row }) => row.id),
    skipped.map(({ reason }) => reason),
  );
  countEnded(
    settling,
    node.key,
    skipped.map(({ row, reason }) => ({ ...row, status: 'skipped', skip_reason: reason })),
  );
}

async function fail(
  settling: Settling,
  node: PlannedNode,
  broken: { row: NodeRunRow; message: string }[],
) {
  if (broken.length === 0) return;
  const { tx, run } = settling;
  await failNodeRuns(
    tx,
    run.tenant_id,
    broken.map(({ row }) => row.id),
    'bad_params',
    broken.map(({ message }) => message),
  );
  countEnded(
    settling,
    node.key,
    broken.map(({ row }) => ({ ...row, status: 'failure' })),
  );
}

/** Takes over what the restarted run has already, and queues the rest. */
async function start(settling: Settling, node: PlannedNode, rows: NodeRunRow[]) {
  if (rows.length === 0) return;
  const { tx, run } = settling;
  const reusable = await findReusable(settling, node, rows);
  const reused = rows.filter((row) => reusable.has(row.id));
  if (reused.length > 0) {
    const ended = await reuse(settling, reused, reusable);
    if (node.leaf)
      await publishResults(
        tx,
        run,
        node.key,
        reused.map((row) => row.id),
      );
    countEnded(settling, node.key, ended);
  }
  const { cpu, gpu, disk_mb } = node.definition.resources;
  const queued = rows
    .filter((row) => !reusable.has(row.id))
    .map((row) => ({ id: row.id, cpu, memory_mb: row.memory_mb, gpu, disk_mb }));
  for (const piece of piecesOf(queued)) {
    await queueNodeRuns(tx, run.tenant_id, run.id, bandOf(run), piece);
  }
}

/** Priority first; within it the oldest run, and in that the order its node runs were made in. */
export const bandOf = (run: RunRow) => ({ high: 0, normal: 1, low: 2 })[run.priority];

async function writeChanges({ tx, run, nodes, changed }: Settling) {
  if (changed.size === 0) return;
  const rows = [...changed].map((key) => nodes.get(key) as RunNodeRow);
  await writeRunNodes(tx, run.tenant_id, run.id, rows);
  changed.clear();
}
