/** Adds steps and notes, at a free place unless one is given. Each is one step of undo. */
import {
  type Addable,
  addNode,
  addNote,
  connect,
  keyFor,
  type Point,
} from '@cogworks/graph/edit/edits';
import type { GraphEdge } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import type { Editor, EditorState } from '../editor.ts';
import { nodeSize, nodeWidth } from '../layout/geometry.ts';
import { nodeId, selectedKeys } from '../selection.ts';
import { layerGap, placesNow, withPlaces } from './placing.ts';

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
  let at = start ? { x: start.x + nodeWidth + layerGap, y: start.y } : { x: 0, y: 0 };
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
