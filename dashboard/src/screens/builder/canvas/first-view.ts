/** What of the graph is in view: when the builder opens, by "Show all", and what is selected. */
import type { ReactFlowInstance } from '@xyflow/react';
import type { FlowEdge, FlowNode } from './flow.ts';
import { readable } from './readable.ts';

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

/** Brings a card into view, if it is not; in a size of at least this. */
export function reveal(
  flow: CanvasFlow,
  frame: HTMLElement | null,
  id: string,
  smallest = 0,
): void {
  const node = flow.getNode(id);
  const box = frame?.getBoundingClientRect();
  if (!node || !box) return;
  const zoom = flow.getZoom();
  const at = flow.flowToScreenPosition(node.position);
  const [width, height] = [node.width ?? 0, node.height ?? 0];
  const isSeen =
    zoom >= smallest &&
    at.x >= box.left &&
    at.y >= box.top &&
    at.x + width * zoom <= box.right &&
    at.y + height * zoom <= box.bottom;
  if (isSeen) return;
  const middle = { x: node.position.x + width / 2, y: node.position.y + height / 2 };
  void flow.setCenter(middle.x, middle.y, { zoom: Math.max(zoom, smallest), duration: 0 });
}

/** The library's own sizes are those of the frame before. */
const roomOf = () =>
  document.querySelector('.react-flow')?.getBoundingClientRect() ?? { width: 800, height: 600 };
