/**
 * A line between two ports. Its shape tells what it brings: files one by one open as a fan, files of
 * the same lane are a double line, a gather ends at a bracket, the same files for each are thin with
 * a ring. None is dashed: dashes cost frames.
 */
import { BaseEdge, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import type { FlowEdge } from './flow.ts';
import { useIsReadable } from './node-card.tsx';
import classes from './wire.module.css';

export const Wire = memo(function Wire(props: EdgeProps<FlowEdge>) {
  const { id, sourceX, sourceY, targetX, targetY, data, selected } = props;
  const isReadable = useIsReadable();
  if (!data) return null;
  const { role, hue, family, isLit } = data;
  // Boxes have no ports, which begin beyond their edges.
  const beyond = isReadable ? 0 : 6;
  const end = { x: targetX + beyond - (role === 'gather' && isReadable ? 9 : 0), y: targetY };
  const path = curve({ x: sourceX - beyond, y: sourceY }, end);
  return (
    <g
      className={classes.wire}
      data-role={role}
      data-hue={hue}
      data-family={family}
      data-selected={selected}
      data-lit={isLit}
    >
      <BaseEdge id={id} path={path} interactionWidth={isReadable ? 20 : 0} />
      {role === 'same_lane' && <path d={path} className={classes.core} />}
      {isReadable && (
        <End role={role} x={targetX} y={targetY} ratio={data.edge.min_success_ratio} />
      )}
    </g>
  );
});

type Point = { x: number; y: number };

function curve(start: Point, end: Point) {
  const distance = end.x - start.x;
  const bend = distance >= 0 ? Math.max(28, distance / 2) : Math.min(220, 60 - distance / 3);
  return `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`;
}

type EndProps = Point & { role: string; ratio: number | undefined };

function End({ role, x, y, ratio }: EndProps) {
  if (role === 'lane_source') {
    const from = `M${x - 26} ${y}`;
    return (
      <path
        className={classes.mark}
        d={`${from}Q${x - 12} ${y} ${x - 2} ${y - 7}${from}Q${x - 12} ${y} ${x - 2} ${y + 7}`}
      />
    );
  }
  if (role === 'broadcast') return <circle className={classes.ring} cx={x - 10} cy={y} r={4.5} />;
  if (role !== 'gather') return null;
  return (
    <>
      <path className={classes.bracket} d={`M${x - 14} ${y - 10}h5v20h-5`} />
      <text className={classes.words} x={x - 8} y={y + 22}>
        {ratio === undefined || ratio === 1
          ? 'waits for all'
          : `waits, ≥ ${Math.round(ratio * 100)} %`}
      </text>
    </>
  );
}
