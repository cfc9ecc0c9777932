/** When each step ran for each file: waiting, getting ready and running, on the scale of the run. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { isTerminal, type Moment } from '@cogworks/sdk/runs';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import type { RunNews } from '../../../run-news.ts';
import { Problem } from '../../../ui/await.tsx';
import { formatDuration } from '../../../ui/format.ts';
import { statusLabel } from '../../../ui/status.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { cellOf } from '../cell/cell-key.ts';
import { barsOf, phaseWords, type Scale } from './bars.ts';
import { PhaseBars } from './phase-bars.tsx';
import classes from './timeline.module.css';
import { pageSize, useTimelinePages } from './use-timeline-pages.ts';

type Props = { moment: Moment; news: RunNews; onOpen: (cell: string) => void };

const rowHeight = 34;

export function RunTimeline({ moment: { run, nodes }, news, onOpen }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const total = nodes.reduce((sum, { expected }) => sum + (expected ?? 0), 0);
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const isMoving = !isTerminal(run.status);
  const { rows, error } = useTimelinePages(run.id, items, news, isMoving);
  const names = useMemo(
    () => new Map(run.run_files.map(({ cog_id, name }) => [cog_id, name])),
    [run.run_files],
  );
  if (total === 0) {
    return (
      <Text size="sm" c="var(--faint)" py="lg">
        <Trans>Nothing has begun yet.</Trans>
      </Text>
    );
  }
  const now = Date.now();
  const from = Date.parse(run.created_at);
  const scale = { from, to: run.finished_at ? Date.parse(run.finished_at) : now };
  return (
    <>
      {error != null && <Problem error={error} />}
      <Legend />
      <div className={classes.frame}>
        <Axis scale={scale} />
        <div ref={scroller} className={classes.scroll}>
          <ul className={classes.list} style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start }) => {
              const row = rows(index);
              return (
                <li
                  key={index}
                  className={classes.item}
                  style={{ transform: `translateY(${start}px)` }}
                  aria-setsize={total}
                  aria-posinset={index + 1}
                >
                  {row ? (
                    <TimelineRow
                      row={row}
                      name={nameOf(row, names)}
                      scale={scale}
                      now={now}
                      onOpen={onOpen}
                    />
                  ) : (
                    <span className={classes.unread}>…</span>
                  )}
                </li>
              );
            })}
          </ul>
        </div>
      </div>
      {total > pageSize && (
        <Text size="xs" c="var(--faint)" mt={8}>
          <Trans>In the order of the steps, then of the files.</Trans>
        </Text>
      )}
    </>
  );
}

function nameOf({ cog_id, shard_index }: NodeRun, names: ReadonlyMap<number, string>) {
  if (shard_index === undefined) return undefined;
  const name = cog_id === undefined ? undefined : names.get(cog_id);
  return name === undefined ? t`file ${shard_index + 1}` : visibleText(name);
}

type RowProps = {
  row: NodeRun;
  name: string | undefined;
  scale: Scale;
  now: number;
  onOpen: (cell: string) => void;
};

function TimelineRow({ row, name, scale, now, onOpen }: RowProps) {
  const bars = barsOf(row, now);
  const took = bars
    .filter(({ phase }) => phase === 'running' || phase === 'failed')
    .reduce((sum, bar) => sum + bar.to - bar.from, 0);
  return (
    <button type="button" className={classes.row} onClick={() => onOpen(cellOf(row))}>
      <span className={classes.label}>
        <b>{row.title || row.node_key}</b>
        {name && ` · ${name}`}
      </span>
      <PhaseBars bars={bars} scale={scale} />
      <span className={classes.took}>
        {row.cached ? t`reused` : took > 0 ? formatDuration(took) : statusLabel(row.status)}
      </span>
    </button>
  );
}

/** Times since the start of the run. */
function Axis({ scale: { from, to } }: { scale: Scale }) {
  return (
    <div className={classes.axis} aria-hidden>
      <span />
      <span className={classes.ticks}>
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share} style={{ left: `${share * 100}%` }}>
            {formatDuration((to - from) * share)}
          </span>
        ))}
      </span>
      <span />
    </div>
  );
}

const Legend = () => (
  <div className={classes.legend}>
    {(['waiting', 'preparing', 'running', 'failed'] as const).map((phase) => (
      <span key={phase}>
        <i className={classes.sample} aria-hidden>
          <i data-phase={phase} />
        </i>
        {phaseWords[phase]}
      </span>
    ))}
  </div>
);
