/** Wires drawn with the pointer: what begins, what a port allows, and where it is let go. */
import { connect } from '@cogworks/graph/edit/edits';
import type { Graph, GraphEdge } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { useCallbackRef } from '@mantine/hooks';
import {
  type IsValidConnection,
  type OnConnectEnd,
  type OnConnectStart,
  useReactFlow,
} from '@xyflow/react';
import { type Editor, useEditor } from '../editor.ts';
import { portOf, titleOf } from '../step-words.ts';
import { useCanvasView } from './canvas-context.ts';
import { type CardPort, portKey, verdictsOfWire, wireBetween } from './verdicts.ts';

export const wireWords = (graph: Pick<Graph, 'nodes'>, { from, to }: GraphEdge) => {
  const source = 'node' in from ? titleOf(graph, from.node) : from.input;
  const target = portOf(titleOf(graph, to.node), to.port);
  return t`Connected ${source} to ${target}`;
};

/** One step of undo. @returns what was done, in words. */
export function connectWire(editor: Editor, edge: GraphEdge): string {
  const words = wireWords(editor.getState().graph, edge);
  editor.edit(words, (graph) => connect(graph, edge));
  return words;
}

/** For the library's props of these names. Each stays one function: a new one would go through all cards. */
export function useWiring() {
  const editor = useEditor();
  const view = useCanvasView();
  const { screenToFlowPosition } = useReactFlow();

  const onConnectStart = useCallbackRef<OnConnectStart>((_, { nodeId, handleId }) => {
    if (nodeId === null || handleId === null) return;
    const { graph, definitions } = editor.getState();
    const start = { card: nodeId, handle: handleId };
    view.set({ drawing: { start, verdicts: verdictsOfWire(graph, definitions, start) } });
  });

  const isValidConnection = useCallbackRef<IsValidConnection>((wire) => {
    const [from, to] = [
      { card: wire.source, handle: wire.sourceHandle ?? '' },
      { card: wire.target, handle: wire.targetHandle ?? '' },
    ];
    const { drawing } = view.get();
    if (!drawing) return false;
    const isStart = from.card === drawing.start.card && from.handle === drawing.start.handle;
    return drawing.verdicts.get(portKey(isStart ? to : from))?.ok ?? false;
  });

  const onConnectEnd = useCallbackRef<OnConnectEnd>((event, { toHandle }) => {
    const { drawing } = view.get();
    view.set({ drawing: undefined });
    if (!drawing) return;
    const point = 'changedTouches' in event ? event.changedTouches[0] : event;
    const [x, y] = [point?.clientX ?? 0, point?.clientY ?? 0];
    const port = toHandle?.id
      ? { card: toHandle.nodeId, handle: toHandle.id }
      : portUnder(x, y, drawing.verdicts);
    if (port === 'nothing') {
      const at = screenToFlowPosition({ x, y });
      view.set({ asked: { kind: 'add', x, y, at, start: drawing.start } });
      return;
    }
    const edge = port && wireBetween(drawing.start, port);
    const verdict = port && drawing.verdicts.get(portKey(port));
    if (!edge || !verdict) return;
    if (verdict.ok) view.set({ spoken: connectWire(editor, edge) });
    else view.set({ asked: { kind: 'refused', x, y, edge, verdict }, spoken: verdict.message });
  });
  return { onConnectStart, onConnectEnd, isValidConnection };
}

/**
 * Let go on a card, not on a port of it: the first port that takes the wire, else the first that
 * says why not. Undefined where a wire can lead to nothing.
 */
function portUnder(
  x: number,
  y: number,
  verdicts: ReadonlyMap<string, { ok: boolean }>,
): CardPort | 'nothing' | undefined {
  const under = document.elementFromPoint(x, y);
  const card = under?.closest('.react-flow__node')?.getAttribute('data-id');
  if (!card) return under?.closest('.react-flow') ? 'nothing' : undefined;
  const ports = [...verdicts].filter(([key]) => key.startsWith(`${card}\n`));
  const best = ports.find(([, { ok }]) => ok) ?? ports[0];
  return best && { card, handle: best[0].slice(card.length + 1) };
}
