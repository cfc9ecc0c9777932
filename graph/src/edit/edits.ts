/**
 * What an editor does to a graph, as functions of graphs. What a command does not touch stays the
 * same object, so that a view draws only what has changed. A command that has nothing to do returns
 * the graph itself.
 */
import { isObject } from '../json.ts';
import type {
  Graph,
  GraphEdge,
  GraphInput,
  GraphNode,
  GraphNote,
  GraphVariable,
} from '../types.ts';
import { edgeId, sameJson } from './changes.ts';
import { withVariableRenamed } from './renaming.ts';

export type Point = { x: number; y: number };
type Size = GraphNote['size'];

/** What a node takes from its definition. */
export type Addable = { id: number; name: string; title?: string | undefined };

const longestKey = 64;

/** A key that is free: the title in small letters, with a number if it is taken. */
export const keyFor = (graph: Graph, title: string): string =>
  freeName(title, new Set(graph.nodes.map(({ key }) => key)), 'node');

/** The name of an input or a variable that is free. */
export const inputNameFor = (graph: Graph, wish: string): string =>
  freeName(wish, new Set(graph.inputs.map(({ name }) => name)), 'files');

export const variableNameFor = (graph: Graph, wish: string): string =>
  freeName(wish, new Set(graph.variables.map((one) => one.variable_name)), 'value');

/** The wish as a key that validation allows, and that is not taken. */
export function freeName(wish: string, taken: ReadonlySet<string>, otherwise: string): string {
  const plain = wish
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/gu, '_')
    .replace(/^[^a-z]+|[_-]+$/gu, '')
    .slice(0, longestKey);
  const base = plain || otherwise;
  for (let count = 1; ; count++) {
    const ending = count === 1 ? '' : `_${count}`;
    const name = base.slice(0, longestKey - ending.length) + ending;
    if (!taken.has(name)) return name;
  }
}

type NewNode = { key?: string; title?: string; position?: Point };

/** @param wanted its key is one that is free, if it is not given. */
export function addNode(graph: Graph, definition: Addable, wanted: NewNode = {}): Graph {
  const title = wanted.title ?? definition.title ?? definition.name;
  const node: GraphNode = {
    key: wanted.key ?? keyFor(graph, title),
    node_definition_id: definition.id,
    title,
    ...(wanted.position && { position: wanted.position }),
  };
  return { ...graph, nodes: [...graph.nodes, node] };
}

/** With their edges; notes remain, but are no longer about them. */
export function removeNodes(graph: Graph, keys: Iterable<string>): Graph {
  const gone = new Set(keys);
  const nodes = graph.nodes.filter(({ key }) => !gone.has(key));
  if (nodes.length === graph.nodes.length) return graph;
  const isLeft = ({ from, to }: GraphEdge) =>
    !gone.has(to.node) && !('node' in from && gone.has(from.node));
  return withoutKeysInNotes({ ...graph, nodes, edges: kept(graph.edges, isLeft) }, gone);
}

function withoutKeysInNotes(graph: Graph, gone: ReadonlySet<string>): Graph {
  return changeNotes(graph, (note) =>
    note.node_keys?.some((key) => gone.has(key))
      ? { ...note, node_keys: note.node_keys.filter((key) => !gone.has(key)) }
      : note,
  );
}

/** The same list if nothing was left out. */
function kept<Item>(items: Item[], isKept: (item: Item) => boolean): Item[] {
  const left = items.filter(isKept);
  return left.length === items.length ? items : left;
}

/** An edge that is there already is not added again. */
export function connect(graph: Graph, edge: GraphEdge): Graph {
  const id = edgeId(edge);
  if (graph.edges.some((one) => edgeId(one) === id)) return graph;
  return { ...graph, edges: [...graph.edges, edge] };
}

export function disconnect(graph: Graph, edge: GraphEdge): Graph {
  const id = edgeId(edge);
  const edges = kept(graph.edges, (one) => edgeId(one) !== id);
  return edges === graph.edges ? graph : { ...graph, edges };
}

/** @param ratio of successes that a gather waits for; undefined: all of them. */
export function setRatio(graph: Graph, edge: GraphEdge, ratio: number | undefined): Graph {
  const id = edgeId(edge);
  const edges = graph.edges.map((one) =>
    edgeId(one) === id ? withField(one, 'min_success_ratio', ratio) : one,
  );
  return changedList(graph, 'edges', edges);
}

type Settable = Exclude<keyof GraphNode, 'key' | 'params'>;

/** @param value undefined takes the field away. */
export function setNodeField<Field extends Settable>(
  graph: Graph,
  key: string,
  field: Field,
  value: GraphNode[Field] | undefined,
): Graph {
  return changeNode(graph, key, (node) => withField(node, field, value));
}

/** @param value undefined takes the param away, so that its default applies. */
export function setParam(graph: Graph, key: string, name: string, value: unknown): Graph {
  return changeNode(graph, key, (node) => {
    const { [name]: before, ...others } = node.params ?? {};
    if (sameJson(before, value)) return node;
    if (value !== undefined) return { ...node, params: { ...node.params, [name]: value } };
    return withField(node, 'params', Object.keys(others).length > 0 ? others : undefined);
  });
}

export function moveNodes(graph: Graph, positions: ReadonlyMap<string, Point>): Graph {
  const nodes = graph.nodes.map((node) => {
    const position = positions.get(node.key);
    return position ? withField(node, 'position', position) : node;
  });
  return changedList(graph, 'nodes', nodes);
}

/** Also in its edges and in notes about it. Does nothing if the key is taken. */
export function renameKey(graph: Graph, key: string, newKey: string): Graph {
  if (key === newKey || graph.nodes.some((node) => node.key === newKey)) return graph;
  const end = <End extends GraphEdge['from'] | GraphEdge['to']>(it: End): End =>
    'node' in it && it.node === key ? { ...it, node: newKey } : it;
  const renamed = changeNode(graph, key, (node) => ({ ...node, key: newKey }));
  const edges = renamed.edges.map((edge) => withEnds(edge, end(edge.from), end(edge.to)));
  return changeNotes(changedList(renamed, 'edges', edges), (note) =>
    note.node_keys?.includes(key)
      ? { ...note, node_keys: note.node_keys.map((one) => (one === key ? newKey : one)) }
      : note,
  );
}

const withEnds = (edge: GraphEdge, from: GraphEdge['from'], to: GraphEdge['to']): GraphEdge =>
  from === edge.from && to === edge.to ? edge : { ...edge, from, to };

export function addInput(graph: Graph, input: GraphInput): Graph {
  if (graph.inputs.some(({ name }) => name === input.name)) return graph;
  return { ...graph, inputs: [...graph.inputs, input] };
}

/** With its edges. */
export function removeInput(graph: Graph, name: string): Graph {
  const inputs = kept(graph.inputs, (input) => input.name !== name);
  const edges = kept(graph.edges, ({ from }) => 'node' in from || from.input !== name);
  return inputs === graph.inputs ? graph : { ...graph, inputs, edges };
}

/** Also in its edges. Does nothing if the name is taken. */
export function renameInput(graph: Graph, name: string, newName: string): Graph {
  if (name === newName || graph.inputs.some((input) => input.name === newName)) return graph;
  const inputs = graph.inputs.map((input) =>
    input.name === name ? { ...input, name: newName } : input,
  );
  const edges = graph.edges.map((edge) =>
    !('node' in edge.from) && edge.from.input === name
      ? { ...edge, from: { input: newName } }
      : edge,
  );
  return changedList(changedList(graph, 'inputs', inputs), 'edges', edges);
}

export function setInput(
  graph: Graph,
  name: string,
  mediaTypes: GraphInput['media_types'] | undefined,
): Graph {
  const inputs = graph.inputs.map((input) =>
    input.name === name ? withField(input, 'media_types', mediaTypes) : input,
  );
  return changedList(graph, 'inputs', inputs);
}

export function addVariable(graph: Graph, variable: GraphVariable): Graph {
  const { variable_name } = variable;
  if (graph.variables.some((one) => one.variable_name === variable_name)) return graph;
  return { ...graph, variables: [...graph.variables, variable] };
}

export function removeVariable(graph: Graph, name: string): Graph {
  const variables = kept(graph.variables, (one) => one.variable_name !== name);
  return variables === graph.variables ? graph : { ...graph, variables };
}

/** The declaration of a variable; its name stays. */
export function setVariable(
  graph: Graph,
  name: string,
  declaration: Omit<GraphVariable, 'variable_name'>,
): Graph {
  const variables = graph.variables.map((one) => {
    if (one.variable_name !== name) return one;
    const changed: GraphVariable = { ...declaration, variable_name: name };
    return sameJson(one, changed) ? one : changed;
  });
  return changedList(graph, 'variables', variables);
}

/** Also where params and conditions refer to it. Does nothing if the name is taken. */
export function renameVariable(graph: Graph, name: string, newName: string): Graph {
  const { variables } = graph;
  if (name === newName || variables.some((one) => one.variable_name === newName)) return graph;
  const renamed = variables.map((one) =>
    one.variable_name === name ? { ...one, variable_name: newName } : one,
  );
  const nodes = graph.nodes.map((node) => withVariableRenamed(node, name, newName));
  return changedList(changedList(graph, 'variables', renamed), 'nodes', nodes);
}

type NewNote = { text: string; position: Point; size: Size; node_keys?: string[] };

/** @param id chosen by the caller, at random, so that two people do not choose the same one. */
export function addNote(graph: Graph, id: string, note: NewNote): Graph {
  return { ...graph, notes: [...(graph.notes ?? []), { id, ...note }] };
}

export function setNote(graph: Graph, id: string, fields: Partial<NewNote>): Graph {
  return changeNotes(graph, (note) => {
    const changed = { ...note, ...fields };
    return note.id !== id || sameJson(note, changed) ? note : changed;
  });
}

export function removeNote(graph: Graph, id: string): Graph {
  const notes = kept(graph.notes ?? [], (note) => note.id !== id);
  return notes === graph.notes || !graph.notes ? graph : { ...graph, notes };
}

/** A node changed by a function; the graph itself if that returns the node itself. */
export function changeNode(
  graph: Graph,
  key: string,
  change: (node: GraphNode) => GraphNode,
): Graph {
  const nodes = graph.nodes.map((node) => (node.key === key ? change(node) : node));
  return changedList(graph, 'nodes', nodes);
}

function changeNotes(graph: Graph, change: (note: GraphNote) => GraphNote): Graph {
  return graph.notes ? changedList(graph, 'notes', graph.notes.map(change)) : graph;
}

function changedList<List extends keyof Graph>(
  graph: Graph,
  list: List,
  items: NonNullable<Graph[List]>,
): Graph {
  const before: readonly unknown[] = graph[list] ?? [];
  const isSame = before.length === items.length && before.every((item, at) => item === items[at]);
  return isSame ? graph : { ...graph, [list]: items };
}

/** The entity with one field set, or without it. */
function withField<Entity extends object, Field extends keyof Entity & string>(
  entity: Entity,
  field: Field,
  value: Entity[Field] | undefined,
): Entity {
  if (sameJson(isObject(entity) ? entity[field] : undefined, value)) return entity;
  if (value !== undefined) return { ...entity, [field]: value };
  const { [field]: _, ...rest } = entity;
  return rest as Entity;
}
