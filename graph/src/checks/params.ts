import { countValues, isObject, pointerTo, tooDeep } from '../json.ts';
import { paramFaults, withUnknowns } from '../params.ts';
import { graphBudget } from '../schema.ts';
import { referencesIn } from '../template.ts';
import type { Definitions, Fault, Graph, GraphNode, GraphVariable } from '../types.ts';
import { guesser } from '../variables.ts';
import { unknownVariable } from './names.ts';

/**
 * Params are composed at every step of a run; 90,000 keys of one node took half a second of the
 * server each time. A table of that size belongs in a file.
 */
export const maxParamValues = 5_000;

/** References from params to variables, and params against the schemas of their definitions. */
export function nodeParamFaults(graph: Graph, definitions: Definitions): Fault[] {
  const variables = new Map(graph.variables.map((variable) => [variable.variable_name, variable]));
  const guess = guesser([...variables.keys()]);
  const budget = graphBudget();
  return graph.nodes.flatMap((node, position) => {
    const pointer = `/nodes/${position}/params`;
    if (tooDeep(node.params)) return [badParam(node, pointer, 'are nested too deeply')];
    if (countValues(node.params, maxParamValues) > maxParamValues) return [tooMany(node, pointer)];

    const definition = definitions.get(node.node_definition_id);
    const params = node.params ?? {};
    const unfit = definition
      ? paramFaults(definition, withUnknowns(params, variables), budget)
      : [];
    return [
      ...textsIn(params, pointer).flatMap((text) => referenceFaults(text, node, guess, variables)),
      ...unfit.map((fault) => badParam(node, pointer + fault.pointer, fault.message)),
    ];
  });
}

function badParam({ key }: GraphNode, pointer: string, what: string): Fault {
  const [name] = pointer.split('/').slice(4);
  const subject = name === undefined ? 'The params' : `The param "${name}"`;
  return { code: 'bad_param', message: `${subject} of "${key}" ${what}.`, node_key: key, pointer };
}

function tooMany({ key }: GraphNode, pointer: string): Fault {
  return {
    code: 'too_many_params',
    message: `The params of "${key}" hold more than ${maxParamValues} values. Give a table as an input file instead.`,
    node_key: key,
    pointer,
  };
}

type Text = { text: string; pointer: string };

/** Every string within a JSON value, with its pointer. */
export function textsIn(value: unknown, pointer: string): Text[] {
  if (typeof value === 'string') return [{ text: value, pointer }];
  if (!Array.isArray(value) && !isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => textsIn(item, pointerTo(pointer, key)));
}

function referenceFaults(
  { text, pointer }: Text,
  node: GraphNode,
  guess: (name: string) => string | null,
  variables: ReadonlyMap<string, GraphVariable>,
): Fault[] {
  const at = { node_key: node.key, pointer };
  return referencesIn(text).flatMap((reference): Fault[] => {
    if (reference.kind !== 'vars') {
      const message = `{{${reference.text}}} has no meaning in params; they can refer to vars.`;
      return [{ code: 'bad_template', message, ...at }];
    }
    return variables.has(reference.name)
      ? []
      : [unknownVariable(reference.name, guess(reference.name), at)];
  });
}
