import { mediaTypesOverlap } from '../assign.ts';
import { type EdgeRole, roleOf } from '../lanes.ts';
import { inputPort, type Lookup, outputPort } from '../lookup.ts';
import type { Cardinality, EdgeSource, Fault, Graph, GraphEdge, InputPort } from '../types.ts';

/** The properties of one end; undefined if the end itself, or its definition, is invalid. */
type Source = { media_types: readonly string[] | undefined; cardinality: Cardinality };
type Place = { edge: GraphEdge; pointer: string; lookup: Lookup; faults: Fault[] };

export function edgeFaults(graph: Graph, lookup: Lookup): Fault[] {
  const faults: Fault[] = [];
  graph.edges.forEach((edge, position) => {
    const place = { edge, pointer: `/edges/${position}`, lookup, faults };
    const source = findSource(place);
    const target = findTarget(place);
    if (source && target) checkMediaTypes(source, target, place);
    if (source && target) checkCardinality(source, target, place);
    checkRatio(place);
  });
  return [...faults, ...portFaults(graph, lookup)];
}

function findSource({ edge: { from }, pointer, lookup, faults }: Place): Source | undefined {
  if (!('node' in from)) {
    const input = lookup.inputs.get(from.input);
    if (input) return { media_types: input.media_types, cardinality: 'many' };
    faults.push({
      code: 'unknown_input',
      message: `The graph has no input "${from.input}".`,
      pointer: `${pointer}/from/input`,
    });
    return undefined;
  }

  const known = lookup.nodes.get(from.node);
  if (!known) faults.push(unknownNode(from.node, `${pointer}/from/node`));
  if (!known?.definition) return undefined;
  const port = outputPort(known.definition, from.port);
  if (!port) faults.push(unknownPort(from, 'output', `${pointer}/from/port`));
  const types = port?.media_type ? [port.media_type] : undefined;
  return port && { media_types: types, cardinality: port.cardinality };
}

function findTarget({ edge: { to }, pointer, lookup, faults }: Place): InputPort | undefined {
  const known = lookup.nodes.get(to.node);
  if (!known) faults.push(unknownNode(to.node, `${pointer}/to/node`));
  if (!known?.definition) return undefined;
  const port = inputPort(known.definition, to.port);
  if (!port) faults.push(unknownPort(to, 'input', `${pointer}/to/port`));
  return port;
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

function checkMediaTypes(source: Source, target: InputPort, { edge, pointer, faults }: Place) {
  if (mediaTypesOverlap(source.media_types, target.media_types)) return;
  const brought = source.media_types?.join(', ');
  faults.push({
    code: 'media_type_mismatch',
    message: `${describe(edge.from)} brings ${brought}, but "${edge.to.port}" takes ${target.media_types?.join(', ')}.`,
    node_key: edge.to.node,
    port: edge.to.port,
    pointer,
  });
}

const describe = (from: EdgeSource) =>
  'node' in from ? `The output "${from.port}" of "${from.node}"` : `The input "${from.input}"`;

function checkCardinality(
  source: Source,
  target: InputPort,
  { edge, pointer, lookup, faults }: Place,
) {
  if (target.cardinality === 'many') return;
  const problem = tooManyFor(roleOf(edge, lookup), source, 'node' in edge.from);
  if (problem === null) return;
  faults.push({
    code: 'cardinality_mismatch',
    message: `${describe(edge.from)} ${problem}, but "${edge.to.port}" takes a single file.`,
    node_key: edge.to.node,
    port: edge.to.port,
    pointer,
  });
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

function checkRatio({ edge, pointer, faults }: Place) {
  const ratio = edge.min_success_ratio;
  if (ratio === undefined || (ratio >= 0 && ratio <= 1)) return;
  faults.push({
    code: 'bad_ratio',
    message: 'The least ratio of successes is a number from 0 to 1.',
    node_key: edge.to.node,
    port: edge.to.port,
    pointer: `${pointer}/min_success_ratio`,
  });
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
        const message = `The input "${port.name}" of "${key}" takes one edge, not ${here.length}.`;
        const pointer = `/edges/${second[0]}`;
        faults.push({ code: 'multiple_edges_to_single_port', message, ...at, pointer });
      } else {
        faults.push(...repetitions(here).map((fault) => ({ ...fault, ...at })));
      }
    }
  }
  return faults;
}

function repetitions(edges: [number, GraphEdge][]): Fault[] {
  const seen = new Set<string>();
  return edges.flatMap(([position, { from }]): Fault[] => {
    const source = JSON.stringify('node' in from ? [from.node, from.port] : [from.input]);
    const again = seen.has(source);
    seen.add(source);
    const message = 'This edge is there twice.';
    return again ? [{ code: 'duplicate_edge', message, pointer: `/edges/${position}` }] : [];
  });
}
