/**
 * A line between two ports. Its shape tells what it brings: files one by one open as a fan, files of
 * the same lane are a double line, a gather ends at a bracket, the same files for each are thin with
 * a ring. None is dashed: dashes cost frames. From afar far-lines.ts draws them.
 */
import { t } from '@lingui/core/macro';
import { BaseEdge, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import type { FlowEdge } from './flow.ts';
import { endOf, lineOf } from './ways/kept-ways.ts';
import classes from './wire.module.css';

export const Wire = memo(function Wire(props: EdgeProps<FlowEdge>) {
  const { id, sourceX, sourceY, targetX, targetY, data, selected } = props;
  if (!data) return null;
  const { role, hue, family, isLit, way } = data;
  const start = { x: sourceX, y: sourceY };
  const end = { x: targetX - endOf(role), y: targetY };
  const path = `M${start.x} ${start.y}${lineOf(way, start, end)}`;
  return (
    <g
      className={classes.wire}
      data-role={role}
      data-hue={hue}
      data-family={family}
      data-selected={selected}
      data-lit={isLit}
    >
      <BaseEdge id={id} path={path} interactionWidth={20} />
      {role === 'same_lane' && <path d={path} className={classes.core} />}
      <End role={role} x={targetX} y={targetY} ratio={data.edge.min_success_ratio} />
    </g>
  );
});

type Point = { x: number; y: number };

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
        {waitsWords(ratio)}
      </text>
    </>
  );
}

function waitsWords(ratio = 1) {
  const percent = Math.round(ratio * 100);
  return ratio === 1 ? t`waits for all` : t`waits, ≥ ${percent} %`;
}
