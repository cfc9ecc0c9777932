import type { Definitions, Fault, Graph } from '../types.ts';

/** Also the format of variable names; it keeps `__proto__` out of every object. */
const key = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/u;
const keyInWords = 'a letter, then at most 63 letters, digits, _ or -';

export const isKey = (name: string) => key.test(name);

/** Malformed or duplicate keys and names, and missing definitions. */
export function nameFaults(graph: Graph, definitions: Definitions): Fault[] {
  const faults: Fault[] = [];
  const keys = new Set<string>();
  graph.nodes.forEach((node, position) => {
    const at = { node_key: node.key, pointer: `/nodes/${position}/key` };
    if (!isKey(node.key))
      faults.push({ code: 'bad_key', message: `A key is ${keyInWords}.`, ...at });
    if (keys.has(node.key)) {
      faults.push({
        code: 'duplicate_key',
        message: `Two nodes have the key "${node.key}".`,
        ...at,
      });
    }
    keys.add(node.key);

    if (!definitions.has(node.node_definition_id)) {
      faults.push({
        code: 'unknown_definition',
        message: `There is no node definition ${node.node_definition_id}.`,
        node_key: node.key,
        pointer: `/nodes/${position}/node_definition_id`,
      });
    }
  });

  const names = new Set<string>();
  graph.inputs.forEach(({ name }, position) => {
    const pointer = `/inputs/${position}/name`;
    if (!isKey(name)) {
      faults.push({ code: 'bad_key', message: `The name of an input is ${keyInWords}.`, pointer });
    }
    if (names.has(name)) {
      faults.push({
        code: 'duplicate_input',
        message: `Two inputs are called "${name}".`,
        pointer,
      });
    }
    names.add(name);
  });
  return faults;
}

/** @param near the likely intended name, if there is one. */
export function unknownVariable(
  name: string,
  near: string | null,
  at: { node_key: string; pointer: string },
): Fault {
  const hint = near === null ? '.' : `; did you mean "${near}"?`;
  return { code: 'unknown_variable', message: `There is no variable "${name}"${hint}`, ...at };
}
