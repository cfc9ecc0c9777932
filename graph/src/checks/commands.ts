import { isSecretParam } from '../params.ts';
import { declaredParams } from '../schema.ts';
import { parameterEnvironmentName, referencesIn, type TemplateReference } from '../template.ts';
import type { Definition, Definitions, Fault, Graph, GraphNode } from '../types.ts';
import { guesser } from '../variables.ts';
import { unknownVariable } from './names.ts';

/** References in the commands of the definitions that a graph uses. */
export function commandFaults(graph: Graph, definitions: Definitions): Fault[] {
  const variables = new Set(graph.variables.map(({ variable_name }) => variable_name));
  const guess = guesser([...variables.keys()]);
  const references = new Map<Definition, TemplateReference[]>();
  return graph.nodes.flatMap((node, position) => {
    const definition = definitions.get(node.node_definition_id);
    if (!definition) return [];

    const found = references.get(definition) ?? definition.command.flatMap(referencesIn);
    references.set(definition, found);
    const at = { node_key: node.key, pointer: `/nodes/${position}/node_definition_id` };
    return found.flatMap((reference): Fault[] => {
      if (reference.kind === 'vars') {
        return variables.has(reference.name)
          ? []
          : [unknownVariable(reference.name, guess(reference.name), at)];
      }
      const fault = commandFault(reference, definition, node);
      return fault === null ? [] : [{ ...fault, ...at }];
    });
  });
}

/** The fault of a reference, in a definition alone or as used by a node. */
export function commandFault(
  { text, kind, name }: TemplateReference,
  definition: Pick<Definition, 'inputs' | 'params'>,
  node?: GraphNode,
): { code: 'bad_template' | 'secret_in_command'; message: string } | null {
  const bad = (message: string) => ({ code: 'bad_template' as const, message });
  switch (kind) {
    case 'params':
      if (isSecretParam(definition.params, name)) {
        return { code: 'secret_in_command', message: secretInCommand(text, name) };
      }
      if (declaredParams(definition.params).has(name)) return null;
      return Object.hasOwn(node?.params ?? {}, name)
        ? null
        : bad(`{{${text}}}: there is no such param.`);
    case 'inputs':
      return definition.inputs.some((port) => port.name === name)
        ? null
        : bad(`{{${text}}}: there is no such input.`);
    case 'file':
      // A node that runs once has a file too, if one port takes a single one.
      return node?.map || definition.inputs.some(({ cardinality }) => cardinality !== 'many')
        ? null
        : bad(`{{${text}}}: the node does not work on a single file.`);
    case 'unknown':
      return bad(`{{${text}}} refers to nothing.`);
    default:
      return null;
  }
}

/** Every user of the worker's machine can see the arguments of processes. */
const secretInCommand = (text: string, name: string) =>
  `{{${text}}} is a secret, and the arguments of a command can be seen by others on the worker's machine. Read ${parameterEnvironmentName(name)} or /data/params.json in the program instead.`;
