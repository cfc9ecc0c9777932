/** The graph as a drawing that is edited: cards, wires between their ports, notes. */
import '@xyflow/react/dist/base.css';
import {
  Background,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  SelectionMode,
  useReactFlow,
  useStoreApi,
} from '@xyflow/react';
import { type DragEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { LoadingRows } from '../../../ui/await.tsx';
import { useCatalogue } from '../catalogue.ts';
import { type Editor, useEditor, useEditorState } from '../editor.ts';
import { dropOf } from '../palette/dragging.ts';
import { ResultPanel } from '../test/result-panel.tsx';
import { TestBar } from '../test/test-bar.tsx';
import { useStartTest } from '../test/use-start-test.ts';
import { AskedThings } from './asked.tsx';
import classes from './canvas.module.css';
import { CanvasContext, type CanvasView, useCanvasView } from './canvas-context.ts';
import { CanvasTools } from './canvas-tools.tsx';
import { addDefinition } from './commands.ts';
import { reveal, showStart } from './first-view.ts';
import type { FlowEdge, FlowNode } from './flow.ts';
import { InputCard } from './input-card.tsx';
import { NodeCard } from './node-card.tsx';
import { NoteCard } from './note-card.tsx';
import { createStore, useStored } from './store.ts';
import { useCanvasKeys } from './use-canvas-keys.ts';
import { useCopying } from './use-copying.ts';
import { useFlow } from './use-flow.ts';
import { useWiring } from './use-wiring.ts';
import { Wire } from './wire.tsx';
import { WireLabel } from './wire-label.tsx';

// Outside the component: with other objects everything would be made anew.
const nodeTypes = { card: NodeCard, source: InputCard, note: NoteCard };
const edgeTypes = { wire: Wire };
const mapSize = { width: 168, height: 112 };
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
  const frame = useRef<HTMLElement>(null);
  const { nodes, edges, changeNodes, changeEdges, hasChosen } = useFlow(editor);
  const wiring = useWiring();
  const test = useStartTest();
  const onKeyDown = useCanvasKeys(frame, test.start);
  useCopying(frame);
  useReveal(frame);
  useKnownSizes();
  const drop = useDrop(editor);
  const spoken = useStored(view, (state) => state.spoken);
  return (
    <section
      ref={frame}
      className={classes.canvas}
      data-chosen={hasChosen}
      aria-label="Canvas"
      tabIndex={-1}
      onKeyDown={onKeyDown}
      {...drop}
    >
      <ReactFlow<FlowNode, FlowEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onNodesChange={changeNodes}
        onEdgesChange={changeEdges}
        {...wiring}
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
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={20} size={1.4} />
        {hasMap && (
          <MiniMap
            pannable
            zoomable
            ariaLabel="Map of the canvas"
            style={mapSize}
            className={classes.map ?? ''}
          />
        )}
        <WireLabel />
      </ReactFlow>
      <CanvasTools hasMap={hasMap} onMap={() => setMap(!hasMap)} />
      <TestBar test={test} />
      <ResultPanel />
      <AskedThings />
      <output className={classes.spoken}>{spoken}</output>
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
