/** From which input files of a run its nodes make their outputs. Pure. */

import type { Plan, PlannedNode } from '../../../engine/kernel/plan.ts';
import type { Counters } from '../../../engine/kernel/state.ts';

/** Of an input of the graph: the file of the node run's own lane, or all files. */
export type Extent = 'lane' | 'all';

/** For the node at each position: the inputs of the graph that lead to it. */
export function sourcesOf({ nodes }: Pick<Plan, 'nodes'>): ReadonlyMap<string, Extent>[] {
  const sources: Map<string, Extent>[] = [];
  for (const { incoming } of nodes) {
    const found = new Map<string, Extent>();
    const add = (input: string, extent: Extent) => {
      if (extent === 'all' || !found.has(input)) found.set(input, extent);
    };
    for (const { edge, role, source } of incoming) {
      if ('input' in edge.from) add(edge.from.input, role === 'lane_source' ? 'lane' : 'all');
      else
        for (const [input, extent] of sources[source as number] ?? [])
          add(input, role === 'gather' ? 'all' : extent);
    }
    sources.push(found);
  }
  return sources;
}

/** Consecutive positions among the files of an input. */
export type InputRange = { input_name: string; first: number; last: number };

/** A position above all others. */
const lastPosition = 2 ** 31 - 1;

/** The input files that a node run of this node made its outputs from. */
export const inputsOf = (plan: Plan, node: PlannedNode, lane: number): InputRange[] =>
  [...(sourcesOf(plan)[node.position] ?? [])].map(([input_name, extent]) =>
    extent === 'lane'
      ? { input_name, first: lane, last: lane }
      : { input_name, first: 0, last: lastPosition },
  );

/** Consecutive ids of node runs. */
export type NodeRunRange = { first: number; last: number };

/**
 * The node runs whose outputs are results made from this input file of the run.
 *
 * @param sources of the plan's nodes, as `sourcesOf` tells.
 */
export function madeFrom(
  plan: Plan,
  sources: ReturnType<typeof sourcesOf>,
  { first_ids, counts }: { first_ids: readonly number[]; counts: readonly Counters[] },
  { input_name, position: lane }: { input_name: string; position: number },
): NodeRunRange[] {
  return plan.nodes.flatMap(({ leaf, position }) => {
    const extent = sources[position]?.get(input_name);
    const first = first_ids[position] ?? 0;
    const { expected, success = 0 } = counts[position] ?? {};
    if (!leaf || extent === undefined || first === 0 || !expected || success === 0) return [];
    return extent === 'lane'
      ? { first: first + lane, last: first + lane }
      : { first, last: first + expected - 1 };
  });
}
