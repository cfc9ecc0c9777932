/** A drawing of a graph: boxes in layers, each with its facts. Scrolls if it is wide. */
import { Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type CSSProperties, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { layoutGraph } from './graph-layout.ts';
import classes from './graph-view.module.css';

export type ViewNode = {
  key: string;
  title: string;
  /** Below the title, for example the progress. */
  note?: string;
  /** A status of ui/status.tsx; undefined draws a plain box. */
  status?: string | undefined;
  /** Shares of a bar at the foot of the box, 0…1 each. */
  shares?: { status: string; share: number }[];
  /** On the lines that leave it; an empty text keeps its place. */
  passed?: { text: string; isLess: boolean } | undefined;
  /** Inputs of the graph are drawn as pills. */
  isInput?: boolean;
  /** Of another version, drawn where it was. */
  isGhost?: boolean;
};

export type ViewEdge = {
  from: string;
  to: string;
  /** Of a comparison. */
  mark?: 'added' | 'removed' | undefined;
};

type Props = {
  label: string;
  nodes: readonly ViewNode[];
  edges: readonly ViewEdge[];
  chosen?: string | undefined;
  onChoose?: (key: string) => void;
};

const sizes = {
  wide: { node: { width: 184, height: 64 }, input: { width: 112, height: 36 } },
  // Two side by side fit on a phone.
  narrow: { node: { width: 142, height: 60 }, input: { width: 112, height: 34 } },
};
const margin = 4;
/** Between boxes, where lines have texts on them. */
const wideGap = 112;

export function GraphView({ label, nodes, edges, chosen, onChoose }: Props) {
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false;
  const size = isNarrow ? sizes.narrow : sizes.wide;
  const hasTexts = nodes.some(({ passed }) => passed);
  const layout = useMemo(
    () =>
      layoutGraph(
        nodes.map(({ key, isInput }) => ({ key, ...(isInput ? size.input : size.node) })),
        edges,
        isNarrow ? 'down' : 'right',
        hasTexts && !isNarrow ? wideGap : undefined,
      ),
    [nodes, edges, isNarrow, size, hasTexts],
  );
  const marks = new Map(edges.map(({ from, to, mark }) => [`${from} ${to}`, mark]));
  const width = layout.width + 2 * margin;
  const height = layout.height + 2 * margin;
  return (
    <section
      className={classes.frame}
      aria-label={label}
      // Without boxes that take the focus, keys scroll it by this.
      {...(!onChoose && { tabIndex: 0 })}
    >
      <div className={classes.canvas} style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true" className={classes.lines}>
          <g transform={`translate(${margin} ${margin})`}>
            {layout.edges.map(({ from, to, path }) => (
              <path
                key={`${from} ${to}`}
                d={path}
                data-done={nodes.find(({ key }) => key === from)?.status === 'success'}
                data-mark={marks.get(`${from} ${to}`)}
              />
            ))}
            {nodes.map(({ key, passed }) => {
              const at = layout.nodes.get(key);
              if (!passed?.text || !at) return null;
              // All lines of a box leave at one point, so one text is enough for them.
              const { width: across, height: down } = size.node;
              const place = isNarrow
                ? { x: at.x + across / 2, y: at.y + down + 16, textAnchor: 'middle' as const }
                : { x: at.x + across + 8, y: at.y + down / 2 };
              return (
                <text key={key} {...place} data-less={passed.isLess}>
                  {passed.text}
                </text>
              );
            })}
          </g>
        </svg>
        {nodes.map((node) => {
          const at = layout.nodes.get(node.key);
          if (!at) return null;
          const place = {
            left: at.x + margin,
            top: at.y + margin,
            ...(node.isInput ? size.input : size.node),
          };
          return (
            <GraphBox
              key={node.key}
              node={node}
              place={place}
              isChosen={chosen === node.key}
              {...(onChoose && !node.isInput ? { onChoose: () => onChoose(node.key) } : {})}
            />
          );
        })}
      </div>
    </section>
  );
}

/** Also for keyboards and touch; screen readers read all of a note in any case. */
const tooltipEvents = { hover: true, focus: true, touch: true };

type BoxProps = { node: ViewNode; place: CSSProperties; isChosen: boolean; onChoose?: () => void };

function GraphBox({ node, place, isChosen, onChoose }: BoxProps) {
  const { title, note, status, shares, isInput, isGhost } = node;
  const noteBox = useRef<HTMLSpanElement>(null);
  const [isNoteCut, setNoteCut] = useState(false);
  useLayoutEffect(() => {
    const shown = noteBox.current;
    setNoteCut(shown !== null && shown.scrollHeight > shown.clientHeight);
  });
  const content = (
    <>
      <span className={classes.title} title={title}>
        {title}
      </span>
      {note && (
        <span ref={noteBox} className={classes.note}>
          {note}
        </span>
      )}
      {shares && (
        <span className={classes.bar} aria-hidden>
          {shares.map(({ status: part, share }) => (
            <i key={part} data-status={part} style={{ width: `${share * 100}%` }} />
          ))}
        </span>
      )}
    </>
  );
  if (!onChoose) {
    return (
      <div
        className={classes.box}
        data-input={isInput}
        data-status={status}
        data-ghost={isGhost}
        style={place}
      >
        {content}
      </div>
    );
  }
  return (
    <Tooltip label={note} disabled={!isNoteCut} events={tooltipEvents} multiline maw={260}>
      <button
        type="button"
        className={classes.box}
        data-node={node.key}
        data-status={status}
        data-ghost={isGhost}
        aria-pressed={isChosen}
        style={place}
        onClick={onChoose}
      >
        {content}
      </button>
    </Tooltip>
  );
}
