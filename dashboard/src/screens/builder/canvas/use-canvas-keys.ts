/** The keys of the canvas. They act on the card that has the focus, and on what is selected. */
import { useReactFlow } from '@xyflow/react';
import { type KeyboardEvent, type RefObject, useEffect } from 'react';
import { useSetAddress } from '../address.ts';
import { type Editor, useEditor } from '../editor.ts';
import { deleteSelected } from '../edits/deleting.ts';
import { moveSelectedBy, placesNow } from '../edits/placing.ts';
import { isTyping } from '../keys.ts';
import { everythingIn, idIn, nodeId } from '../selection.ts';
import type { Store } from '../store.ts';
import { type CanvasView, useCanvasView } from './canvas-context.ts';
import { reveal } from './first-view.ts';
import { type FlowEdge, type FlowNode, outPort } from './flow.ts';
import { focusCard, focusSettings } from './focus.ts';
import { type Direction, nextCard } from './neighbours.ts';
import { readable } from './readable.ts';

const directions: Record<string, Direction> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};
const step = 16;
/** Moves by keys within this time of each other are one step of undo. */
const rest_ms = 1000;

export function useCanvasKeys(frame: RefObject<HTMLElement | null>, test: (key: string) => void) {
  const editor = useEditor();
  const view = useCanvasView();
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const setAddress = useSetAddress();
  const goTo = (id: string | undefined) => {
    if (id === undefined) return;
    view.set({ current: id });
    editor.select([id]);
    showCard(id);
  };
  const showCard = (id: string) => {
    reveal(flow, frame.current, id, readable);
    // Drawn by the next frame, if it was out of view.
    requestAnimationFrame(() => focusCard(id) || requestAnimationFrame(() => focusCard(id)));
  };
  useKeepFocus(frame);

  const onKeyDown = (event: KeyboardEvent) => {
    if (isTyping(event.target) || event.altKey) return;
    if (!frame.current?.contains(event.target as Node)) return;
    const current = view.get().current ?? firstCard(editor);
    const isHandled = press(event, { editor, view, current, goTo, setAddress, test });
    if (isHandled) event.preventDefault();
  };
  return { onKeyDown, goTo };
}

const firstCard = (editor: Editor) => {
  const [node] = editor.getState().graph.nodes;
  return node && nodeId(node.key);
};

type Press = {
  editor: Editor;
  view: Store<CanvasView>;
  current: string | undefined;
  goTo: (id: string | undefined) => void;
  setAddress: ReturnType<typeof useSetAddress>;
  test: (key: string) => void;
};

/** @returns whether the key means something here. */
function press(event: KeyboardEvent, pressed: Press): boolean {
  const { editor, view, current, goTo } = pressed;
  const state = editor.getState();
  const direction = directions[event.key];
  if (event.ctrlKey || event.metaKey) {
    if (event.key.toLowerCase() !== 'a') return false;
    editor.select(everythingIn(state.graph));
    return true;
  }
  if (direction && event.shiftKey) {
    moveSelectedBy(editor, along(direction), burst());
    return true;
  }
  if (direction) {
    goTo(nextCard(state.graph, placesNow(state), current, direction));
    return true;
  }
  if (event.key === 'Escape') {
    editor.select([]);
    return true;
  }
  if (event.key === '?') {
    view.set({ asked: { kind: 'keys' } });
    return true;
  }
  return !state.isReadOnly && change(event, pressed);
}

function change(event: KeyboardEvent, { editor, view, current, setAddress, test }: Press): boolean {
  const isOnCard = (event.target as Element).matches('[data-card]');
  const key = current === undefined ? undefined : idIn('node', current);
  const note = current === undefined ? undefined : idIn('note', current);
  switch (event.key) {
    case 'Delete':
    case 'Backspace': {
      const words = deleteSelected(editor);
      if (words !== undefined) view.set({ spoken: words });
      return true;
    }
    case 'Enter':
      if (!isOnCard || current === undefined) return false;
      if (note !== undefined) view.set({ asked: { kind: 'note', id: note } });
      else {
        editor.select([current]);
        setAddress({ panel: 'inspector' }, { replace: true });
        requestAnimationFrame(() => focusSettings());
      }
      return true;
    case 'F2':
      if (note !== undefined) view.set({ asked: { kind: 'note', id: note } });
      if (key !== undefined) view.set({ asked: { kind: 'title', key } });
      return true;
    case 'c':
    case 'C':
      if (current !== undefined && note === undefined) {
        view.set({ asked: { kind: 'connect', card: current } });
      }
      return true;
    case 't':
    case 'T':
      if (key === undefined) return false;
      test(key);
      return true;
    case 'a':
    case 'A':
      askBehind(editor, view, current);
      return true;
    default:
      return false;
  }
}

/** Beside the card, connected with its first output. */
export function askBehind(editor: Editor, view: Store<CanvasView>, card: string | undefined) {
  const { graph, definitions } = editor.getState();
  const node = graph.nodes.find(({ key }) => nodeId(key) === card);
  const output = node && definitions.get(node.node_definition_id)?.outputs[0];
  const isInput = card !== undefined && idIn('input', card) !== undefined;
  const handle = output ? outPort(output.name) : isInput ? outPort('') : undefined;
  const start = card !== undefined && handle !== undefined ? { card, handle } : undefined;
  const shown = card && document.querySelector(`[data-card="${CSS.escape(card)}"]`);
  const box = shown ? shown.closest('.react-flow__node')?.getBoundingClientRect() : undefined;
  const [x, y] = box ? [box.right + 8, box.top] : [innerWidth / 2 - 160, innerHeight / 3];
  if (start && card) editor.select([card]);
  view.set({ asked: { kind: 'add', x, y, at: undefined, start } });
}

const along = (direction: Direction) => ({
  x: direction === 'left' ? -step : direction === 'right' ? step : 0,
  y: direction === 'up' ? -step : direction === 'down' ? step : 0,
});

let lastMove = { at: Number.NEGATIVE_INFINITY, group: '' };

function burst(): string {
  const at = performance.now();
  const isSame = at - lastMove.at < rest_ms;
  lastMove = { at, group: isSame ? lastMove.group : `keys:${at}` };
  return lastMove.group;
}

/** A card that is no longer drawn takes the focus with it; the keys of the canvas go on working. */
function useKeepFocus(frame: RefObject<HTMLElement | null>) {
  const view = useCanvasView();
  useEffect(() => {
    const canvas = frame.current;
    if (!canvas) return;
    const onFocus = (event: FocusEvent) => {
      const card = (event.target as Element).getAttribute('data-card');
      if (card !== null && card !== view.get().current) view.set({ current: card });
    };
    const observer = new MutationObserver(() => {
      if (hadFocus && document.activeElement === document.body)
        canvas.focus({ preventScroll: true });
    });
    let hadFocus = false;
    const onIn = () => {
      hadFocus = true;
    };
    const onOut = (event: FocusEvent) => {
      if (event.relatedTarget !== null) hadFocus = false;
    };
    canvas.addEventListener('focusin', onFocus);
    canvas.addEventListener('focusin', onIn);
    canvas.addEventListener('focusout', onOut);
    const nodes = canvas.querySelector('.react-flow__nodes');
    if (nodes) observer.observe(nodes, { childList: true });
    return () => {
      observer.disconnect();
      canvas.removeEventListener('focusin', onFocus);
      canvas.removeEventListener('focusin', onIn);
      canvas.removeEventListener('focusout', onOut);
    };
  }, [frame, view]);
}
