/** What makes a refused wire possible. Each fix is offered only if it leaves no new fault. */
import { mediaTypesOverlap } from '../assign.ts';
import { edgeFaults, faultsOfEdge } from '../checks/edges.ts';
import { findCycles } from '../cycles.ts';
import { resolveLanes } from '../lanes.ts';
import { inputPort, type Lookup, lookUp, outputPort } from '../lookup.ts';
import { paramFaults } from '../params.ts';
import type { Definition, Definitions, Fault, Graph, GraphEdge, GraphNode } from '../types.ts';
import { addNode, connect, disconnect, keyFor, setNodeField } from './edits.ts';

/** `words` say what will be done, as on a button. */
export type Fix = { words: string; apply: (graph: Graph) => Graph };

const mostConverters = 3;

type Wiring = {
  graph: Graph;
  definitions: Definitions;
  edge: GraphEdge;
  code: Fault['code'];
  lookup: Lookup;
  /** The graph without what leads to the port already, if that takes one wire. */
  freed: (now: Graph) => Graph;
};

/** @param code why the edge is refused. */
export function fixesFor(
  graph: Graph,
  definitions: Definitions,
  edge: GraphEdge,
  code: Fault['code'],
): Fix[] {
  const lookup = lookUp(graph, definitions);
  const port = inputPort(lookup.nodes.get(edge.to.node)?.definition, edge.to.port);
  if (!port) return [];
  const freed = (now: Graph) =>
    port.cardinality === 'many' ? now : wiresTo(now, edge.to).reduce(disconnect, now);
  const wiring = { graph, definitions, edge, code, lookup, freed };

  const before = wireFaults(graph, definitions);
  const isSound = ({ apply }: Fix) =>
    [...wireFaults(apply(graph), definitions)].every((fault) => before.has(fault));
  const sound = simpleFixes(wiring).filter(isSound);
  const converters = code === 'multiple_edges_to_single_port' ? [] : convertersFor(wiring);
  const found = [...sound, ...converters.filter(isSound).slice(0, mostConverters)];
  const replaces = code !== 'multiple_edges_to_single_port' && freed(graph) !== graph;
  return replaces ? found.map(sayReplaced) : found;
}

const sayReplaced = ({ words, apply }: Fix): Fix => ({
  words: `${words}, instead of the wire that is there`,
  apply,
});

/** The faults of wires, each as a text, to compare two graphs. */
function wireFaults(graph: Graph, definitions: Definitions): Set<string> {
  const faults = [
    ...edgeFaults(graph, lookUp(graph, definitions)),
    ...resolveLanes(graph, definitions).problems,
  ].map(({ code, message }) => `${code} ${message}`);
  return new Set([...faults, ...findCycles(graph).map((path) => path.join(' '))]);
}

const wiresTo = (graph: Graph, { node, port }: GraphEdge['to']) =>
  graph.edges.filter(({ to }) => to.node === node && to.port === port);

const titleOf = (graph: Graph, key: string) =>
  graph.nodes.find((node) => node.key === key)?.title || key;

function simpleFixes(wiring: Wiring): Fix[] {
  switch (wiring.code) {
    case 'multiple_edges_to_single_port':
      return [replaceFix(wiring)];
    case 'cardinality_mismatch':
      return [mapFix(wiring)];
    case 'lane_mismatch':
      return [onceFix(wiring)];
    default:
      return [];
  }
}

function replaceFix({ graph, edge, freed }: Wiring): Fix {
  const names = wiresTo(graph, edge.to).map(({ from }) =>
    'node' in from ? titleOf(graph, from.node) : from.input,
  );
  return {
    words: `Replace the wire from ${names.join(' and ')}`,
    apply: (now) => connect(freed(now), edge),
  };
}

/** Once for each file: the target, and what behind it takes its files one by one. */
function mapFix({ graph, definitions, edge, freed }: Wiring): Fix {
  const apply = (now: Graph) => withMap(connect(freed(now), edge), definitions, edge.to.node);
  const others = countMapped(apply(graph)) - countMapped(graph) - 1;
  const title = titleOf(graph, edge.to.node);
  const behind = others === 1 ? 'the node' : `the ${others} nodes`;
  const who = others > 0 ? `${title} and ${behind} behind it` : title;
  return { words: `Run ${who} once for each file`, apply };
}

const countMapped = (graph: Graph) => graph.nodes.filter(({ map }) => map).length;

/** Sets `map` of a node, and of those behind it that would get many files where they take one. */
export function withMap(graph: Graph, definitions: Definitions, key: string): Graph {
  let mapped = setNodeField(graph, key, 'map', true);
  const open = [key];
  for (const node of open) {
    const lookup = lookUp(mapped, definitions);
    const unfit = mapped.edges.filter(
      (edge) =>
        'node' in edge.from &&
        edge.from.node === node &&
        !lookup.nodes.get(edge.to.node)?.node.map &&
        faultsOfEdge(edge, lookup).some(({ code }) => code === 'cardinality_mismatch'),
    );
    for (const { to } of unfit) {
      mapped = setNodeField(mapped, to.node, 'map', true);
      open.push(to.node);
    }
  }
  return mapped;
}

/** Not once for each file, but once. */
const onceFix = ({ graph, edge, freed }: Wiring): Fix => ({
  words: `Run ${titleOf(graph, edge.to.node)} once for all files`,
  apply: (now) => connect(setNodeField(freed(now), edge.to.node, 'map', undefined), edge),
});

/** Definitions of the catalogue that take what the source gives, and give what the target takes. */
function convertersFor(wiring: Wiring): Fix[] {
  const { definitions, edge, lookup, code } = wiring;
  const wanted = inputPort(lookup.nodes.get(edge.to.node)?.definition, edge.to.port)?.media_types;
  const given = givenTypes(wiring);
  const isGather = code === 'cardinality_mismatch' || code === 'lane_mismatch';
  return latest(definitions).flatMap((definition) => {
    const required = definition.inputs.filter(({ cardinality }) => cardinality !== 'optional');
    if (required.length > 1 || paramFaults(definition, {}).length > 0) return [];
    const input = definition.inputs.find(
      (port) =>
        (!isGather || port.cardinality === 'many') && mediaTypesOverlap(given, port.media_types),
    );
    const output = definition.outputs.find(({ media_type }) =>
      // Something that gives anything is no converter.
      media_type ? mediaTypesOverlap([media_type], wanted) : isGather,
    );
    if (!input || !output) return [];
    const between = { definition, input: input.name, output: output.name };
    return waysOf(wiring)
      .flatMap((map) => fittingFix(wiring, { ...between, map }))
      .slice(0, 1);
  });
}

/** Whether to try it once for each file, and in which order. */
function waysOf({ edge, lookup, code }: Wiring): boolean[] {
  const source = 'node' in edge.from ? lookup.nodes.get(edge.from.node)?.node : undefined;
  const isMapped = source?.map || lookup.nodes.get(edge.to.node)?.node.map;
  return code === 'media_type_mismatch' && isMapped ? [true, false] : [false, true];
}

function givenTypes({ edge: { from }, lookup }: Wiring) {
  if (!('node' in from)) return lookup.inputs.get(from.input)?.media_types;
  const port = outputPort(lookup.nodes.get(from.node)?.definition, from.port);
  return port?.media_type ? [port.media_type] : null;
}

/** Of each name the version that was added last. */
function latest(definitions: Definitions): Definition[] {
  const byName = new Map<string, Definition>();
  for (const definition of definitions.values()) {
    const other = byName.get(definition.name);
    if (!other || other.id < definition.id) byName.set(definition.name, definition);
  }
  return [...byName.values()];
}

type Between = { definition: Definition; input: string; output: string; map: boolean };

function fittingFix({ graph, definitions, edge, freed }: Wiring, between: Between): Fix[] {
  const { graph: wired, added } = withBetween(freed(graph), edge, between);
  const lookup = lookUp(wired, definitions);
  if (added.some((one) => faultsOfEdge(one, lookup).length > 0)) return [];
  return [
    {
      words: `Put ${titleFor(between.definition)} between`,
      apply: (now) => withBetween(freed(now), edge, between).graph,
    },
  ];
}

const titleFor = (definition: Definition & { title?: string }) =>
  definition.title || definition.name;

function withBetween(graph: Graph, edge: GraphEdge, { definition, input, output, map }: Between) {
  const title = titleFor(definition);
  const key = keyFor(graph, title);
  const position = middleOf(graph, edge);
  const node = addNode(graph, { ...definition, title }, { key, ...(position && { position }) });
  const mapped = map ? setNodeField(node, key, 'map', true) : node;
  const added: GraphEdge[] = [
    { from: edge.from, to: { node: key, port: input } },
    { from: { node: key, port: output }, to: edge.to },
  ];
  return { graph: added.reduce((wired, one) => connect(wired, one), mapped), added };
}

function middleOf(graph: Graph, { from, to }: GraphEdge): GraphNode['position'] {
  const positionOf = (key: string) => graph.nodes.find((node) => node.key === key)?.position;
  const [a, b] = ['node' in from ? positionOf(from.node) : undefined, positionOf(to.node)];
  return a && b && { x: Math.round((a.x + b.x) / 2), y: Math.round((a.y + b.y) / 2) };
}
