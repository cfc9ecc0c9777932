/** Between the editor and the library: what is drawn, and what the pointer changes of it. */
import { edgeId } from '@cogworks/graph/edit/changes';
import type { Graph } from '@cogworks/graph/types';
import { useCallbackRef, useDebouncedValue } from '@mantine/hooks';
import type { EdgeChange, NodeChange } from '@xyflow/react';
import { useMemo, useState } from 'react';
import type { Placed } from '../../../ui/graph-layout.ts';
import { type Editor, useEditorState } from '../editor.ts';
import { moveTo, placesNow } from '../edits/placing.ts';
import { faultCounts } from '../faults/places.ts';
import { placesOf } from '../layout/places.ts';
import { idIn } from '../selection.ts';
import { useStored } from '../store.ts';
import { useCanvasView } from './canvas-context.ts';
import { Flow, type FlowEdge, type FlowNode, type Moved } from './flow.ts';
import { frameOf } from './frames.ts';
import { drawnLanes } from './lanes-drawn.ts';
import { wiresAround } from './neighbours.ts';
import { KeptWays } from './ways/kept-ways.ts';

/** After the last edit: a key that is held down moves a card many times a second. */
const rest_ms = 120;

/** The graph as the library wants it, and what the library changes of it. */
export function useFlow(editor: Editor) {
  const view = useCanvasView();
  const graph = useEditorState((state) => state.graph);
  const definitions = useEditorState((state) => state.definitions);
  const selection = useEditorState((state) => state.selection);
  const faults = useEditorState((state) => state.faults);
  const current = useStored(view, (state) => state.current);
  const [flow] = useState(() => new Flow());
  const [ways] = useState(() => new KeptWays());
  const [moved, setMoved] = useState<Moved>(nothing);
  const places = useMemo(() => placesOf(graph, definitions), [graph, definitions]);
  const logic = useLogic(graph);
  const lanes = useMemo(() => drawnLanes(logic, definitions), [logic, definitions]);
  const counts = useMemo(() => faultCounts(faults, graph), [faults, graph]);
  const lit = useMemo(() => wiresAround(graph.edges, selection, edgeId), [graph.edges, selection]);
  // Tab has to lead to one card at first.
  const [first] = graph.nodes;
  const isThere = current !== undefined && isInGraph(graph, current);
  const shown = isThere ? current : first && `node:${first.key}`;
  const drawn = {
    graph,
    definitions,
    places,
    lanes,
    selection,
    current: shown,
    faults: counts,
    moved,
  };
  // Each stays one function: the library tells all of its cards of a new one.
  const changeNodes = useCallbackRef((changes: NodeChange<FlowNode>[]) => {
    const chosen = changes.find((change) => change.type === 'select' && change.selected);
    if (chosen && 'id' in chosen) view.set({ current: chosen.id });
    selectBy(editor, changes);
    const positions = changes.filter((change) => change.type === 'position');
    if (!changes.some(({ type }) => type === 'position' || type === 'dimensions')) return;
    const next = new Map(moved);
    for (const { id, position } of positions) {
      if (position) for (const [one, to] of withFramed(editor, id, position)) next.set(one, to);
    }
    const sizes = changes.filter((change) => change.type === 'dimensions');
    if (sizes.length > 0) {
      // The card of the note keeps the size when this ends.
      for (const { id, dimensions } of sizes) {
        if (dimensions) next.set(id, { ...placeOf(editor, id), ...next.get(id), ...dimensions });
      }
      return setMoved(sizes.some(({ resizing }) => resizing) ? next : nothing);
    }
    if (positions.some(({ dragging }) => dragging)) return setMoved(next);
    setMoved(nothing);
    if (next.size > 0) moveTo(editor, next);
  });
  const changeEdges = useCallbackRef((changes: EdgeChange<FlowEdge>[]) =>
    selectBy(editor, changes),
  );
  const unselectVariables = useCallbackRef(() => editor.select(withoutVariables(editor)));
  const nodes = flow.nodes(drawn);
  const [rested] = useDebouncedValue(graph, rest_ms);
  const isAtRest = moved.size === 0 && rested === graph;
  return {
    nodes,
    edges: ways.edges(nodes, flow.edges(drawn, lit), isAtRest),
    moved,
    changeNodes,
    changeEdges,
    unselectVariables,
    hasChosen: lit.size > 0,
  };
}

/** The graph as it was when something but positions changed last: lanes do not depend on those. */
function useLogic(graph: Graph): Graph {
  const [logic, setLogic] = useState(graph);
  if (logic === graph || isSameLogic(logic, graph)) return logic;
  setLogic(graph);
  return graph;
}

function isSameLogic(a: Graph, b: Graph): boolean {
  if (a.edges !== b.edges || a.inputs !== b.inputs) return false;
  if (a.nodes === b.nodes) return true;
  return (
    a.nodes.length === b.nodes.length &&
    a.nodes.every((one, index) => {
      const other = b.nodes[index];
      return (
        one === other ||
        (one.key === other?.key &&
          one.node_definition_id === other.node_definition_id &&
          one.map === other.map &&
          one.title === other.title)
      );
    })
  );
}

const nothing: Moved = new Map();

function isInGraph(graph: Graph, id: string): boolean {
  const [key, name, note] = [idIn('node', id), idIn('input', id), idIn('note', id)];
  return (
    graph.nodes.some((node) => node.key === key) ||
    graph.inputs.some((input) => input.name === name) ||
    (graph.notes ?? []).some((one) => one.id === note)
  );
}

function selectBy(
  editor: Editor,
  changes: readonly (NodeChange<FlowNode> | EdgeChange<FlowEdge>)[],
) {
  const chosen = changes.filter((change) => change.type === 'select');
  if (chosen.length === 0) return;
  const selection = new Set(withoutVariables(editor));
  for (const { id, selected } of chosen) {
    if (selected) selection.add(id);
    else selection.delete(id);
  }
  editor.select(selection);
}

/** Variables are not drawn, so the canvas does not tell when another thing is selected instead. */
const withoutVariables = (editor: Editor): string[] =>
  [...editor.getState().selection].filter((id) => idIn('variable', id) === undefined);

const placeOf = (editor: Editor, id: string): Placed =>
  editor.getState().graph.notes?.find((note) => `note:${note.id}` === id)?.position ?? {
    x: 0,
    y: 0,
  };

/** A frame takes its nodes along. */
function withFramed(editor: Editor, id: string, position: Placed): [string, Placed][] {
  const state = editor.getState();
  const note = state.graph.notes?.find((one) => `note:${one.id}` === id);
  const places = placesNow(state);
  const frame = note && frameOf(note, { ...state, places, moved: nothing });
  if (!note || !frame) return [[id, position]];
  const by = { x: position.x - frame.x, y: position.y - frame.y };
  return (note.node_keys ?? []).flatMap((key): [string, Placed][] => {
    const at = places.nodes.get(key);
    return at ? [[`node:${key}`, { x: at.x + by.x, y: at.y + by.y }]] : [];
  });
}
