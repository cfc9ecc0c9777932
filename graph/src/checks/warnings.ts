import { evaluate, referencesOf } from '../expression.ts';
import { parseExpression } from '../expression-syntax.ts';
import { tooDeep } from '../json.ts';
import type { Lookup } from '../lookup.ts';
import { leafKeys, withAncestors } from '../order.ts';
import { referencesIn } from '../template.ts';
import type { Fault, Graph, GraphNode } from '../types.ts';
import { textsIn } from './params.ts';

/** Valid constructs that are probably mistakes. */
export function warningsOf(graph: Graph, lookup: Lookup, acyclic: boolean): Fault[] {
  return [
    ...unusedVariables(graph, lookup),
    ...unusedInputs(graph),
    ...(acyclic ? deadNodes(graph, lookup) : []),
    ...withoutTimeout(lookup),
  ];
}

function unusedVariables(graph: Graph, lookup: Lookup): Fault[] {
  const used = usedVariables(graph, lookup);
  return graph.variables.flatMap(({ variable_name }, position): Fault[] => {
    if (used.has(variable_name)) return [];
    const message = `Nothing uses the variable "${variable_name}".`;
    return [{ code: 'unused_variable', message, pointer: `/variables/${position}` }];
  });
}

/** The names of the variables that params, conditions and commands of a graph refer to. */
export function usedVariables({ nodes }: Graph, lookup: Lookup): Set<string> {
  const used = new Set(nodes.flatMap(variablesInNode));
  const definitions = new Set(Array.from(lookup.nodes.values(), ({ definition }) => definition));
  for (const definition of definitions) {
    for (const name of variablesInTexts(definition?.command ?? [])) used.add(name);
  }
  return used;
}

function variablesInNode({ params, when }: GraphNode): string[] {
  const texts = tooDeep(params) ? [] : textsIn(params, '').map(({ text }) => text);
  const parsed = when ? parseExpression(when) : null;
  const references = parsed && 'ast' in parsed ? referencesOf(parsed.ast) : [];
  const inCondition = references.filter(({ root }) => root === 'vars').map(({ name }) => name);
  return [...variablesInTexts(texts), ...inCondition];
}

function variablesInTexts(texts: readonly string[]): string[] {
  const references = texts.flatMap(referencesIn);
  return references.filter(({ kind }) => kind === 'vars').map(({ name }) => name);
}

function unusedInputs(graph: Graph): Fault[] {
  const used = new Set(graph.edges.map(({ from }) => ('node' in from ? null : from.input)));
  return graph.inputs.flatMap(({ name }, position): Fault[] => {
    if (used.has(name)) return [];
    const message = `Nothing takes the files of the input "${name}".`;
    return [{ code: 'unused_input', message, pointer: `/inputs/${position}` }];
  });
}

/** Nodes that never run, and nodes whose work reaches no output of the run. */
function deadNodes(graph: Graph, lookup: Lookup): Fault[] {
  const useful = withAncestors(graph, leafKeys(graph).filter(hasOutput));
  return Array.from(lookup.nodes.values()).flatMap(({ node, position }): Fault[] => {
    const never = isNever(node);
    if (useful.has(node.key) && !never) return [];
    const message = never
      ? `The condition of "${node.key}" is always false.`
      : `Nothing of what "${node.key}" does reaches an output.`;
    return [{ code: 'dead_node', message, node_key: node.key, pointer: `/nodes/${position}` }];
  });

  function hasOutput(key: string) {
    const definition = lookup.nodes.get(key)?.definition;
    return definition === undefined || definition.outputs.length > 0;
  }
}

function isNever({ when }: GraphNode): boolean {
  const parsed = when ? parseExpression(when) : null;
  if (!parsed || 'fault' in parsed || referencesOf(parsed.ast).length > 0) return false;
  try {
    return !evaluate(parsed.ast, { vars: {}, params: {} });
  } catch {
    return false;
  }
}

function withoutTimeout(lookup: Lookup): Fault[] {
  return Array.from(lookup.nodes.values()).flatMap(({ node, position, definition }): Fault[] => {
    if (!definition || definition.timeout_seconds) return [];
    const message = `"${node.key}" may run for ever: its definition has no timeout.`;
    return [{ code: 'no_timeout', message, node_key: node.key, pointer: `/nodes/${position}` }];
  });
}
