/**
 * A graph by name instead of by position. Maps, never plain objects: a node may be called
 * `__proto__` before its key has been checked.
 */
import type { Definition, Definitions, EdgeSource, Graph, GraphInput, GraphNode } from './types.ts';

export type KnownNode = { node: GraphNode; position: number; definition: Definition | undefined };
export type Lookup = { nodes: Map<string, KnownNode>; inputs: Map<string, GraphInput> };

/** Of duplicate names, the first one counts. */
export function lookUp(graph: Graph, definitions: Definitions): Lookup {
  const nodes = new Map<string, KnownNode>();
  graph.nodes.forEach((node, position) => {
    if (nodes.has(node.key)) return;
    nodes.set(node.key, { node, position, definition: definitions.get(node.node_definition_id) });
  });

  const inputs = new Map<string, GraphInput>();
  for (const input of graph.inputs) if (!inputs.has(input.name)) inputs.set(input.name, input);

  return { nodes, inputs };
}

/** The key of an edge's source node; null if it comes from a graph input. */
export function sourceNode(from: EdgeSource): string | null {
  return 'node' in from ? from.node : null;
}

export function inputPort(definition: Definition | undefined, name: string) {
  return definition?.inputs.find((port) => port.name === name);
}

export function outputPort(definition: Definition | undefined, name: string) {
  return definition?.outputs.find((port) => port.name === name);
}
