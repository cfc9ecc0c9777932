import { referencesOf } from '../expression.ts';
import type { Reference } from '../expression-syntax.ts';
import { parseExpression } from '../expression-syntax.ts';
import { type KnownType, typeFault } from '../expression-types.ts';
import { own } from '../json.ts';
import { typesOfVariable } from '../params.ts';
import { declaredParams } from '../schema.ts';
import type { Definition, Definitions, Fault, Graph, GraphNode, GraphVariable } from '../types.ts';
import { guesser } from '../variables.ts';
import { unknownVariable } from './names.ts';

type Scope = {
  node: GraphNode;
  definition: Definition | undefined;
  variables: ReadonlyMap<string, GraphVariable>;
};

/** Conditions that do not parse, use unknown names, or can never be evaluated. */
export function conditionFaults(graph: Graph, definitions: Definitions): Fault[] {
  const variables = new Map(graph.variables.map((variable) => [variable.variable_name, variable]));
  const guess = guesser([...variables.keys()]);
  return graph.nodes.flatMap((node, position): Fault[] => {
    if (node.when === undefined || node.when === null) return [];
    const at = { node_key: node.key, pointer: `/nodes/${position}/when` };
    const bad = ({ message, column }: { message: string; column: number }): Fault => ({
      code: 'bad_when',
      message: `Condition of "${node.key}", column ${column}: ${message}`,
      ...at,
    });

    const parsed = parseExpression(node.when);
    if ('fault' in parsed) return [bad(parsed.fault)];

    const scope = { node, definition: definitions.get(node.node_definition_id), variables };
    const unknown = referencesOf(parsed.ast).flatMap((reference): Fault[] => {
      if (reference.root === 'vars') {
        return variables.has(reference.name)
          ? []
          : [unknownVariable(reference.name, guess(reference.name), at)];
      }
      const message = unknownIn(scope, reference);
      return message === null ? [] : [bad({ message, column: reference.column })];
    });
    const fault = typeFault(parsed.ast, (reference) => typeIn(scope, reference));
    return fault ? [...unknown, bad(fault)] : unknown;
  });
}

function unknownIn({ node, definition }: Scope, { root, name }: Reference): string | null {
  if (root === 'file') return node.map ? null : 'There is a file only where "map" is set.';
  if (!definition || Object.hasOwn(node.params ?? {}, name)) return null;
  return declaredParams(definition.params).has(name) ? null : `There is no param "${name}".`;
}

function typeIn({ definition, variables }: Scope, { root, name }: Reference): KnownType {
  if (root === 'file') return name === 'size_bytes' ? 'number' : 'string';
  const variable = variables.get(name);
  if (root === 'vars') return variable ? inGeneral(typesOfVariable(variable)) : 'unknown';
  const type = own(declaredParams(definition?.params).get(name), 'type');
  return inGeneral([type]);
}

function inGeneral(types: unknown[]): KnownType {
  const known = new Set(types.map((type) => (type === 'integer' ? 'number' : type)));
  const [only] = known;
  if (known.size > 1) return 'unknown';
  return only === 'boolean' || only === 'number' || only === 'string' ? only : 'unknown';
}
