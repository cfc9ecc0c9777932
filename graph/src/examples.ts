/** Short notations for graphs and definitions; for tests. */
import type { NodeCounts } from './steps.ts';
import type {
  Cardinality,
  Definition,
  Fault,
  Graph,
  GraphEdge,
  GraphNode,
  GraphVariable,
} from './types.ts';

/** `makes('image?', 'files*')`: one port each, `?` optional, `*` many. */
function ports(words: string[]): { name: string; cardinality: Cardinality }[] {
  return words.map((word) => {
    if (word.endsWith('*')) return { name: word.slice(0, -1), cardinality: 'many' };
    if (word.endsWith('?')) return { name: word.slice(0, -1), cardinality: 'optional' };
    return { name: word, cardinality: 'one' };
  });
}

export function definition(
  id: number,
  inputs: string[],
  outputs: string[],
  rest: Partial<Definition> = {},
): Definition {
  return {
    id,
    name: `definition-${id}`,
    version: '1.0.0',
    command: ['run'],
    inputs: ports(inputs),
    outputs: ports(outputs),
    timeout_seconds: 60,
    ...rest,
  };
}

/** Definitions 1 to 7: every way in which a node may take and give files. */
export const definitions = new Map(
  [
    definition(1, ['in'], ['out']),
    definition(2, ['in*'], ['out']),
    definition(3, ['in'], ['out*']),
    definition(4, ['in?'], ['out']),
    definition(5, [], ['out']),
    definition(6, ['left', 'right'], ['out']),
    definition(7, ['in*'], ['out*']),
  ].map((it) => [it.id, it]),
);

export function node(key: string, definitionId: number, rest: Partial<GraphNode> = {}): GraphNode {
  return { key, node_definition_id: definitionId, ...rest };
}

export const mapped = (key: string, definitionId: number, rest: Partial<GraphNode> = {}) =>
  node(key, definitionId, { map: true, ...rest });

/** `edge('a.out > b.in')`, and `edge('files > b.in')` from a graph input. */
export function edge(words: string, rest: Partial<GraphEdge> = {}): GraphEdge {
  const [source = '', target = ''] = words.split(' > ');
  const [node = '', port] = source.split('.');
  const [toNode = '', toPort = ''] = target.split('.');
  const from = port === undefined ? { input: node } : { node, port };
  return { from, to: { node: toNode, port: toPort }, ...rest };
}

export function graph(
  nodes: GraphNode[],
  edges: (string | GraphEdge)[] = [],
  rest: Partial<Graph> = {},
): Graph {
  const written = edges.map((it) => (typeof it === 'string' ? edge(it) : it));
  return { nodes, edges: written, inputs: [{ name: 'files' }], variables: [], ...rest };
}

export const width: GraphVariable = { variable_name: 'width', type: 'integer', default: 800 };

/** The schema of the params of a node. */
export const params = {
  type: 'object',
  properties: {
    width: { type: 'integer', minimum: 1 },
    label: { type: 'string', maxLength: 5 },
    token: { type: 'string', 'x-secret': true },
    nested: { type: 'object', properties: { 'a/b': { type: 'boolean' } } },
  },
  additionalProperties: false,
};

/** `code node port pointer`, without those that it does not name. */
export const brief = (fault: Fault) =>
  [fault.code, fault.node_key, fault.port, fault.pointer]
    .map((part) => part ?? '')
    .join(' ')
    .trim();

/** Of a node: nothing has ended yet, but for `rest`. */
export const counts = (expected: number | null, rest: Partial<NodeCounts> = {}): NodeCounts => ({
  expected,
  success: 0,
  failure: 0,
  cancelled: 0,
  skipped_by_condition: 0,
  skipped_upstream: 0,
  ...rest,
});
