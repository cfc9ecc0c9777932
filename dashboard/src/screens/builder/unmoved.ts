/** Which edits change only where steps stand: what does not show that need not follow them. Pure. */
import type { Graph, GraphNode } from '@cogworks/graph/types';

/** Whether two graphs differ at most in the positions of their nodes. */
export function differOnlyInPlaces(one: Graph, other: Graph): boolean {
  if (one === other) return true;
  const { nodes, ...rest } = one;
  const { nodes: otherNodes, ...otherRest } = other;
  return (
    isSame(rest, otherRest) &&
    nodes.length === otherNodes.length &&
    nodes.every((node, at) => differOnlyInPlace(node, otherNodes[at]))
  );
}

function differOnlyInPlace(one: GraphNode, other: GraphNode | undefined): boolean {
  if (one === other) return true;
  return other !== undefined && isSame({ ...one, position: 0 }, { ...other, position: 0 });
}

function isSame(one: object, other: object): boolean {
  const values = new Map(Object.entries(other));
  const entries = Object.entries(one);
  return (
    entries.length === values.size &&
    entries.every(([name, value]) => values.has(name) && values.get(name) === value)
  );
}

/** @returns remembers the graph that it was given first of those that differ only in places. */
export function unmoved(): (graph: Graph) => Graph {
  let seen: Graph | undefined;
  let first: Graph | undefined;
  return (graph) => {
    if (first !== undefined && (graph === seen || differOnlyInPlaces(first, graph))) {
      seen = graph;
      return first;
    }
    seen = graph;
    first = graph;
    return graph;
  };
}
