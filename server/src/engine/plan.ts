/**
 * The plan of a run: its graph, read once, with everything answered that the kernel asks again
 * and again while it settles. Pure; a run's graph never changes, so whoever plans gets the same.
 */
import { type Domain, type EdgeRole, edgeRoles, laneDomains } from '@cogworks/graph/lanes';
import { childrenOf, leafKeys, topologicalOrder } from '@cogworks/graph/order';
import { withDefaults } from '@cogworks/graph/schema';
import { renderParams } from '@cogworks/graph/template';
import type { Cardinality, Graph, GraphEdge, GraphNode } from '@cogworks/graph/types';
import type { NodeDefinition } from '../resources/node_definitions/schema.ts';

export type PlannedEdge = {
  edge: GraphEdge;
  role: EdgeRole;
  /** Cardinality of the port it leads to. */
  cardinality: Cardinality;
  /** The node it comes from; none where it comes from an input of the graph. */
  source: string | undefined;
};

export type PlannedNode = {
  key: string;
  /** Place in topological order. */
  position: number;
  node: GraphNode;
  definition: NodeDefinition;
  /** What its lanes are; null where the node runs once. */
  domain: Domain | null;
  /** No node follows: its outputs are the run's results. */
  leaf: boolean;
  incoming: PlannedEdge[];
  children: string[];
  /** Params with variables put in and defaults filled. */
  params: Record<string, unknown>;
};

export type Plan = {
  graph: Graph;
  variables: Record<string, unknown>;
  /** In topological order. */
  nodes: Map<string, PlannedNode>;
};

/** @throws Error when a definition is missing: the graph was validated before it got here. */
export function planRun(
  graph: Graph,
  definitions: ReadonlyMap<number, NodeDefinition>,
  variables: Record<string, unknown>,
): Plan {
  const roles = edgeRoles(graph, definitions);
  const domains = laneDomains(graph, definitions);
  const leaves = new Set(leafKeys(graph));
  const children = childrenOf(graph);
  const nodeByKey = new Map(graph.nodes.map((node) => [node.key, node]));
  const edges = Map.groupBy(
    graph.edges.map((edge, index) => ({ edge, role: roles[index] as EdgeRole })),
    ({ edge }) => edge.to.node,
  );

  const nodes = new Map<string, PlannedNode>();
  topologicalOrder(graph).forEach((key, position) => {
    const node = nodeByKey.get(key) as GraphNode;
    const definition = definitions.get(node.node_definition_id);
    if (!definition) throw new Error(`Node ${key} has no definition ${node.node_definition_id}.`);
    const cardinalities = new Map(definition.inputs.map((port) => [port.name, port.cardinality]));
    nodes.set(key, {
      key,
      position,
      node,
      definition,
      domain: domains.get(key) ?? null,
      leaf: leaves.has(key),
      incoming: (edges.get(key) ?? []).map(({ edge, role }) => ({
        edge,
        role,
        cardinality: cardinalities.get(edge.to.port) ?? 'one',
        source: 'node' in edge.from ? edge.from.node : undefined,
      })),
      children: children.get(key) ?? [],
      params: withDefaults(definition.params, renderParams(node.params ?? {}, variables)),
    });
  });
  return { graph, variables, nodes };
}

/** Nodes that run along one domain, those of `domain`'s own. */
export function nodesOfDomain(plan: Plan, domain: Domain): PlannedNode[] {
  const name = JSON.stringify(domain);
  return [...plan.nodes.values()].filter(
    (node) => node.domain && JSON.stringify(node.domain) === name,
  );
}
