/** A small picture of a graph: its boxes and lines, without words. */
import { useMemo } from 'react';
import { layoutGraph } from './graph-layout.ts';
import { type GraphShape, graphParts } from './graph-parts.ts';
import classes from './graph-picture.module.css';

const box = { width: 72, height: 36 };
const dot = { width: 24, height: 24 };
/** What is around the drawing, also at its smallest. */
const margin = 8;
/** A graph of few nodes is not drawn larger than these. */
const least = { width: 300, height: 90 };

export function GraphPicture({ shape }: { shape: GraphShape }) {
  const { nodes, layout } = useMemo(() => {
    const parts = graphParts(shape);
    const sized = parts.nodes.map(({ key, isInput }) => ({ key, ...(isInput ? dot : box) }));
    return { nodes: parts.nodes, layout: layoutGraph(sized, parts.edges) };
  }, [shape]);
  const width = Math.max(least.width, layout.width + 2 * margin);
  const height = Math.max(least.height, layout.height + 2 * margin);
  const [x, y] = [(width - layout.width) / 2, (height - layout.height) / 2];
  return (
    <svg viewBox={`0 0 ${width} ${height}`} className={classes.picture} aria-hidden="true">
      <g transform={`translate(${x} ${y})`}>
        {layout.edges.map(({ from, to, path }) => (
          <path key={`${from} ${to}`} d={path} className={classes.line} />
        ))}
        {nodes.map(({ key, isInput }) => {
          const at = layout.nodes.get(key);
          if (!at) return null;
          return isInput ? (
            <circle
              key={key}
              cx={at.x + dot.width / 2}
              cy={at.y + dot.height / 2}
              r={dot.width / 2}
              className={classes.input}
            />
          ) : (
            <rect key={key} {...at} {...box} rx={9} className={classes.node} />
          );
        })}
      </g>
    </svg>
  );
}
