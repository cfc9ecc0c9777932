/**
 * The plan of a graph: computed once, with everything the kernel looks up at each step. Pure. The
 * graph of a run never changes, so a plan can be cached by the graph's hash.
 */
import { registryOf } from '@cogworks/graph/image-reference';
import { type Domain, type EdgeRole, edgeRoles, laneDomains } from '@cogworks/graph/lanes';
import { childrenOf, leafKeys, topologicalOrder } from '@cogworks/graph/order';
import { withDefaults } from '@cogworks/graph/schema';
import { renderParams } from '@cogworks/graph/template';
import type { Cardinality, Graph, GraphEdge, GraphNode } from '@cogworks/graph/types';
import type { NodeDefinition } from '../../resources/node_definitions/schema.ts';

export type PlannedEdge = {
  edge: GraphEdge;
  role: EdgeRole;
  /** Cardinality of the target port. */
  cardinality: Cardinality;
  /** Position of the source node; undefined if the edge comes from an input of the graph. */
  source: number | undefined;
};

export type PlannedNode = {
  key: string;
  /** Position in topological order. */
  position: number;
  node: GraphNode;
  definition: NodeDefinition;
  /** Registry server of its image; null if the image is no valid reference. */
  registry: string | null;
  /** What its lanes are; null if the node runs once. */
  domain: Domain | null;
  /** Whether no node follows: its outputs are results of the run. */
  leaf: boolean;
  incoming: PlannedEdge[];
  /** Positions of the nodes that follow. */
  children: number[];
};

export type Plan = {
  graph: Graph;
  /** In topological order: the node at `position` is `nodes[position]`. */
  nodes: PlannedNode[];
  /** The same nodes, by key. */
  byKey: ReadonlyMap<string, PlannedNode>;
  /** Size of the graph and its definitions as JSON. */
  bytes: number;
};

/** @throws Error if a definition is missing, although the graph was validated before. */
export function planGraph(graph: Graph, definitions: ReadonlyMap<number, NodeDefinition>): Plan {
  const roles = edgeRoles(graph, definitions);
  const domains = laneDomains(graph, definitions);
  const leaves = new Set(leafKeys(graph));
  const children = childrenOf(graph);
  const nodeByKey = new Map(graph.nodes.map((node) => [node.key, node]));
  const edges = Map.groupBy(
    graph.edges.map((edge, index) => ({ edge, role: roles[index] as EdgeRole })),
    ({ edge }) => edge.to.node,
  );
  const order = topologicalOrder(graph);
  const positions = new Map(order.map((key, position) => [key, position]));

  const nodes = order.map((key, position): PlannedNode => {
    const node = nodeByKey.get(key) as GraphNode;
    const definition = definitions.get(node.node_definition_id);
    if (!definition) throw new Error(`Node ${key} has no definition ${node.node_definition_id}.`);
    const cardinalities = new Map(definition.inputs.map((port) => [port.name, port.cardinality]));
    return {
      key,
      position,
      node,
      definition,
      registry: registryOf(definition.image),
      domain: domains.get(key) ?? null,
      leaf: leaves.has(key),
      incoming: (edges.get(key) ?? []).map(({ edge, role }) => ({
        edge,
        role,
        cardinality: cardinalities.get(edge.to.port) ?? 'one',
        source: 'node' in edge.from ? (positions.get(edge.from.node) as number) : undefined,
      })),
      children: (children.get(key) ?? []).map((child) => positions.get(child) as number),
    };
  });
  const used = [...new Set(nodes.map(({ definition }) => definition))];
  const bytes = JSON.stringify(graph).length + JSON.stringify(used).length;
  return { graph, nodes, byKey: new Map(nodes.map((node) => [node.key, node])), bytes };
}

/** Params of a node with the run's variables substituted and defaults applied. */
export const paramsOf = (
  { node, definition }: Pick<PlannedNode, 'node' | 'definition'>,
  variables: Record<string, unknown>,
): Record<string, unknown> =>
  withDefaults(definition.params, renderParams(node.params ?? {}, variables));

/** Whether two nodes run over the same lanes. */
export const isSameDomain = (a: Domain | null, b: Domain | null): boolean =>
  a !== null &&
  b !== null &&
  (a.kind === 'input'
    ? b.kind === 'input' && a.input === b.input
    : b.kind === 'output' && a.node === b.node && a.port === b.port);
