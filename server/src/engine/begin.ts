/** Brings an accepted run to life: its counters, lanes and files, and what can start at once. */
import type { Db } from '../db/connection.ts';
import { addLanes } from './lanes.ts';
import type { Plan, PlannedNode } from './plan.ts';
import { addRunNodes } from './queries.ts';
import type { RunRow } from './records.ts';
import { beginSettling, settle, touchRoots } from './settle.ts';

/**
 * Writes everything that is known of a run before anything of it has run, in the transaction
 * that accepts it. Lanes of a graph input are its files; those of a fan-out come later.
 *
 * @param cogs the cog ids of every graph input, in order.
 */
export async function beginRun(
  tx: Db,
  run: RunRow,
  plan: Plan,
  cogs: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  const nodes = [...plan.nodes.values()];
  /** The file of each lane; null in the one lane of a node that runs once. Undefined: not known yet. */
  const filesOf = ({ domain }: PlannedNode) => {
    if (!domain) return [null];
    return domain.kind === 'output' ? undefined : (cogs.get(domain.input) ?? []);
  };
  await addRunNodes(
    tx,
    run.tenant_id,
    run.id,
    nodes.map((node) => ({
      node_key: node.key,
      position: node.position,
      node_definition_id: node.definition.id,
      expected: filesOf(node)?.length ?? null,
    })),
  );
  for (const node of nodes) {
    const lanes = filesOf(node)?.map((cog_id, index) => ({
      shard_index: node.domain ? index : null,
      cog_id,
    }));
    await addLanes(tx, run, [node], lanes ?? []);
  }

  const settling = await beginSettling(tx, run, plan);
  touchRoots(settling);
  await settle(settling);
}
