/** The rows of node runs: one per lane of a mapped node, one for a node that runs once. */
import type { Db } from '../db/connection.ts';
import { piecesOf } from './pieces.ts';
import type { PlannedNode } from './plan.ts';
import { addNodeRuns } from './queries.ts';
import type { RunRow } from './records.ts';

export type Lane = { shard_index: number | null; cog_id: number | null };

export async function addLanes(
  tx: Db,
  run: RunRow,
  nodes: PlannedNode[],
  lanes: Lane[],
): Promise<void> {
  for (const { key, definition } of nodes) {
    for (const piece of piecesOf(lanes)) {
      const rows = piece.map((lane) => ({
        node_key: key,
        ...lane,
        max_attempts: definition.retry.max_attempts,
        memory_mb: definition.resources.memory_mb,
      }));
      await addNodeRuns(tx, run.tenant_id, run.id, rows);
    }
  }
}
