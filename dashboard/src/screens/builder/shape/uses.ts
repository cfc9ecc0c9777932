/** Where the variables and inputs of a workflow are used. Pure. */
import { textsIn } from '@cogworks/graph/checks/params';
import { referencesOf } from '@cogworks/graph/expression';
import { parseExpression } from '@cogworks/graph/expression-syntax';
import { referencesIn } from '@cogworks/graph/template';
import type { Definitions, Graph, GraphNode } from '@cogworks/graph/types';

/** The keys of the nodes that use a variable: in params, conditions, or their definition's command. */
export function nodesUsing(graph: Graph, definitions: Definitions, name: string): string[] {
  return graph.nodes
    .filter((node) => {
      const command = definitions.get(node.node_definition_id)?.command ?? [];
      const texts = [...textsIn(node.params ?? {}, '').map(({ text }) => text), ...command];
      const inTexts = texts
        .flatMap(referencesIn)
        .some((reference) => reference.kind === 'vars' && reference.name === name);
      return inTexts || isInCondition(node, name);
    })
    .map(({ key }) => key);
}

function isInCondition({ when }: GraphNode, name: string): boolean {
  const parsed = when ? parseExpression(when) : null;
  if (!parsed || 'fault' in parsed) return false;
  return referencesOf(parsed.ast).some(({ root, name: own }) => root === 'vars' && own === name);
}

/** The keys of the nodes that take files of an input. */
export function nodesTaking(graph: Graph, name: string): string[] {
  const edges = graph.edges.filter(({ from }) => !('node' in from) && from.input === name);
  return [...new Set(edges.map(({ to }) => to.node))];
}
