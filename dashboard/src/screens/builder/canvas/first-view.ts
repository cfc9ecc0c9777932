/** How much of the graph is shown when the builder opens, and by "Show all". */
import type { ReactFlowInstance } from '@xyflow/react';
import type { FlowEdge, FlowNode } from './flow.ts';
import { readable } from './node-card.tsx';

export type CanvasFlow = ReactFlowInstance<FlowNode, FlowEdge>;

const margin = 40;
/** Above the buttons at the bottom. */
const foot = 40;

/** All of it, however small; at most in its own size. */
export function showAll(flow: CanvasFlow): void {
  const view = wholeView(flow);
  if (view) void flow.setViewport(view, { duration: 0 });
}

/** All of it, if it can be read then; else its beginning, in a size that can. */
export function showStart(flow: CanvasFlow): void {
  const view = wholeView(flow);
  if (!view) return;
  if (view.zoom >= readable) return void flow.setViewport(view);
  const zoom = 0.7;
  const { x, y, height } = flow.getNodesBounds(flow.getNodes());
  const room = roomOf();
  const isLow = height * zoom <= room.height - 2 * margin;
  const top = isLow ? (room.height - height * zoom) / 2 : margin;
  void flow.setViewport({ x: margin - x * zoom, y: top - y * zoom, zoom });
}

function wholeView(flow: CanvasFlow) {
  const nodes = flow.getNodes();
  if (nodes.length === 0) return undefined;
  const { x, y, width, height } = flow.getNodesBounds(nodes);
  const room = roomOf();
  const fitting = Math.min(
    (room.width - 2 * margin) / width,
    (room.height - 2 * margin - foot) / height,
  );
  const zoom = Math.max(0.05, Math.min(1, fitting));
  return {
    x: (room.width - width * zoom) / 2 - x * zoom,
    y: (room.height - foot - height * zoom) / 2 - y * zoom,
    zoom,
  };
}

/** The library's own sizes are those of the frame before. */
const roomOf = () =>
  document.querySelector('.react-flow')?.getBoundingClientRect() ?? { width: 800, height: 600 };
