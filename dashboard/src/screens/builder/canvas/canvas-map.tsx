/**
 * A small picture of the whole canvas, and of the part that is in view. The library's own has an
 * element for each card, and each of them looks at every movement.
 */
import { t } from '@lingui/core/macro';
import { useReactFlow, useStore } from '@xyflow/react';
import { type PointerEvent, useDeferredValue, useMemo, useState } from 'react';
import classes from './canvas.module.css';
import type { FlowEdge, FlowNode } from './flow.ts';

const size = { width: 168, height: 112 };

type Box = { x: number; y: number; width: number; height: number };

export function CanvasMap({ nodes }: { nodes: readonly FlowNode[] }) {
  const flow = useReactFlow<FlowNode, FlowEdge>();
  // The canvas itself goes first.
  const drawn = useDeferredValue(nodes);
  const boxes = useMemo(() => drawn.map(boxOf), [drawn]);
  const cards = useMemo(() => boxes.map(outline).join(''), [boxes]);
  const around = useMemo(() => (boxes.length > 0 ? union(boxes) : undefined), [boxes]);
  const [x, y, zoom] = useStore(({ transform }) => transform);
  const width = useStore((state) => state.width) / zoom;
  const height = useStore((state) => state.height) / zoom;
  const view = { x: -x / zoom, y: -y / zoom, width, height };
  // While it is dragged the picture stays, so that the same place stays under the pointer.
  const [held, setHeld] = useState<Box>();
  const frame = held ?? framed(around ? union([around, view]) : view);
  const goTo = (event: PointerEvent<SVGSVGElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const scale = frame.width / size.width;
    const at = { x: (event.clientX - left) * scale, y: (event.clientY - top) * scale };
    void flow.setCenter(frame.x + at.x, frame.y + at.y, { zoom, duration: 0 });
  };
  return (
    <svg
      {...size}
      className={classes.map}
      data-map
      viewBox={`${frame.x} ${frame.y} ${frame.width} ${frame.height}`}
      role="img"
      aria-label={t`Map of the canvas`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setHeld(frame);
        goTo(event);
      }}
      onPointerMove={(event) => held && goTo(event)}
      onLostPointerCapture={() => setHeld(undefined)}
      onWheel={({ deltaY }) => void flow.zoomTo(zoom * 2 ** (-deltaY / 500), { duration: 0 })}
    >
      <path className={classes.mapCards} d={cards} />
      <path className={classes.mapRest} fillRule="evenodd" d={outline(frame) + outline(view)} />
    </svg>
  );
}

const boxOf = ({ position, width = 0, height = 0 }: FlowNode): Box => ({
  ...position,
  width,
  height,
});

const outline = ({ x, y, width, height }: Box) => `M${x} ${y}h${width}v${height}h${-width}z`;

function union(boxes: readonly Box[]): Box {
  let [left, top] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [right, bottom] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { x, y, width, height } of boxes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** In the shape of the map, with a margin. */
function framed({ x, y, width, height }: Box): Box {
  const scale = 1.06 * Math.max(width / size.width, height / size.height);
  const [wide, high] = [scale * size.width, scale * size.height];
  return { x: x - (wide - width) / 2, y: y - (high - height) / 2, width: wide, height: high };
}
