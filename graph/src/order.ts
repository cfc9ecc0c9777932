/**
 * The order of nodes. Accepts any graph, including ones with cycles, duplicate keys or edges to
 * nowhere; such edges are ignored.
 */
import { sourceNode } from './lookup.ts';
import type { Graph } from './types.ts';

export type Neighbours = Map<string, string[]>;

/**
 * Every key once, parents first; ties are resolved by position in the graph. Nodes on or behind a
 * cycle come last.
 */
export function topologicalOrder(graph: Graph): string[] {
  const children = childrenOf(graph);
  const positions = new Map([...children.keys()].map((key, position) => [key, position]));
  const positionOf = (key: string) => positions.get(key) ?? 0;
  const missing = new Map([...parentsOf(graph)].map(([key, parents]) => [key, parents.length]));

  // Sorted by descending position, so that the next one is at the end.
  const ready = [...children.keys()].filter((key) => missing.get(key) === 0).reverse();
  const order = new Set<string>();
  for (let key = ready.pop(); key !== undefined; key = ready.pop()) {
    order.add(key);
    for (const child of children.get(key) ?? []) {
      const left = (missing.get(child) ?? 0) - 1;
      missing.set(child, left);
      if (left === 0) insertFalling(ready, child, positionOf);
    }
  }

  for (const key of children.keys()) order.add(key);
  return [...order];
}

function insertFalling(keys: string[], key: string, positionOf: (key: string) => number) {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positionOf(keys[middle] ?? '') > positionOf(key)) low = middle + 1;
    else high = middle;
  }
  keys.splice(low, 0, key);
}

/** For every node its distinct parents, in the order of edges. */
export function parentsOf(graph: Graph): Neighbours {
  return neighbours(graph, (from, to) => [to, from]);
}

/** For every node its distinct children, in the order of edges. */
export function childrenOf(graph: Graph): Neighbours {
  return neighbours(graph, (from, to) => [from, to]);
}

function neighbours(graph: Graph, pair: (from: string, to: string) => [string, string]) {
  const found = new Map<string, Set<string>>(graph.nodes.map((node) => [node.key, new Set()]));
  for (const edge of graph.edges) {
    const from = sourceNode(edge.from);
    if (from === null || !found.has(from) || !found.has(edge.to.node)) continue;
    const [key, neighbour] = pair(from, edge.to.node);
    found.get(key)?.add(neighbour);
  }
  return new Map([...found].map(([key, keys]) => [key, [...keys]]));
}

/** Nodes without children: their results are the results of the run. */
export function leafKeys(graph: Graph): string[] {
  return [...childrenOf(graph)].filter(([, children]) => children.length === 0).map(([key]) => key);
}

/** The given nodes and all their ancestors. */
export function withAncestors(graph: Graph, keys: Iterable<string>): Set<string> {
  const parents = parentsOf(graph);
  const found = new Set(keys);
  for (const key of found) for (const parent of parents.get(key) ?? []) found.add(parent);
  return found;
}

/** All descendants of the given nodes; a given node only if it descends from another. */
export function descendantsOf(graph: Graph, keys: Iterable<string>): Set<string> {
  const children = childrenOf(graph);
  const found = new Set<string>();
  const open = [...keys];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    for (const child of children.get(key) ?? []) {
      if (found.has(child)) continue;
      found.add(child);
      open.push(child);
    }
  }
  return found;
}
