/** Which steps would do something else than they did when a graph was tested. Pure. */

import { usedVariables } from '@cogworks/graph/checks/warnings';
import { edgeId, sameJson } from '@cogworks/graph/edit/changes';
import { lookUp } from '@cogworks/graph/lookup';
import { descendantsOf } from '@cogworks/graph/order';
import type { Definitions, Graph, GraphNode } from '@cogworks/graph/types';

/** The keys of steps that are new, have changed, or are behind such a step. */
export function changedSince(
  tested: Graph,
  now: Graph,
  definitions: Definitions,
): ReadonlySet<string> {
  if (tested === now) return new Set();
  const [before, after] = [ownParts(tested), ownParts(now)];
  const changed = now.nodes
    .filter(({ key }) => !sameJson(before.get(key), after.get(key)))
    .map(({ key }) => key);
  const variables = otherVariables(tested, now);
  const affected = now.nodes.filter((node) => uses(now, node, definitions, variables));
  const all = [...new Set([...changed, ...affected.map(({ key }) => key)])];
  return new Set([...all, ...descendantsOf(now, all)]);
}

/** All that decides what a step does, but for what its sources do. */
function ownParts(graph: Graph) {
  const incoming = Map.groupBy(graph.edges, ({ to }) => to.node);
  return new Map(
    graph.nodes.map(({ key, title: _, position: __, ...logic }) => [
      key,
      {
        ...logic,
        edges: (incoming.get(key) ?? []).map((edge) => [edgeId(edge), edge.min_success_ratio]),
      },
    ]),
  );
}

function otherVariables(tested: Graph, now: Graph): ReadonlySet<string> {
  if (tested.variables === now.variables) return new Set();
  const before = new Map(tested.variables.map((one) => [one.variable_name, one]));
  return new Set(
    now.variables
      .filter((one) => !sameJson(before.get(one.variable_name), one))
      .map(({ variable_name }) => variable_name),
  );
}

function uses(
  graph: Graph,
  node: GraphNode,
  definitions: Definitions,
  variables: ReadonlySet<string>,
): boolean {
  if (variables.size === 0) return false;
  const part = { ...graph, nodes: [node] };
  return [...usedVariables(part, lookUp(part, definitions))].some((name) => variables.has(name));
}
