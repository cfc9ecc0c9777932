/** Where steps and notes stand, and moving them. Each change is one step of undo. */
import { moveNodes, type Point, setNote } from '@cogworks/graph/edit/edits';
import type { Definitions, Graph } from '@cogworks/graph/types';
import { plural, t } from '@lingui/core/macro';
import type { Editor, EditorState } from '../editor.ts';
import { nodeSize, nodeWidth } from '../layout/geometry.ts';
import { type Places, placesOf, tidied } from '../layout/places.ts';
import { idIn, selectedKeys } from '../selection.ts';
import { titleOf } from '../step-words.ts';
import { stepsAndNotes } from './counted.ts';

/** As wide as between the layers of a tidy canvas. */
export const layerGap = 112;

export const placesNow = ({ graph, definitions }: EditorState): Places =>
  placesOf(graph, definitions);

/** Before something gets a position, all others keep the ones they are shown at. */
export function withPlaces(graph: Graph, definitions: Definitions): Graph {
  if (graph.nodes.every(({ position }) => position)) return graph;
  return moveNodes(graph, placesOf(graph, definitions).nodes);
}

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
    nextX += nodeWidth + layerGap;
    nextY += height + 24;
  }
  editor.edit(plural(boxes.length, { one: 'Aligned # step', other: 'Aligned # steps' }), (graph) =>
    moveNodes(withPlaces(graph, definitions), positions),
  );
}
