/**
 * The graph as what the canvas draws. What has not changed keeps its object, so that of a thousand
 * nodes only the one that is edited is drawn again.
 */
import { edgeId } from '@cogworks/graph/edit/changes';
import type { EdgeRole } from '@cogworks/graph/lanes';
import type {
  Definition,
  Definitions,
  Graph,
  GraphEdge,
  GraphInput,
  GraphNode,
  GraphNote,
} from '@cogworks/graph/types';
import { type Edge, type Node, type NodeHandle, Position } from '@xyflow/react';
import type { Placed } from '../../../ui/graph-layout.ts';
import { inputSize, nodeSize, portY } from '../layout/geometry.ts';
import type { Places } from '../layout/places.ts';
import { inputId, nodeId, noteId } from '../selection.ts';
import { frameOf } from './frames.ts';
import type { DrawnLanes, Lane } from './lanes-drawn.ts';
import { type Family, familyOf, familyOfTypes } from './media.ts';
import type { Way } from './ways/ways.ts';

export type CardData = {
  node: GraphNode;
  definition: Definition | undefined;
  lane: Lane | undefined;
  faults: number;
  isCurrent: boolean;
};
export type InputData = { input: GraphInput; isCurrent: boolean };
export type NoteData = { note: GraphNote; isFrame: boolean; isCurrent: boolean };
export type FlowNode = Node<CardData, 'card'> | Node<InputData, 'source'> | Node<NoteData, 'note'>;

export type WireData = {
  edge: GraphEdge;
  role: EdgeRole;
  family: Family;
  hue: number | undefined;
  isLit: boolean;
  /** Around the cards between its ends, where a direct curve would run behind them. */
  way?: Way;
};
export type FlowEdge = Edge<WireData, 'wire'>;

/** Ports on the canvas; inputs of the graph have one. */
export const inPort = (name: string) => `in:${name}`;
export const outPort = (name: string) => `out:${name}`;
export const portIn = (side: 'in' | 'out', handle: string | null | undefined) =>
  handle?.startsWith(`${side}:`) ? handle.slice(side.length + 1) : undefined;

/** Where nodes and notes are that are being dragged, and how large notes that are being resized. */
export type Moved = ReadonlyMap<string, Placed & { width?: number; height?: number }>;

export type Drawn = {
  graph: Graph;
  definitions: Definitions;
  places: Places;
  lanes: DrawnLanes;
  selection: ReadonlySet<string>;
  current: string | undefined;
  /** How many faults each has, by its id. */
  faults: ReadonlyMap<string, number>;
  moved: Moved;
};

type Kept<Value> = { parts: readonly unknown[]; value: Value };

/** Makes nodes and edges, and remembers them. */
export class Flow {
  #nodes = new Map<string, Kept<FlowNode>>();
  #edges = new Map<string, Kept<FlowEdge>>();
  #allNodes: FlowNode[] = [];
  #allEdges: Kept<FlowEdge[]> = { parts: [], value: [] };

  nodes(drawn: Drawn): FlowNode[] {
    const { graph, definitions, places, lanes, selection, current, faults, moved } = drawn;
    const next = new Map<string, Kept<FlowNode>>();
    const keep = (id: string, parts: readonly unknown[], make: () => FlowNode) =>
      kept(this.#nodes, next, id, parts, make);
    const notes = (graph.notes ?? []).map((note) => {
      const id = noteId(note.id);
      const frame = frameOf(note, drawn);
      const place = frame ?? moved.get(id) ?? note.position;
      const size = frame ?? { ...note.size, ...sizeIn(moved.get(id)) };
      const [isSelected, isCurrent] = [selection.has(id), current === id];
      const parts = [note, place.x, place.y, size.width, size.height, isSelected, isCurrent];
      return keep(id, parts, () =>
        noteNode(note, { place, size, isFrame: frame !== undefined, isSelected, isCurrent }),
      );
    });
    const inputs = graph.inputs.map((input) => {
      const id = inputId(input.name);
      const place = places.inputs.get(input.name) ?? { x: 0, y: 0 };
      const [isSelected, isCurrent] = [selection.has(id), current === id];
      return keep(id, [input, place.x, place.y, isSelected, isCurrent], () =>
        inputNode(input, place, isSelected, isCurrent),
      );
    });
    const nodes = graph.nodes.map((node) => {
      const id = nodeId(node.key);
      const place = moved.get(id) ?? places.nodes.get(node.key) ?? { x: 0, y: 0 };
      const definition = definitions.get(node.node_definition_id);
      const lane = lanes.nodes.get(node.key);
      const count = faults.get(nodeId(node.key)) ?? 0;
      const [isSelected, isCurrent] = [selection.has(id), current === id];
      const parts = [node, place.x, place.y, definition, lane?.of, lane?.letter, count];
      return keep(id, [...parts, isSelected, isCurrent], () =>
        cardNode({ node, definition, lane, faults: count, isCurrent }, place, isSelected),
      );
    });
    this.#nodes = next;
    const all = [...notes, ...inputs, ...nodes];
    if (!isSame(all, this.#allNodes)) this.#allNodes = all;
    return this.#allNodes;
  }

  /** @param lit ids of wires before and behind what is selected. */
  edges(drawn: Drawn, lit: ReadonlySet<string>): FlowEdge[] {
    const { graph, definitions, lanes, selection } = drawn;
    // Moving nodes changes none of these: lanes are others where a definition is another.
    const all = [graph.edges, definitions, lanes, selection, lit];
    if (isSame(all, this.#allEdges.parts)) return this.#allEdges.value;
    const next = new Map<string, Kept<FlowEdge>>();
    const known = new Map(graph.nodes.map((node) => [node.key, node]));
    const inputs = new Map(graph.inputs.map((input) => [input.name, input]));
    const edges = graph.edges.map((edge, index) => {
      const id = `edge:${edgeId(edge)}`;
      const role = lanes.roles[index] ?? 'plain';
      const source = 'node' in edge.from ? known.get(edge.from.node) : undefined;
      const definition = source && definitions.get(source.node_definition_id);
      const family = familyOfSource(edge, definition, inputs);
      const lane =
        role === 'gather' ? lanes.nodes.get(source?.key ?? '') : lanes.nodes.get(edge.to.node);
      const hue = role === 'plain' || role === 'broadcast' ? undefined : lane?.hue;
      const data = { edge, role, family, hue, isLit: lit.has(id) };
      const isSelected = selection.has(id);
      return kept(this.#edges, next, id, [...Object.values(data), isSelected], () =>
        wireEdge(id, data, isSelected),
      );
    });
    this.#edges = next;
    // Drafts may hold an edge twice; the canvas draws one line.
    const value = [...new Map(edges.map((edge) => [edge.id, edge])).values()];
    this.#allEdges = { parts: all, value };
    return value;
  }
}

function kept<Value>(
  old: ReadonlyMap<string, Kept<Value>>,
  next: Map<string, Kept<Value>>,
  id: string,
  parts: readonly unknown[],
  make: () => Value,
): Value {
  const before = old.get(id);
  const entry = before && isSame(parts, before.parts) ? before : { parts, value: make() };
  next.set(id, entry);
  return entry.value;
}

const sizeIn = (moved: { width?: number; height?: number } | undefined) =>
  moved?.width === undefined || moved.height === undefined
    ? {}
    : { width: moved.width, height: moved.height };

const isSame = (parts: readonly unknown[], others: readonly unknown[]) =>
  parts.length === others.length && parts.every((part, index) => part === others[index]);

const familyOfSource = (
  { from }: GraphEdge,
  definition: Definition | undefined,
  inputs: ReadonlyMap<string, GraphInput>,
): Family =>
  'node' in from
    ? familyOf(definition?.outputs.find(({ name }) => name === from.port)?.media_type ?? undefined)
    : familyOfTypes(inputs.get(from.input)?.media_types);

/** Each port's box is wider than its dot, so that fingers find it; the same as in ports.module.css. */
const portSize = 24;
const beyond = 6;

const handle = (side: 'in' | 'out', name: string, y: number, width: number): NodeHandle => ({
  id: side === 'in' ? inPort(name) : outPort(name),
  type: side === 'in' ? 'target' : 'source',
  position: side === 'in' ? Position.Left : Position.Right,
  x: side === 'in' ? -beyond : width - portSize + beyond,
  y: y - portSize / 2,
  width: portSize,
  height: portSize,
});

/** With `measured` the library takes the size as known. */
const measured = ({ width, height }: { width: number; height: number }) => ({
  width,
  height,
  measured: { width, height },
});

function cardNode(data: CardData, position: Placed, isSelected: boolean): FlowNode {
  const { node, definition } = data;
  const size = nodeSize(node, definition);
  return {
    id: nodeId(node.key),
    type: 'card',
    position,
    data,
    selected: isSelected,
    ...measured(size),
    handles: [
      ...(definition?.inputs ?? []).map(({ name }, at) =>
        handle('in', name, portY(at), size.width),
      ),
      ...(definition?.outputs ?? []).map(({ name }, at) =>
        handle('out', name, portY(at), size.width),
      ),
    ],
  };
}

const inputNode = (
  input: GraphInput,
  position: Placed,
  isSelected: boolean,
  isCurrent: boolean,
): FlowNode => ({
  id: inputId(input.name),
  // `input` would be a kind of the library's own, with its looks.
  type: 'source',
  position,
  data: { input, isCurrent },
  selected: isSelected,
  // The graph has no place to keep a position of an input.
  draggable: false,
  ...measured(inputSize),
  handles: [handle('out', '', inputSize.height / 2, inputSize.width)],
});

type NoteDrawn = {
  place: Placed;
  size: { width: number; height: number };
  isFrame: boolean;
  isSelected: boolean;
  isCurrent: boolean;
};

const noteNode = (
  note: GraphNote,
  { place, size, isFrame, isSelected, isCurrent }: NoteDrawn,
): FlowNode => ({
  id: noteId(note.id),
  type: 'note',
  position: { x: place.x, y: place.y },
  data: { note, isFrame, isCurrent },
  selected: isSelected,
  ...measured(size),
  handles: [],
  zIndex: -10,
});

const wireEdge = (id: string, data: WireData, isSelected: boolean): FlowEdge => ({
  id,
  type: 'wire',
  source: 'node' in data.edge.from ? nodeId(data.edge.from.node) : inputId(data.edge.from.input),
  sourceHandle: outPort('node' in data.edge.from ? data.edge.from.port : ''),
  target: nodeId(data.edge.to.node),
  targetHandle: inPort(data.edge.to.port),
  data,
  selected: isSelected,
});
