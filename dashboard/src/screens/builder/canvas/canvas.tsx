/** The graph as a drawing that is edited: cards, wires between their ports, notes. */
import { t } from '@lingui/core/macro';
import '@xyflow/react/dist/base.css';
import { VisuallyHidden } from '@mantine/core';
import { useCallbackRef } from '@mantine/hooks';
import {
  Background,
  ReactFlow,
  ReactFlowProvider,
  SelectionMode,
  useReactFlow,
  useStore,
  useStoreApi,
} from '@xyflow/react';
import { type DragEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useCatalogue } from '../../../catalogue.ts';
import { LoadingRows } from '../../../ui/await.tsx';
import { useCopying } from '../copying/use-copying.ts';
import { type Editor, useEditor, useEditorState } from '../editor.ts';
import { addDefinition } from '../edits/adding.ts';
import { dropOf } from '../palette/dragging.ts';
import { nodeId } from '../selection.ts';
import { useGraphSteps } from '../steps-to-find.ts';
import { createStore, useStored } from '../store.ts';
import { ResultPanel } from '../test/result-panel.tsx';
import { TestBar } from '../test/test-bar.tsx';
import { useStartTest } from '../test/use-start-test.ts';
import { AskedThings } from './asked.tsx';
import classes from './canvas.module.css';
import { CanvasContext, type CanvasView, useCanvasView, useTelling } from './canvas-context.ts';
import { CanvasMap } from './canvas-map.tsx';
import { CanvasTools } from './canvas-tools.tsx';
import { FarView, useFarNodes } from './far-view.tsx';
import { reveal, showStart } from './first-view.ts';
import type { FlowEdge, FlowNode } from './flow.ts';
import { InputCard } from './input-card.tsx';
import { NodeCard } from './node-card.tsx';
import { NoteCard } from './note-card.tsx';
import { levelOf, ReadableContext } from './readable.ts';
import { useCanvasKeys } from './use-canvas-keys.ts';
import { useFlow } from './use-flow.ts';
import { useWiring } from './use-wiring.ts';
import { Wire } from './wire.tsx';
import { WireLabel } from './wire-label.tsx';

// Outside the component: with other objects everything would be made anew.
const nodeTypes = { card: NodeCard, source: InputCard, note: NoteCard };
const edgeTypes = { wire: Wire };
const noEdges: FlowEdge[] = [];
const proOptions = { hideAttribution: true };
const grid: [number, number] = [8, 8];
const severalKeys = ['Shift', 'Control', 'Meta'];

export function Canvas() {
  const isKnown = useEditorState(({ definitions }) => definitions.size > 0);
  const { isSuccess, data } = useCatalogue();
  // Sizes of cards follow from their definitions.
  if (!isKnown && !(isSuccess && data.length === 0)) return <LoadingRows />;
  return <KnownCanvas />;
}

function KnownCanvas() {
  const [view] = useState(() =>
    createStore<CanvasView>({
      current: undefined,
      drawing: undefined,
      asked: undefined,
      spoken: '',
    }),
  );
  return (
    <CanvasContext value={view}>
      <ReactFlowProvider>
        <Drawing />
      </ReactFlowProvider>
    </CanvasContext>
  );
}

function Drawing() {
  const editor = useEditor();
  const view = useCanvasView();
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const [hasMap, setMap] = useState(true);
  const switchMap = useCallbackRef(() => setMap(!hasMap));
  const frame = useRef<HTMLElement>(null);
  const { nodes, edges, moved, changeNodes, changeEdges, unselectVariables, hasChosen } =
    useFlow(editor);
  const level = useStore(({ transform }) => levelOf(transform[2]));
  const isReadable = level === 'cards';
  const { drawn, onPointerMove } = useFarNodes(level, nodes);
  const moves = useMoves(frame);
  const wiring = useWiring();
  const { onKeyDown, goTo } = useCanvasKeys(frame, useStartTest());
  useGraphSteps((key) => goTo(nodeId(key)));
  useCopying(frame, useTelling());
  useReveal(frame);
  useKnownSizes();
  const drop = useDrop(editor);
  const spoken = useStored(view, (state) => state.spoken);
  return (
    <section
      ref={frame}
      className={classes.canvas}
      data-chosen={hasChosen}
      aria-label={t`Canvas`}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onPointerMove={onPointerMove}
      {...drop}
    >
      <ReadableContext value={isReadable}>
        <ReactFlow<FlowNode, FlowEdge>
          nodes={drawn}
          edges={isReadable ? edges : noEdges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onNodesChange={changeNodes}
          onEdgesChange={changeEdges}
          onPaneClick={unselectVariables}
          {...wiring}
          {...moves}
          nodesDraggable={!isReadOnly}
          nodesConnectable={!isReadOnly}
          nodesFocusable={false}
          edgesFocusable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode="Shift"
          multiSelectionKeyCode={severalKeys}
          selectionMode={SelectionMode.Full}
          elevateNodesOnSelect={false}
          onlyRenderVisibleElements
          snapToGrid
          snapGrid={grid}
          zoomOnDoubleClick={false}
          minZoom={0.05}
          maxZoom={2}
          connectionRadius={24}
          onInit={showStart}
          proOptions={proOptions}
        >
          <Background gap={20} size={1.4} />
          {!isReadable && <FarView level={level} nodes={nodes} edges={edges} moved={moved} />}
          {hasMap && <CanvasMap nodes={nodes} />}
          <WireLabel />
        </ReactFlow>
      </ReadableContext>
      <CanvasTools hasMap={hasMap} onMap={switchMap} />
      <TestBar isOnCanvas />
      <ResultPanel />
      <AskedThings />
      <VisuallyHidden>
        <output>{spoken}</output>
      </VisuallyHidden>
    </section>
  );
}

/**
 * Sizes and ports of all nodes are given. Measured in the page, boxes would have no ports, and no
 * wires could lead to them.
 */
function useKnownSizes() {
  const library = useStoreApi();
  useState(() => library.setState({ updateNodeInternals: () => {} }));
}

/** While the view moves it is a layer of its own, which need not be painted again. */
function useMoves(frame: RefObject<HTMLElement | null>) {
  const onMove = useCallbackRef(() => frame.current?.setAttribute('data-moving', 'true'));
  const onMoveEnd = useCallbackRef(() => frame.current?.removeAttribute('data-moving'));
  return { onMove, onMoveEnd };
}

/** What is selected elsewhere, or was just added, is brought into view. */
function useReveal(frame: RefObject<HTMLElement | null>) {
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const only = useEditorState(({ selection }) => (selection.size === 1 ? [...selection][0] : ''));
  useEffect(() => {
    if (only) reveal(flow, frame.current, only);
  }, [flow, frame, only]);
}

/** What is dragged from the palette. */
function useDrop(editor: Editor) {
  const { screenToFlowPosition } = useReactFlow();
  return {
    onDragOver: (event: DragEvent) => {
      if (!dropOf(event.dataTransfer) || editor.getState().isReadOnly) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
    },
    onDrop: (event: DragEvent) => {
      const definition = dropOf(event.dataTransfer)?.();
      if (!definition || editor.getState().isReadOnly) return;
      event.preventDefault();
      const { x, y } = screenToFlowPosition({ x: event.clientX, y: event.clientY });
      addDefinition(editor, definition, { at: { x: Math.round(x - 120), y: Math.round(y - 24) } });
    },
  };
}
