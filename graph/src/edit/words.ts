/** Changes of a graph in words: for the history, notices of merges, publishing and comparisons. */
import { isObject, own } from '../json.ts';
import { isSecret } from '../params.ts';
import { declaredParams } from '../schema.ts';
import type { Definitions, Graph, GraphEdge, GraphNode } from '../types.ts';
import {
  type Change,
  edgeId,
  type FieldChange,
  type ListName,
  type OrderChange,
  type Presence,
  stepsOf,
} from './changes.ts';

/** What happened to one thing. `drawn`: only where it stands or how it is called. */
export type Told = {
  mark: 'added' | 'removed' | 'changed' | 'drawn';
  list: ListName;
  id: string;
  words: string;
};

/** The graphs between which the changes are. */
export type Between = { before: Graph; after: Graph; definitions: Definitions };

/** Of one thing after another; several of one node stay together. */
export function tellChanges(changes: readonly Change[], between: Between): Told[] {
  const names = namesOf(between);
  const gone = new Set(
    changes.flatMap((one) => (one.type === 'remove' && one.list === 'nodes' ? one.id : [])),
  );
  return changes
    .filter((change) => !isEdgeOf(change, gone))
    .flatMap((change) => tellChange(change, names));
}

function tellChange(change: Change, names: Names): Told[] {
  switch (change.type) {
    case 'add':
    case 'remove':
      return [tellPresence(change, names)];
    case 'set':
      return tellField(change, names);
    case 'order':
      return [tellOrder(change)];
    case 'list':
      return [];
  }
}

/** The same, short: what was only moved is counted. */
export function wordsOf(changes: readonly Change[], between: Between): string[] {
  const told = tellChanges(changes, between);
  const moved = told.filter(isMove);
  const others = told.filter((one) => !isMove(one)).map(({ words }) => words);
  if (moved.length <= 1) return [...others, ...moved.map(({ words }) => words)];
  const nodes = moved.filter(({ list }) => list === 'nodes').length;
  const notes = moved.length - nodes;
  const parts = [numberOf(nodes, 'node'), numberOf(notes, 'note')].filter(Boolean);
  return [...others, `Moved ${parts.join(' and ')}`];
}

const isMove = ({ mark, words }: Told) => mark === 'drawn' && words.startsWith('Moved ');

const numberOf = (count: number, one: string) =>
  count === 0 ? '' : count === 1 ? `1 ${one}` : `${count} ${one}s`;

/** Whether a change is one of the drawing alone, which nothing that runs depends on. */
export function isDrawing(change: Change): boolean {
  if (change.list === 'notes') return true;
  return (
    change.type === 'set' &&
    change.list === 'nodes' &&
    (change.pointer === '/position' || change.pointer === '/title')
  );
}

/** The wires of a node that is removed go without a word. */
function isEdgeOf(change: Change, gone: ReadonlySet<string>): boolean {
  if (change.type !== 'remove' || change.list !== 'edges') return false;
  const { from, to } = change.value as GraphEdge;
  return gone.has(to.node) || ('node' in from && gone.has(from.node));
}

type Names = {
  node: (key: string) => string;
  edge: (id: string) => string;
  param: (key: string, name: string) => string;
  definition: (id: unknown) => string;
};

function namesOf({ before, after, definitions }: Between): Names {
  const nodes = new Map([...before.nodes, ...after.nodes].map((one) => [one.key, one]));
  const edges = new Map([...before.edges, ...after.edges].map((one) => [edgeId(one), one]));
  const node = (key: string) => nameOf(nodes.get(key), key);
  return {
    node,
    edge: (id) => {
      const edge = edges.get(id);
      return edge ? wireOf(edge, node) : 'a wire';
    },
    param: (key, name) => {
      const definition = definitions.get(nodes.get(key)?.node_definition_id ?? 0);
      const title = own(declaredParams(definition?.params).get(name), 'title');
      return typeof title === 'string' && title !== '' ? title : name;
    },
    definition: (id) => {
      const definition = definitions.get(Number(id));
      if (!definition) return `definition ${id}`;
      // The version of a shipped one is a checksum.
      return definition.scope === 'platform'
        ? definition.name
        : `${definition.name} ${definition.version}`;
    },
  };
}

const nameOf = (node: GraphNode | undefined, key: string) =>
  node?.title || key.split('\0')[0] || '';

const wireOf = ({ from, to }: GraphEdge, node: (key: string) => string) =>
  `${'node' in from ? node(from.node) : from.input} to ${node(to.node)}`;

const things = {
  inputs: 'input',
  variables: 'variable',
  nodes: 'node',
  edges: 'wire',
  notes: 'note',
};

function tellPresence({ type, list, id, value }: Presence, names: Names): Told {
  const mark = type === 'add' ? 'added' : 'removed';
  const verb = type === 'add' ? 'Added' : 'Removed';
  const tell = (words: string): Told => ({ mark, list, id, words });
  switch (list) {
    case 'nodes':
      return tell(`${verb} ${nameOf(value as GraphNode, id)}`);
    case 'edges': {
      const wire = wireOf(value as GraphEdge, names.node);
      return tell(type === 'add' ? `Connected ${wire}` : `Removed the wire from ${wire}`);
    }
    case 'notes':
      return tell(`${verb} a note`);
    default:
      return tell(`${verb} the ${things[list]} ${id}`);
  }
}

const tellOrder = ({ list }: OrderChange): Told => ({
  mark: 'changed',
  list,
  id: '',
  words: `Changed the order of ${things[list]}s`,
});

function tellField(change: FieldChange, names: Names): Told[] {
  const { list, id, pointer } = change;
  const words = wordsForField(change, names);
  if (words === null) return [];
  const isDrawn = isDrawing(change) && (pointer === '/position' || list === 'nodes');
  return [{ mark: isDrawn ? 'drawn' : 'changed', list, id, words }];
}

function wordsForField(change: FieldChange, names: Names): string | null {
  const { list, id, pointer, before, after } = change;
  const [field = ''] = stepsOf(pointer);
  switch (list) {
    case 'nodes':
      return wordsForNode(change, names);
    case 'edges':
      return after === undefined
        ? `The wire from ${names.edge(id)} waits for all files`
        : `The wire from ${names.edge(id)} waits for ${percent(after)} of the files`;
    case 'inputs':
      return `${id} takes ${Array.isArray(after) && after.length > 0 ? after.join(', ') : 'any file'}`;
    case 'variables':
      return fromTo(`${labels[field] ?? field} of ${id}`, before, after);
    case 'notes':
      return pointer === '/position'
        ? 'Moved a note'
        : `Changed a note${field === 'size' ? '’s size' : ''}`;
  }
}

const labels: Record<string, string> = {
  type: 'Type',
  default: 'Default',
  required: 'Whether a value is required',
  description: 'Description',
  enum: 'Choices',
  minimum: 'Minimum',
  maximum: 'Maximum',
  pattern: 'Pattern',
};

const percent = (ratio: unknown) => `${Math.round(Number(ratio) * 1000) / 10} %`;

function wordsForNode({ id, pointer, before, after }: FieldChange, names: Names): string | null {
  const name = names.node(id);
  const [field, param, ...inner] = stepsOf(pointer);
  switch (field) {
    case 'position':
      return `Moved ${name}`;
    case 'title':
      return `Renamed ${before ?? id.split('\0')[0]} to ${after ?? id.split('\0')[0]}`;
    case 'map':
      return after === true ? `${name} runs once for each file` : `${name} runs once`;
    case 'when':
      return after === undefined ? `${name} runs always` : `${name} runs if ${shown(after)}`;
    case 'on_error':
      return after === 'continue'
        ? `If ${name} fails, the run goes on`
        : `If ${name} fails, what follows it is not run`;
    case 'node_definition_id':
      return usesWords(name, names.definition(after), names.definition(before));
    case 'params': {
      if (param === undefined) return null;
      return fromTo(`${[names.param(id, param), ...inner].join('.')} of ${name}`, before, after);
    }
    default:
      return `Changed ${field} of ${name}`;
  }
}

function fromTo(what: string, before: unknown, after: unknown): string | null {
  // An object that only holds what is told by itself.
  if (before === undefined && isObject(after) && Object.keys(after).length === 0) return null;
  if (after === undefined && isObject(before) && Object.keys(before).length === 0) return null;
  if (before === undefined) return `${what} set to ${shown(after)}`;
  if (after === undefined) return `${what} no longer ${shown(before)}`;
  return `${what} ${shown(before)} → ${shown(after)}`;
}

const longestValue = 60;

/** A value as text. Of a secret only its name is known here. */
export function shown(value: unknown): string {
  if (isSecret(value)) return `the secret ${value.$secret}`;
  const text = typeof value === 'string' ? `“${value}”` : (JSON.stringify(value) ?? 'nothing');
  const letters = [...text.slice(0, 2 * longestValue)];
  return letters.length > longestValue ? `${letters.slice(0, longestValue).join('')}…` : text;
}

const usesWords = (name: string, after: string, before: string): string =>
  after === before
    ? `${name} uses another version of ${after}`
    : `${name} uses ${after} instead of ${before}`;
