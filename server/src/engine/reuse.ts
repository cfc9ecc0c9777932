/**
 * What a restarted run takes over from the one before: a node run that succeeded there, whose
 * params did not change and whose parents were all taken over as well. Everything else runs.
 */
import { countOf } from '@cogworks/graph/steps';
import type { PlannedNode } from './plan.ts';
import { copyOutputs, findNodeRuns, reuseNodeRuns } from './queries.ts';
import type { NodeRunRow } from './records.ts';
import type { Settling } from './settle.ts';

/** Node runs of `rows` that can be taken over, with the id of the one to take. */
export async function findReusable(
  { tx, run, nodes }: Settling,
  node: PlannedNode,
  rows: NodeRunRow[],
): Promise<Map<number, number>> {
  const reusable = new Map<number, number>();
  const earlier = run.restarted_from_run_id;
  if (
    earlier === undefined ||
    run.restart_mode !== 'failed' ||
    run.restart_touched?.includes(node.key)
  )
    return reusable;

  // A gather whose parents ran again has other inputs, even if it succeeded before.
  const shared = node.incoming.filter(
    (edge) => edge.source !== undefined && edge.role !== 'same_lane',
  );
  const allReused = shared.every((edge) => {
    const parent = nodes.get(edge.source as string);
    return parent !== undefined && parent.reused + parent.skipped_by_condition === parent.expected;
  });
  if (!allReused) return reusable;

  const inLane = node.incoming
    .filter((edge) => edge.role === 'same_lane')
    .map((edge) => edge.source as string);
  const here =
    inLane.length === 0 ? [] : await findNodeRuns(tx, run.tenant_id, run.id, [...new Set(inLane)]);
  const ranAgain = new Set(
    here
      .filter(
        (row) =>
          row.reused_from_node_run_id === undefined &&
          countOf(row.status, row.skip_reason ?? null) !== 'skipped_by_condition',
      )
      .map((row) => row.shard_index),
  );
  const before = new Map(
    (await findNodeRuns(tx, run.tenant_id, earlier, [node.key]))
      .filter((row) => row.status === 'success')
      .map((row) => [row.shard_index, row.id]),
  );
  for (const row of rows) {
    const source = before.get(row.shard_index);
    if (source !== undefined && !ranAgain.has(row.shard_index)) reusable.set(row.id, source);
  }
  return reusable;
}

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
