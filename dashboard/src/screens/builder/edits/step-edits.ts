/** Duplicates, removes and reorders steps. Pure. */
import { connect, keyFor, removeNodes } from '@cogworks/graph/edit/edits';
import { parentsOf, topologicalOrder } from '@cogworks/graph/order';
import type { Graph } from '@cogworks/graph/types';

/** A second node like this one, right behind it, with the same files to take. */
export function duplicated(graph: Graph, key: string): { graph: Graph; key: string } {
  const at = graph.nodes.findIndex((node) => node.key === key);
  const node = graph.nodes[at];
  if (!node) return { graph, key };
  const copy = {
    ...structuredClone(node),
    key: keyFor(graph, node.title || node.key),
    ...(node.position && { position: { x: node.position.x + 40, y: node.position.y + 40 } }),
  };
  const added: Graph = { ...graph, nodes: graph.nodes.toSpliced(at + 1, 0, copy) };
  const edges = graph.edges.filter(({ to }) => to.node === key);
  return {
    graph: edges.reduce(
      (now, edge) => connect(now, { ...edge, to: { ...edge.to, node: copy.key } }),
      added,
    ),
    key: copy.key,
  };
}

export const removed = (graph: Graph, keys: readonly string[]): Graph => removeNodes(graph, keys);

/**
 * The graph with this node one place earlier or later in its order; the graph itself where the
 * order of the work forbids that.
 */
export function movedInOrder(graph: Graph, key: string, step: 1 | -1): Graph {
  const order = topologicalOrder(graph);
  const at = order.indexOf(key);
  const other = order[at + step];
  if (at === -1 || other === undefined) return graph;
  const [first, second] = step === 1 ? [key, other] : [other, key];
  if (parentsOf(graph).get(second)?.includes(first)) return graph;
  const swapped = order.with(at, other).with(at + step, key);
  const places = new Map(swapped.map((one, place) => [one, place]));
  const nodes = graph.nodes.toSorted((a, b) => (places.get(a.key) ?? 0) - (places.get(b.key) ?? 0));
  const moved = { ...graph, nodes };
  return topologicalOrder(moved)[at + step] === key ? moved : graph;
}
