/**
 * Which nodes run once per file, and over which files.
 *
 * A node with `map` runs once for every file of its domain; one such run is a lane. Lanes continue
 * through mapped successors independently of each other, and an unmapped successor gathers them in
 * input order. A domain is a graph input (its files are known at the start) or the `many` output of
 * an unmapped node (known when that node has succeeded).
 */
import { inputPort, type Lookup, lookUp, outputPort, sourceNode } from './lookup.ts';
import { topologicalOrder } from './order.ts';
import type { Cardinality, Definitions, Fault, Graph, GraphEdge } from './types.ts';

export type Domain =
  | { kind: 'input'; input: string }
  | { kind: 'output'; node: string; port: string };

/**
 * What an edge brings to its target:
 * - `plain`: all files of the source, to a node that runs once;
 * - `gather`: the files of all lanes, to a node that runs once;
 * - `lane_source`: one file to each lane; it defines the lanes;
 * - `same_lane`: to each lane the output of the same lane of the source;
 * - `broadcast`: to each lane all files of the source.
 */
export type EdgeRole = 'plain' | 'gather' | 'lane_source' | 'same_lane' | 'broadcast';

/** The domain of every node; null if it runs once. */
export function laneDomains(graph: Graph, definitions: Definitions): Map<string, Domain | null> {
  return resolveLanes(graph, definitions).domains;
}

/** The role of every edge, in the order of `graph.edges`. */
export function edgeRoles(graph: Graph, definitions: Definitions): EdgeRole[] {
  const lookup = lookUp(graph, definitions);
  return graph.edges.map((edge) => roleOf(edge, lookup));
}

export function roleOf({ from, to }: GraphEdge, lookup: Lookup): EdgeRole {
  const target = lookup.nodes.get(to.node);
  const key = sourceNode(from);
  const source = key === null ? undefined : lookup.nodes.get(key);
  if (!target?.node.map) return source?.node.map ? 'gather' : 'plain';
  if (source?.node.map) return 'same_lane';

  const single = inputPort(target.definition, to.port)?.cardinality !== 'many';
  return single && bringsMany(from, lookup) ? 'lane_source' : 'broadcast';
}

function bringsMany(from: GraphEdge['from'], lookup: Lookup): boolean {
  if (!('node' in from)) return true;
  const definition = lookup.nodes.get(from.node)?.definition;
  return outputPort(definition, from.port)?.cardinality === 'many';
}

export function resolveLanes(
  graph: Graph,
  definitions: Definitions,
): { domains: Map<string, Domain | null>; problems: Fault[] } {
  const lookup = lookUp(graph, definitions);
  const incoming = Map.groupBy(graph.edges, ({ to }) => to.node);
  const domains = new Map<string, Domain | null>();
  const problems: Fault[] = [];

  for (const key of topologicalOrder(graph)) {
    const known = lookup.nodes.get(key);
    domains.set(key, null);
    if (!known?.node.map) continue;

    const edges = incoming.get(key) ?? [];
    const found = edges
      .map((edge) => domainAlong(edge, lookup, domains))
      .filter((it) => it !== null);
    const [first] = found;
    const other = found.find((domain) => first && !isSameDomain(domain, first));
    if (first) domains.set(key, first);
    if (first && other) problems.push(laneMismatch(key, known.position, first, other));
    if (!first && isCertain(edges, lookup)) problems.push(nothingToMap(key, known.position));
  }
  return { domains, problems };
}

/** What an edge makes the lanes of its target follow; null if nothing. */
export function domainAlong(
  edge: GraphEdge,
  lookup: Lookup,
  domains: ReadonlyMap<string, Domain | null>,
): Domain | null {
  const { from } = edge;
  const role = roleOf(edge, lookup);
  if (role === 'same_lane') return domains.get(sourceNode(from) ?? '') ?? null;
  if (role !== 'lane_source') return null;
  if ('node' in from) return { kind: 'output', node: from.node, port: from.port };
  return lookup.inputs.has(from.input) ? { kind: 'input', input: from.input } : null;
}

export const isSameDomain = (a: Domain, b: Domain) => nameOf(a) === nameOf(b);

const nameOf = (domain: Domain) =>
  domain.kind === 'input'
    ? `the input "${domain.input}"`
    : `the output "${domain.port}" of ${domain.node}`;

/** Whether the node itself lacks lanes, rather than because of a fault reported elsewhere. */
function isCertain(edges: readonly GraphEdge[], lookup: Lookup): boolean {
  return edges.every(({ from, to }) => {
    if (!inputPort(lookup.nodes.get(to.node)?.definition, to.port)) return false;
    if (!('node' in from)) return lookup.inputs.has(from.input);
    const source = lookup.nodes.get(from.node);
    return !source?.node.map && outputPort(source?.definition, from.port) !== undefined;
  });
}

export const laneMismatch = (key: string, position: number, a: Domain, b: Domain): Fault => ({
  code: 'lane_mismatch',
  message: `"${key}" would run once per file of ${nameOf(a)} and of ${nameOf(b)}; it can follow one.`,
  node_key: key,
  pointer: `/nodes/${position}/map`,
});

const nothingToMap = (key: string, position: number): Fault => ({
  code: 'nothing_to_map',
  message: `"${key}" runs once per file, but nothing brings it files one by one.`,
  node_key: key,
  pointer: `/nodes/${position}/map`,
});

/**
 * How many files each graph input can take. One that leads to the single port of a node that runs
 * once takes one file; all others take any number.
 */
export function inputLimits(
  graph: Graph,
  definitions: Definitions,
): Map<string, { min: number; max: number }> {
  const lookup = lookUp(graph, definitions);
  const limits = new Map(
    graph.inputs.map(({ name }) => [name, { min: 0, max: Number.POSITIVE_INFINITY }]),
  );
  for (const edge of graph.edges) {
    const limit = 'node' in edge.from ? undefined : limits.get(edge.from.input);
    if (!limit || roleOf(edge, lookup) !== 'plain') continue;
    const target = lookup.nodes.get(edge.to.node);
    const cardinality: Cardinality | undefined = inputPort(
      target?.definition,
      edge.to.port,
    )?.cardinality;
    if (cardinality === 'one') limit.min = 1;
    if (cardinality === 'one' || cardinality === 'optional') limit.max = 1;
  }
  return limits;
}
