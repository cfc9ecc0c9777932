/** What keys, menus and the pointer do to the graph. Each is one step of undo. */
import { edgeId } from '@cogworks/graph/edit/changes';
import {
  type Addable,
  addNode,
  addNote,
  connect,
  disconnect,
  keyFor,
  moveNodes,
  type Point,
  removeInput,
  removeNodes,
  removeNote,
  setNote,
} from '@cogworks/graph/edit/edits';
import type { Definitions, Graph, GraphEdge } from '@cogworks/graph/types';
import { plural, t } from '@lingui/core/macro';
import type { Editor, EditorState } from '../editor.ts';
import { idIn, nodeId, selectedKeys } from '../selection.ts';
import { titleOf } from '../step-words.ts';
import { nodeSize, nodeWidth } from './geometry.ts';
import { type Places, placesOf, tidied } from './places.ts';

/** As wide as between the layers of a tidy canvas. */
const beside = 112;

export const placesNow = ({ graph, definitions }: EditorState): Places =>
  placesOf(graph, definitions);

/** Before something gets a position, all others keep the ones they are shown at. */
export function withPlaces(graph: Graph, definitions: Definitions): Graph {
  if (graph.nodes.every(({ position }) => position)) return graph;
  return moveNodes(graph, placesOf(graph, definitions).nodes);
}

/** Nodes with their wires, wires alone, inputs and notes. */
export function deleteSelected(editor: Editor): string | undefined {
  const { selection } = editor.getState();
  const of = (kind: 'node' | 'input' | 'note' | 'edge') =>
    [...selection].flatMap((id) => idIn(kind, id) ?? []);
  const [nodes, inputs, notes, edges] = [of('node'), of('input'), of('note'), new Set(of('edge'))];
  const { graph } = editor.getState();
  const things = thingsOf(graph, { nodes, inputs, notes, wires: edges.size });
  const words = t`Deleted ${things}`;
  const before = graph;
  editor.edit(words, (graph) => {
    const wires = graph.edges.filter((edge) => edges.has(edgeId(edge)));
    const cut = wires.reduce((left, edge) => disconnect(left, edge), graph);
    const withoutNotes = notes.reduce((left, id) => removeNote(left, id), removeNodes(cut, nodes));
    return inputs.reduce((left, name) => removeInput(left, name), withoutNotes);
  });
  editor.select([]);
  return editor.getState().graph === before ? undefined : words;
}

type Gone = { nodes: string[]; inputs: string[]; notes: string[]; wires: number };

function thingsOf(graph: Graph, { nodes, inputs, notes, wires }: Gone): string {
  const [only] = nodes;
  const parts = [
    nodes.length === 1 && only !== undefined ? titleOf(graph, only) : stepsWords(nodes.length),
    inputs.length > 0 && plural(inputs.length, { one: '# input', other: '# inputs' }),
    notesWords(notes.length),
    wires > 0 && plural(wires, { one: '# connection', other: '# connections' }),
  ];
  return parts.filter(Boolean).join(', ');
}

const stepsWords = (steps: number) =>
  steps > 0 && plural(steps, { one: '# step', other: '# steps' });
const notesWords = (notes: number) =>
  notes > 0 && plural(notes, { one: '# note', other: '# notes' });

/** As "2 steps, 1 note"; what there is none of is not named. */
export const stepsAndNotes = (steps: number, notes: number): string =>
  [stepsWords(steps), notesWords(notes)].filter(Boolean).join(', ');

function movedWords(graph: Graph, keys: readonly string[], notes: number): string {
  const [only] = keys;
  const things =
    keys.length === 1 && only !== undefined && notes === 0
      ? titleOf(graph, only)
      : stepsAndNotes(keys.length, notes);
  return t`Moved ${things}`;
}

/** @param to new positions by ids of the canvas. */
export function moveTo(editor: Editor, to: ReadonlyMap<string, Point>, group?: string): void {
  const nodes = new Map<string, Point>();
  const notes = new Map<string, Point>();
  for (const [id, { x, y }] of to) {
    const point = { x: Math.round(x), y: Math.round(y) };
    const key = idIn('node', id);
    if (key !== undefined) nodes.set(key, point);
    const note = idIn('note', id);
    if (note !== undefined) notes.set(note, point);
  }
  editor.edit(
    movedWords(editor.getState().graph, [...nodes.keys()], notes.size),
    (graph) => {
      const placed = nodes.size > 0 ? withPlaces(graph, editor.getState().definitions) : graph;
      const moved = moveNodes(placed, nodes);
      return [...notes].reduce((left, [id, position]) => setNote(left, id, { position }), moved);
    },
    group === undefined ? {} : { group },
  );
}

/** Also gives positions to what is moved and had none. */
export function moveSelectedBy(editor: Editor, by: Point, group: string): void {
  const state = editor.getState();
  const places = placesNow(state);
  const to = new Map<string, Point>();
  for (const id of state.selection) {
    const key = idIn('node', id);
    const note = state.graph.notes?.find((one) => `note:${one.id}` === id);
    const at = note?.position ?? (key === undefined ? undefined : places.nodes.get(key));
    if (at) to.set(id, { x: at.x + by.x, y: at.y + by.y });
  }
  if (to.size > 0) moveTo(editor, to, group);
}

export function tidy(editor: Editor): void {
  editor.edit(t`Tidied the canvas`, (graph) =>
    moveNodes(graph, tidied(graph, editor.getState().definitions).nodes),
  );
}

export const alignments = {
  left: t`Align left edges`,
  top: t`Align top edges`,
  column: t`Spread evenly, top to bottom`,
  row: t`Spread evenly, left to right`,
} as const;
export type Alignment = keyof typeof alignments;

export function align(editor: Editor, how: Alignment): void {
  const state = editor.getState();
  const { graph, definitions } = state;
  const places = placesNow(state);
  const keys = new Set(selectedKeys(state));
  const boxes = graph.nodes
    .filter(({ key }) => keys.has(key))
    .map((node) => ({
      key: node.key,
      ...(places.nodes.get(node.key) ?? { x: 0, y: 0 }),
      height: nodeSize(node, definitions.get(node.node_definition_id)).height,
    }));
  if (boxes.length < 2) return;
  const [left, top] = [Math.min(...boxes.map(({ x }) => x)), Math.min(...boxes.map(({ y }) => y))];
  const positions = new Map<string, Point>();
  let [nextX, nextY] = [left, top];
  const isRow = how === 'row' || how === 'top';
  for (const { key, x, y, height } of boxes.toSorted((a, b) => (isRow ? a.x - b.x : a.y - b.y))) {
    if (how === 'left') positions.set(key, { x: left, y });
    if (how === 'top') positions.set(key, { x, y: top });
    if (how === 'column') positions.set(key, { x, y: nextY });
    if (how === 'row') positions.set(key, { x: nextX, y });
    nextX += nodeWidth + beside;
    nextY += height + 24;
  }
  editor.edit(plural(boxes.length, { one: 'Aligned # step', other: 'Aligned # steps' }), (graph) =>
    moveNodes(withPlaces(graph, definitions), positions),
  );
}

type Wanted = {
  /** Else behind the node that is selected, or beside all others. */
  at?: Point | undefined;
  /** What to connect it with, given its key. */
  wires?: ((key: string) => GraphEdge[]) | undefined;
};

/** @returns the key of the node, which is selected then. */
export function addDefinition(
  editor: Editor,
  definition: Addable,
  { at, wires = () => [] }: Wanted = {},
): string {
  const state = editor.getState();
  const title = definition.title ?? definition.name;
  const key = keyFor(state.graph, title);
  const position = at ?? freePlace(state);
  editor.edit(t`Added ${title}`, (graph) => {
    const placed = withPlaces(graph, state.definitions);
    const added = addNode(placed, definition, { key, position });
    return wires(key).reduce((whole, edge) => connect(whole, edge), added);
  });
  editor.select([nodeId(key)]);
  return key;
}

/** Right of the node that is selected last, else right of all; never on another node. */
export function freePlace(state: EditorState): Point {
  const { graph, definitions } = state;
  const places = placesNow(state);
  const boxes = graph.nodes.map((node) => ({
    ...(places.nodes.get(node.key) ?? { x: 0, y: 0 }),
    height: nodeSize(node, definitions.get(node.node_definition_id)).height,
  }));
  const chosen = selectedKeys(state).at(-1);
  const from = chosen === undefined ? undefined : places.nodes.get(chosen);
  const last = boxes.reduce<Point | undefined>((a, b) => (a && a.x >= b.x ? a : b), undefined);
  const start = from ?? last;
  let at = start ? { x: start.x + nodeWidth + beside, y: start.y } : { x: 0, y: 0 };
  for (;;) {
    const hit = boxes.find(
      ({ x, y, height }) =>
        Math.abs(x - at.x) < nodeWidth + 16 && at.y < y + height + 16 && at.y + 120 > y,
    );
    if (!hit) return at;
    at = { x: at.x, y: hit.y + hit.height + 24 };
  }
}

/** A note at a place, or a frame around the nodes that are selected. @returns its id. */
export function addNoteAt(editor: Editor, at: Point, keys: readonly string[]): string {
  const id = newNoteId();
  const text = keys.length > 0 ? t`Frame` : '';
  const position = { x: Math.round(at.x), y: Math.round(at.y) };
  const node_keys = keys.length > 0 ? { node_keys: [...keys] } : {};
  editor.edit(keys.length > 0 ? t`Framed steps` : t`Added a note`, (graph) =>
    addNote(graph, id, { text, position, size: noteSize, ...node_keys }),
  );
  editor.select([`note:${id}`]);
  return id;
}

export const noteSize = { width: 240, height: 96 };
export const newNoteId = () => `n${crypto.getRandomValues(new Uint32Array(2)).join('')}`;
