/** What mends a fault with one click. Faults are those of validateGraph for this very graph. */
import { referencesOf } from '../expression.ts';
import { parseExpression } from '../expression-syntax.ts';
import { own } from '../json.ts';
import { lookUp } from '../lookup.ts';
import { declaredParams } from '../schema.ts';
import { referencesIn } from '../template.ts';
import type {
  Definitions,
  Fault,
  Graph,
  GraphEdge,
  GraphNode,
  GraphVariable,
  VariableType,
} from '../types.ts';
import { variableTypes } from '../types.ts';
import { nearest } from '../variables.ts';
import { applyChanges, stepsOf } from './changes.ts';
import {
  addInput,
  addVariable,
  changeNode,
  connect,
  disconnect,
  freeName,
  inputNameFor,
  removeInput,
  removeNodes,
  removeVariable,
  setNodeField,
  setNote,
  setParam,
  setRatio,
} from './edits.ts';
import { verdictsTo } from './ports.ts';
import { withVariableRenamed } from './renaming.ts';
import { type Fix, fixesFor } from './wiring.ts';

/** What a mend looks at: the fault, and what its pointer leads to. */
type Place = {
  fault: Fault;
  graph: Graph;
  definitions: Definitions;
  steps: string[];
  node: GraphNode | undefined;
  edge: GraphEdge | undefined;
};

export function mendsFor(fault: Fault, graph: Graph, definitions: Definitions): Fix[] {
  const steps = stepsOf(fault.pointer ?? '');
  const at = Number(steps[1]);
  const place: Place = {
    fault,
    graph,
    definitions,
    steps,
    node: steps[0] === 'nodes' ? graph.nodes[at] : undefined,
    edge: steps[0] === 'edges' ? graph.edges[at] : undefined,
  };
  return mends[fault.code]?.(place) ?? [];
}

const mends: { [Code in Fault['code']]?: (place: Place) => Fix[] } = {
  unknown_variable: mendVariable,
  missing_required_input: mendMissingInput,
  nothing_to_map: ({ node }) => (node ? [once(node)] : []),
  lane_mismatch: ({ node }) => (node ? [once(node)] : []),
  bad_param: mendParam,
  bad_template: mendParam,
  bad_when: ({ node }) => (node?.when === undefined ? [] : [withoutCondition(node)]),
  bad_ratio: ({ edge }) => (edge ? [waitForAll(edge)] : []),
  media_type_mismatch: mendWire,
  cardinality_mismatch: mendWire,
  multiple_edges_to_single_port: mendTakenPort,
  duplicate_edge: mendRepeatedWire,
  unknown_input: ({ edge }) => (edge ? [...addMissingInput(edge), withoutWire(edge)] : []),
  unknown_node: ({ edge }) => (edge ? [withoutWire(edge)] : []),
  unknown_port: ({ edge }) => (edge ? [withoutWire(edge)] : []),
  cycle: mendCycle,
  unused_variable: mendUnusedVariable,
  unused_input: mendUnusedInput,
  dead_node: ({ node }) => (node ? [withoutNode(node)] : []),
  unknown_definition: ({ node }) => (node ? [withoutNode(node)] : []),
  duplicate_key: ({ steps, graph }) => renameAt(graph, 'nodes', 'key', Number(steps[1])),
  duplicate_input: ({ steps, graph }) => renameAt(graph, 'inputs', 'name', Number(steps[1])),
  duplicate_variable: ({ steps, graph }) =>
    renameAt(graph, 'variables', 'variable_name', Number(steps[1])),
  bad_variable: mendDeclaration,
  note_of_unknown_node: mendNote,
};

const titleOf = ({ title, key }: GraphNode) => title || key;

const once = (node: GraphNode): Fix => ({
  words: `Run ${titleOf(node)} once for all files`,
  apply: (graph) => setNodeField(graph, node.key, 'map', undefined),
});

const withoutCondition = (node: GraphNode): Fix => ({
  words: 'Remove the condition',
  apply: (graph) => setNodeField(graph, node.key, 'when', undefined),
});

const waitForAll = (edge: GraphEdge): Fix => ({
  words: 'Wait for all files',
  apply: (graph) => setRatio(graph, edge, undefined),
});

const withoutWire = (edge: GraphEdge): Fix => ({
  words: 'Remove the wire',
  apply: (graph) => disconnect(graph, edge),
});

const withoutNode = (node: GraphNode): Fix => ({
  words: `Remove ${titleOf(node)}`,
  apply: (graph) => removeNodes(graph, [node.key]),
});

const addMissingInput = ({ from }: GraphEdge): Fix[] =>
  'node' in from
    ? []
    : [
        {
          words: `Add the input ${from.input}`,
          apply: (graph) => addInput(graph, { name: from.input }),
        },
      ];

/** The variables that a node refers to at this place, and that are not declared. */
function mendVariable({ graph, definitions, steps, node }: Place): Fix[] {
  if (!node) return [];
  const names = graph.variables.map(({ variable_name }) => variable_name);
  const used = usedAt(node, steps.slice(2), definitions);
  const unknown = [...new Set(used)].filter((name) => !names.includes(name));
  return unknown.flatMap((name): Fix[] => {
    const near = steps[2] === 'node_definition_id' ? null : nearest(name, names);
    const declaration = declarationFor(name, node, steps.slice(2), definitions);
    return [
      ...(near === null ? [] : [useInstead(node, name, near)]),
      { words: `Declare the variable ${name}`, apply: (now) => addVariable(now, declaration) },
    ];
  });
}

const useInstead = (node: GraphNode, name: string, near: string): Fix => ({
  words: `Use ${near} instead of ${name}`,
  apply: (graph) => changeNode(graph, node.key, (now) => withVariableRenamed(now, name, near)),
});

function usedAt(node: GraphNode, steps: string[], definitions: Definitions): string[] {
  const inTexts = (texts: readonly unknown[]) =>
    texts
      .flatMap((text) => (typeof text === 'string' ? referencesIn(text) : []))
      .flatMap(({ kind, name }) => (kind === 'vars' ? name : []));
  if (steps[0] === 'node_definition_id') {
    return inTexts(definitions.get(node.node_definition_id)?.command ?? []);
  }
  if (steps[0] === 'params') return inTexts([valueAt(node, steps)]);
  const parsed = parseExpression(node.when ?? '');
  const references = 'ast' in parsed ? referencesOf(parsed.ast) : [];
  return references.flatMap(({ root, name }) => (root === 'vars' ? name : []));
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce(
    (inner: unknown, step) => (Array.isArray(inner) ? inner[Number(step)] : own(inner, step)),
    value,
  );
}

/** Of the type of the param that it is to fill, if that is known. */
function declarationFor(
  name: string,
  node: GraphNode,
  [field, param = '']: string[],
  definitions: Definitions,
): GraphVariable {
  const { params } = definitions.get(node.node_definition_id) ?? {};
  const schema = field === 'params' ? declaredParams(params).get(param) : undefined;
  const type = variableTypes.find((one): one is VariableType => one === own(schema, 'type'));
  return { variable_name: name, type: type ?? 'string' };
}

const mostSources = 3;

/** What gives a port that lacks a wire what it takes; of a node, one that is not behind it. */
function mendMissingInput({ fault, graph, definitions, node }: Place): Fix[] {
  if (!node || fault.port === undefined) return [];
  const to = { node: node.key, port: fault.port };
  const fitting = [...verdictsTo(graph, definitions, to)].filter(([, { ok }]) => ok);
  const wires = fitting.map(([id]): GraphEdge => {
    const [name = '', port] = JSON.parse(id) as string[];
    return { from: port === undefined ? { input: name } : { node: name, port }, to };
  });
  const { nodes } = lookUp(graph, definitions);
  const port = nodes.get(node.key)?.definition?.inputs.find(({ name }) => name === fault.port);
  const name = inputNameFor(graph, fault.port);
  const media_types = port?.media_types?.length ? [...port.media_types] : undefined;
  return [
    ...wires.slice(0, mostSources).map((edge) => ({
      words: `Connect ${'node' in edge.from ? titleAt(graph, edge.from.node) : edge.from.input}`,
      apply: (now: Graph) => connect(now, edge),
    })),
    {
      words: `Take the files of a new input, ${name}`,
      apply: (now) =>
        connect(addInput(now, { name, ...(media_types && { media_types }) }), {
          from: { input: name },
          to,
        }),
    },
  ];
}

function titleAt(graph: Graph, key: string): string {
  const node = graph.nodes.find((one) => one.key === key);
  return node ? titleOf(node) : key;
}

function mendParam({ definitions, steps, node }: Place): Fix[] {
  const name = steps[3];
  if (!node || name === undefined || !Object.hasOwn(node.params ?? {}, name)) return [];
  const { params } = definitions.get(node.node_definition_id) ?? {};
  const property = declaredParams(params).get(name);
  const fallback = own(property, 'default');
  const required = own(params, 'required');
  if (fallback === undefined && Array.isArray(required) && required.includes(name)) return [];
  const words =
    fallback === undefined
      ? `Leave ${name} empty`
      : `Take the default, ${JSON.stringify(fallback)}`;
  return [{ words, apply: (graph) => setParam(graph, node.key, name, undefined) }];
}

/** As if the wire were drawn anew. */
function mendWire({ fault, graph, definitions, edge }: Place): Fix[] {
  if (!edge) return [];
  const without = disconnect(graph, edge);
  const fixes = fixesFor(without, definitions, edge, fault.code).map(({ words, apply }) => ({
    words,
    apply: (now: Graph) => apply(disconnect(now, edge)),
  }));
  return [...fixes, withoutWire(edge)];
}

function mendTakenPort({ graph, edge }: Place): Fix[] {
  if (!edge) return [];
  const { to } = edge;
  const here = graph.edges.filter((one) => one.to.node === to.node && one.to.port === to.port);
  return here.slice(0, mostSources).map((kept) => ({
    words: `Keep only the wire from ${'node' in kept.from ? titleAt(graph, kept.from.node) : kept.from.input}`,
    apply: (now) =>
      connect(
        here.reduce((rest, one) => disconnect(rest, one), now),
        kept,
      ),
  }));
}

function mendRepeatedWire({ edge }: Place): Fix[] {
  if (!edge) return [];
  const apply = (now: Graph) => connect(disconnect(now, edge), edge);
  return [{ words: 'Keep it once', apply }];
}

/** The last wire of the round is the likely mistake. */
function mendCycle({ fault: { path = [] }, graph }: Place): Fix[] {
  const [from, to] = path.slice(-2);
  const closing = graph.edges.filter(
    (edge) => 'node' in edge.from && edge.from.node === from && edge.to.node === to,
  );
  if (from === undefined || to === undefined || closing.length === 0) return [];
  return [
    {
      words: `Remove the wire from ${titleAt(graph, from)} to ${titleAt(graph, to)}`,
      apply: (now) => closing.reduce((rest, edge) => disconnect(rest, edge), now),
    },
  ];
}

function mendUnusedVariable({ graph, steps }: Place): Fix[] {
  const name = graph.variables[Number(steps[1])]?.variable_name;
  if (name === undefined) return [];
  return [{ words: `Remove the variable ${name}`, apply: (now) => removeVariable(now, name) }];
}

function mendUnusedInput({ graph, steps }: Place): Fix[] {
  const name = graph.inputs[Number(steps[1])]?.name;
  if (name === undefined) return [];
  return [{ words: `Remove the input ${name}`, apply: (now) => removeInput(now, name) }];
}

/** The second of two that share a name; wires and uses remain with the first. */
function renameAt(
  graph: Graph,
  list: 'nodes' | 'inputs' | 'variables',
  field: string,
  at: number,
): Fix[] {
  const names = graph[list].map((one) => String(own(one, field)));
  const name = names[at];
  if (name === undefined) return [];
  const free = freeName(name, new Set(names), 'name');
  return [
    {
      words: `Call the second one ${free}`,
      apply: (now) => ({
        ...now,
        [list]: now[list].map((one, index) =>
          index === at && own(one, field) === name ? { ...one, [field]: free } : one,
        ),
      }),
    },
  ];
}

/** Takes away what does not fit the rest of a declaration. */
function mendDeclaration({ graph, steps }: Place): Fix[] {
  const [, at, field = ''] = steps;
  const name = graph.variables[Number(at)]?.variable_name;
  if (name === undefined || !['default', 'pattern', 'maximum'].includes(field)) return [];
  const pointer = `/${field}`;
  const apply = (now: Graph) =>
    applyChanges(now, [{ type: 'set', list: 'variables', id: name, pointer }]);
  return [{ words: `Remove the ${field}`, apply }];
}

function mendNote({ fault, graph, steps }: Place): Fix[] {
  const note = graph.notes?.[Number(steps[1])];
  if (!note) return [];
  const node_keys = note.node_keys?.filter((key) => key !== fault.node_key) ?? [];
  const apply = (now: Graph) => setNote(now, note.id, { node_keys });
  return [{ words: `Let it no longer be about ${fault.node_key}`, apply }];
}
