/**
 * The part of a graph that leads to one of its nodes: a graph of its own, whose only leaf is that
 * node. Its nodes run as they do in the whole graph.
 */
import { usedVariables } from './checks/warnings.ts';
import { lookUp } from './lookup.ts';
import { withAncestors } from './order.ts';
import type { Definitions, Graph } from './types.ts';

/**
 * The node, all that leads to it, and the inputs of the graph that they take files from. All variables
 * stay, so that the same values can be given; those that no node of the part uses are not required.
 * Notes do not: they are about the whole.
 *
 * @param graph any graph; faults of the part remain in it, others do not.
 * @returns undefined if no node has that key.
 */
export function partUntil(graph: Graph, key: string, definitions: Definitions): Graph | undefined {
  if (!graph.nodes.some((node) => node.key === key)) return undefined;
  const keys = withAncestors(graph, [key]);
  const nodes = graph.nodes.filter((node) => keys.has(node.key));
  const edges = graph.edges.filter(({ to }) => keys.has(to.node));
  const taken = new Set(edges.map(({ from }) => ('node' in from ? undefined : from.input)));
  const inputs = graph.inputs.filter(({ name }) => taken.has(name));

  const { notes: _, ...rest } = graph;
  const part = { ...rest, nodes, edges, inputs };
  const used = usedVariables(part, lookUp(part, definitions));
  const variables = graph.variables.map((variable) =>
    variable.required && !used.has(variable.variable_name)
      ? { ...variable, required: false }
      : variable,
  );
  return { ...part, variables };
}
