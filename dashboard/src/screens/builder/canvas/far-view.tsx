/** What is drawn where the canvas is too small to read its cards: lines, and from further away all. */
import { useReactFlow, useStore, ViewportPortal } from '@xyflow/react';
import { type PointerEvent, useMemo, useState } from 'react';
import { cardAt, farCards, withoutElements } from './far-cards.ts';
import { FarLines } from './far-lines.ts';
import type { FlowEdge, FlowNode, Moved } from './flow.ts';
import type { Level } from './readable.ts';
import classes from './wire.module.css';

type Props = {
  level: Level;
  nodes: readonly FlowNode[];
  edges: readonly FlowEdge[];
  moved: Moved;
};

export function FarView({ level, nodes, edges, moved }: Props) {
  const [lines] = useState(() => new FarLines());
  return (
    <ViewportPortal>
      <svg className={classes.far} data-level={level} aria-hidden>
        {lines.of(nodes, edges, moved).map(({ key, role, family, isLit, isSelected, path }) => (
          <g
            key={key}
            className={classes.wire}
            data-role={role}
            data-family={family}
            data-selected={isSelected}
            data-lit={isLit}
          >
            <path d={path} />
            {role === 'same_lane' && <path d={path} className={classes.core} />}
          </g>
        ))}
        {level === 'shapes' &&
          farCards(nodes, moved).map(({ key, isSource, isFaulty, isSelected, path }) => (
            <path
              key={key}
              className={classes.farCard}
              data-source={isSource}
              data-faulty={isFaulty}
              data-selected={isSelected}
              d={path}
            />
          ))}
      </svg>
    </ViewportPortal>
  );
}

/** From afar only the card under the pointer has elements, so that it can be chosen and dragged. */
export function useFarNodes(level: Level, nodes: FlowNode[]) {
  const { screenToFlowPosition } = useReactFlow();
  const [pointed, setPointed] = useState<string>();
  // The library chooses only among what it draws.
  const isSelecting = useStore((state) => state.userSelectionActive);
  const isBare = level === 'shapes' && !isSelecting;
  const drawn = useMemo(
    () => (isBare ? withoutElements(nodes, pointed) : nodes),
    [isBare, nodes, pointed],
  );
  const onPointerMove = (event: PointerEvent) => {
    if (!isBare || event.buttons > 0) return;
    const { x, y } = screenToFlowPosition({ x: event.clientX, y: event.clientY });
    setPointed(cardAt(nodes, x, y));
  };
  return { drawn, onPointerMove };
}
