/** Brings an accepted run to life: its counters, lanes and files, and what can start at once. */
import type { Db } from '../db/connection.ts';
import { addLanes } from './lanes.ts';
import type { Plan } from './plan.ts';
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
  const lanesOf = (node: (typeof nodes)[number]) => {
    if (!node.domain) return [{ shard_index: null, cog_id: null }];
    if (node.domain.kind === 'output') return undefined;
    return (cogs.get(node.domain.input) ?? []).map((cogId, index) => ({
      shard_index: index,
      cog_id: cogId,
    }));
  };
  await addRunNodes(
    tx,
    run.tenant_id,
    run.id,
    nodes.map((node) => ({
      node_key: node.key,
      position: node.position,
      node_definition_id: node.definition.id,
      expected: lanesOf(node)?.length ?? null,
    })),
  );
  for (const node of nodes) await addLanes(tx, run, [node], lanesOf(node) ?? []);

  const settling = await beginSettling(tx, run, plan);
  touchRoots(settling);
  await settle(settling);
}
