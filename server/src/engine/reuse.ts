/**
 * What a restarted run takes over from the one before: a node run that succeeded there, whose
 * params did not change and whose inputs are what they were. Everything else runs.
 */
import { countOf } from '@cogworks/graph/steps';
import type { Db } from '../db/connection.ts';
import type { PlannedNode } from './plan.ts';
import { copyOutputs, findNodeRuns, findRunNodes, reuseNodeRuns } from './queries.ts';
import type { NodeRunRow, RunRow } from './records.ts';
import type { Settling } from './settle.ts';

/** Node runs of `rows` that can be taken over, with the id of the one to take. */
export async function findReusable(
  settling: Settling,
  node: PlannedNode,
  rows: NodeRunRow[],
): Promise<Map<number, number>> {
  const { tx, run } = settling;
  const earlier = run.restarted_from_run_id;
  const isTouched = run.restart_touched?.includes(node.key);
  if (earlier === undefined || run.restart_mode !== 'failed' || isTouched) return new Map();
  if (!(await bringTheSame(settling, node, earlier))) return new Map();

  const shards = rows.flatMap((row) => row.shard_index ?? []);
  const lanes = shards.length > 0 ? shards : undefined;
  const isSame = await sameLanes(tx, run, node, earlier, lanes);
  const before = new Map(
    (await findNodeRuns(tx, run.tenant_id, earlier, [node.key], lanes))
      .filter((row) => row.status === 'success')
      .map((row) => [row.shard_index, row.id]),
  );
  return new Map(
    rows.flatMap((row): [number, number][] => {
      const source = before.get(row.shard_index);
      return source !== undefined && isSame(row.shard_index) ? [[row.id, source]] : [];
    }),
  );
}

/**
 * Whether the parents that bring all they have to each of its node runs bring what they brought
 * before: all that ran was taken over, and as many lanes as then were left out by a condition.
 */
async function bringTheSame({ tx, run, nodes }: Settling, node: PlannedNode, earlier: number) {
  const keys = node.incoming.flatMap(({ source, role }) =>
    source !== undefined && role !== 'same_lane' ? [source] : [],
  );
  if (keys.length === 0) return true;
  const before = new Map(
    (await findRunNodes(tx, run.tenant_id, earlier)).map((row) => [row.node_key, row]),
  );
  return keys.every((key) => {
    const [now, then] = [nodes.get(key), before.get(key)];
    return (
      now !== undefined &&
      now.expected === then?.expected &&
      now.skipped_by_condition === then?.skipped_by_condition &&
      now.reused + now.skipped_by_condition === now.expected
    );
  });
}

/** Whether a lane's parents in the lane were taken over, or left out by a condition then and now. */
async function sameLanes(
  tx: Db,
  run: RunRow,
  node: PlannedNode,
  earlier: number,
  lanes: number[] | undefined,
): Promise<(shard: number | undefined) => boolean> {
  const parents = node.incoming.flatMap(({ source, role }) =>
    source !== undefined && role === 'same_lane' ? [source] : [],
  );
  if (parents.length === 0) return () => true;
  const here = await findNodeRuns(tx, run.tenant_id, run.id, parents, lanes);
  const there = await findNodeRuns(tx, run.tenant_id, earlier, parents, lanes);
  const leftOut = new Set(there.filter(isLeftOut).map(placeOf));
  const changed = here.filter(
    (row) =>
      row.reused_from_node_run_id === undefined && !(isLeftOut(row) && leftOut.has(placeOf(row))),
  );
  const shards = new Set(changed.map((row) => row.shard_index));
  return (shard) => !shards.has(shard);
}

const isLeftOut = ({ status, skip_reason }: NodeRunRow) =>
  countOf(status, skip_reason ?? null) === 'skipped_by_condition';

const placeOf = ({ node_key, shard_index }: NodeRunRow) => `${node_key}|${shard_index}`;

/** Ends the node runs as successes with the outputs of the earlier ones. @returns their rows. */
export async function reuse(
  { tx, run }: Settling,
  rows: NodeRunRow[],
  sources: Map<number, number>,
): Promise<NodeRunRow[]> {
  const ids = rows.map((row) => row.id);
  const taken = ids.map((id) => sources.get(id) as number);
  await reuseNodeRuns(tx, run.tenant_id, ids, taken);
  await copyOutputs(tx, run.tenant_id, run.id, ids, taken);
  return rows.map((row) => ({
    ...row,
    status: 'success' as const,
    reused_from_node_run_id: sources.get(row.id) as number,
  }));
}
