import { mediaTypesOverlap } from '../assign.ts';
import { type EdgeRole, roleOf } from '../lanes.ts';
import { inputPort, type Lookup, outputPort } from '../lookup.ts';
import type { Cardinality, EdgeSource, Fault, Graph, GraphEdge, InputPort } from '../types.ts';

/** The properties of one end. */
type Source = { media_types: readonly string[] | undefined; cardinality: Cardinality };
/** What was found of an end; nothing if its definition is unknown, which is a fault of its node. */
type End<Found> = { found?: Found; faults: Fault[] };

export function edgeFaults(graph: Graph, lookup: Lookup): Fault[] {
  const faults = graph.edges.flatMap((edge, position) =>
    faultsOfEdge(edge, lookup).map((fault) => ({
      ...fault,
      pointer: `/edges/${position}${fault.pointer}`,
    })),
  );
  return [...faults, ...portFaults(graph, lookup)];
}

/** The faults of an edge by itself, whatever others there are; pointers lead into the edge. */
export function faultsOfEdge(edge: GraphEdge, lookup: Lookup): Fault[] {
  const { found: source, faults: ofSource } = findSource(edge, lookup);
  const { found: target, faults: ofTarget } = findTarget(edge, lookup);
  const both = source && target;
  return [
    ...ofSource,
    ...ofTarget,
    ...(both ? mediaTypeFaults(source, target, edge) : []),
    ...(both ? cardinalityFaults(source, target, edge, lookup) : []),
    ...ratioFaults(edge),
  ];
}

function findSource({ from }: GraphEdge, lookup: Lookup): End<Source> {
  if (!('node' in from)) {
    const input = lookup.inputs.get(from.input);
    if (input)
      return { found: { media_types: input.media_types, cardinality: 'many' }, faults: [] };
    const message = `The graph has no input "${from.input}".`;
    return { faults: [{ code: 'unknown_input', message, pointer: '/from/input' }] };
  }

  const known = lookup.nodes.get(from.node);
  if (!known) return { faults: [unknownNode(from.node, '/from/node')] };
  if (!known.definition) return { faults: [] };
  const port = outputPort(known.definition, from.port);
  if (!port) return { faults: [unknownPort(from, 'output', '/from/port')] };
  const media_types = port.media_type ? [port.media_type] : undefined;
  return { found: { media_types, cardinality: port.cardinality }, faults: [] };
}

function findTarget({ to }: GraphEdge, lookup: Lookup): End<InputPort> {
  const known = lookup.nodes.get(to.node);
  if (!known) return { faults: [unknownNode(to.node, '/to/node')] };
  if (!known.definition) return { faults: [] };
  const port = inputPort(known.definition, to.port);
  return port ? { found: port, faults: [] } : { faults: [unknownPort(to, 'input', '/to/port')] };
}

const unknownNode = (key: string, pointer: string): Fault => ({
  code: 'unknown_node',
  message: `There is no node "${key}".`,
  node_key: key,
  pointer,
});

const unknownPort = (
  { node, port }: { node: string; port: string },
  side: 'input' | 'output',
  pointer: string,
): Fault => ({
  code: 'unknown_port',
  message: `"${node}" has no ${side} "${port}".`,
  node_key: node,
  port,
  pointer,
});

function mediaTypeFaults(source: Source, target: InputPort, { from, to }: GraphEdge): Fault[] {
  if (mediaTypesOverlap(source.media_types, target.media_types)) return [];
  const brought = source.media_types?.join(', ');
  const message = `${describe(from)} brings ${brought}, but "${to.port}" takes ${target.media_types?.join(', ')}.`;
  return [{ code: 'media_type_mismatch', message, node_key: to.node, port: to.port, pointer: '' }];
}

const describe = (from: EdgeSource) =>
  'node' in from ? `The output "${from.port}" of "${from.node}"` : `The input "${from.input}"`;

function cardinalityFaults(
  source: Source,
  target: InputPort,
  edge: GraphEdge,
  lookup: Lookup,
): Fault[] {
  const { from, to } = edge;
  if (target.cardinality === 'many') return [];
  const problem = tooManyFor(roleOf(edge, lookup), source, 'node' in from);
  if (problem === null) return [];
  const message = `${describe(from)} ${problem}, but "${to.port}" takes a single file.`;
  return [{ code: 'cardinality_mismatch', message, node_key: to.node, port: to.port, pointer: '' }];
}

/**
 * How an edge brings more than one file at a time. A graph input does not: a run with one file is
 * valid, and inputLimits tells how many are allowed.
 */
function tooManyFor(role: EdgeRole, { cardinality }: Source, fromNode: boolean): string | null {
  if (role === 'gather') return 'runs once per file';
  if (cardinality !== 'many' || !fromNode) return null;
  if (role === 'plain') return 'can bring several files';
  return role === 'same_lane' ? 'can bring several files in each lane' : null;
}

function ratioFaults({ to, min_success_ratio: ratio }: GraphEdge): Fault[] {
  if (ratio === undefined || (ratio >= 0 && ratio <= 1)) return [];
  const message = 'The least ratio of successes is a number from 0 to 1.';
  const pointer = '/min_success_ratio';
  return [{ code: 'bad_ratio', message, node_key: to.node, port: to.port, pointer }];
}

/** Too many edges into a port, or too few; needs all edges. */
function portFaults(graph: Graph, lookup: Lookup): Fault[] {
  const faults: Fault[] = [];
  const incoming = Map.groupBy(graph.edges.entries(), ([, edge]) => edge.to.node);
  for (const [key, { position, definition }] of lookup.nodes) {
    const edges = [...(incoming.get(key) ?? [])];
    for (const port of definition?.inputs ?? []) {
      const here = edges.filter(([, { to }]) => to.port === port.name);
      const at = { node_key: key, port: port.name };
      const [, second] = here;
      if (here.length === 0 && port.cardinality !== 'optional') {
        const message = `The input "${port.name}" of "${key}" needs an edge.`;
        faults.push({
          code: 'missing_required_input',
          message,
          ...at,
          pointer: `/nodes/${position}`,
        });
      }
      if (second && port.cardinality !== 'many') {
        const pointer = `/edges/${second[0]}`;
        faults.push({ ...tooManyEdges(key, port.name, here.length), pointer });
      } else {
        faults.push(...repetitions(here).map((fault) => ({ ...fault, ...at })));
      }
    }
  }
  return faults;
}

export const tooManyEdges = (key: string, port: string, count: number): Fault => ({
  code: 'multiple_edges_to_single_port',
  message: `The input "${port}" of "${key}" takes one edge, not ${count}.`,
  node_key: key,
  port,
});

function repetitions(edges: [number, GraphEdge][]): Fault[] {
  const seen = new Set<string>();
  return edges.flatMap(([position, { from }]): Fault[] => {
    const source = JSON.stringify('node' in from ? [from.node, from.port] : [from.input]);
    const again = seen.has(source);
    seen.add(source);
    return again ? [{ ...repeatedEdge, pointer: `/edges/${position}` }] : [];
  });
}

export const repeatedEdge: Fault = {
  code: 'duplicate_edge',
  message: 'This edge is there twice.',
};
