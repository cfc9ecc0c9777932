// biome-ignore-all lint/a11y/useSemanticElements: a table has no rows and columns that are left out
/**
 * The grid itself: only the rows and columns near what is in view are in the page. The frame has the
 * focus and names the current cell, so that this may leave the page without a loss.
 */

import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { useCallbackRef, useElementSize, useMediaQuery } from '@mantine/hooks';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Counts } from '../run-status.ts';
import { type Chosen, cellKey, onceRow } from './chosen.ts';
import classes from './grid.module.css';
import { Head } from './grid-head.tsx';
import { gridKeys } from './grid-keys.ts';
import type { At } from './grid-order.ts';
import type { GridReader } from './grid-reader.ts';
import { type Column, domId, Row } from './grid-row.tsx';
import { placeOf } from './grid-rows.ts';
import { Strip } from './grid-strip.tsx';
import { GridTooltip, type Pointed } from './grid-tooltip.tsx';
import { RowSlots } from './row-slots.ts';

type Props = {
  reader: GridReader;
  /** The ids of the rows to show. */
  order: readonly number[];
  titles: ReadonlyMap<string, string>;
  counts: ReadonlyMap<string, Counts | undefined>;
  chosen: Chosen;
  /** What the run itself has of a node run, for the reason. */
  reasonOf: (key: string, shard_index: number | undefined) => NodeRun | undefined;
  onChoose: (chosen: Chosen) => void;
  onOpen: (cell: string) => void;
};

const rowHeight = 34;
const overscan = 8;
/** With the scroll bar beside it. */
const stripWidth = 28;
/** Narrower columns have their heads upright. */
const legible = { wide: 92, narrow: 64 };

export function GridFrame(props: Props) {
  const { reader, order, titles, counts, chosen, onChoose, onOpen } = props;
  const { rows } = reader;
  const isPhone = useMediaQuery('(max-width: 48em)') ?? false;
  const scroller = useRef<HTMLDivElement>(null);
  const { ref: sizeRef, width: room } = useElementSize();
  const nameWidth = isPhone ? 148 : 268;
  const fitting = Math.floor((room - stripWidth - nameWidth) / Math.max(1, rows.nodes.length));
  // Even, so that the pictures in the middle of cells begin at a pixel.
  const columnWidth = Math.min(168, Math.max(40, fitting - (fitting % 2)));
  // Before the room is measured, all columns seem narrow.
  const isUpright = room > 0 && columnWidth < (isPhone ? legible.narrow : legible.wide);
  const [current, setCurrent] = useState<At>({ row: 0, column: -1 });

  const vertical = useVirtualizer({
    count: order.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    // Drawn with the next frame: a wheel may turn several times before.
    useFlushSync: false,
    overscan,
    scrollPaddingEnd: isUpright ? 170 : 90,
    rangeExtractor: (range) => {
      const near = defaultRangeExtractor(range);
      const { row } = current;
      return row < 0 || row >= order.length || near.includes(row)
        ? near
        : [...near, row].sort((a, b) => a - b);
    },
  });
  const horizontal = useVirtualizer({
    horizontal: true,
    count: rows.nodes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => columnWidth,
    paddingStart: nameWidth,
    scrollPaddingStart: nameWidth,
    overscan: 3,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: sizes are those of the former width
  useEffect(() => horizontal.measure(), [columnWidth, nameWidth]);
  const columns = useColumns(horizontal.getVirtualItems());
  const [slots] = useState(() => new RowSlots());
  const near = vertical.getVirtualItems().map(({ index }) => index);
  const inView = near.map((row) => order[row] ?? 0);
  useEffect(() => reader.see(inView));

  const open = useCallbackRef((id: number, column: number) => {
    const node = rows.nodes[column];
    const at = id === onceRow ? undefined : placeOf(id).shard_index;
    if (node) onOpen(at === undefined ? node.node_key : `${node.node_key}:${at}`);
  });
  const hasOnce = rows.nodes.some(({ group }) => group === undefined);
  const keys = gridKeys({
    ...{ rows, order, chosen, onChoose, current, hasOnce },
    pageRows: Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 3),
    onMove: (to) => {
      setCurrent(to);
      if (to.row >= 0) vertical.scrollToIndex(to.row, { align: 'auto' });
      if (to.column >= 0) horizontal.scrollToIndex(to.column, { align: 'auto' });
    },
    onOpen: open,
  });
  const [pointed, setPointed] = useState<Pointed>();
  const width = Math.max(horizontal.getTotalSize(), room - stripWidth);
  const idOfRow = (row: number) => (row < 0 ? onceRow : (order[row] ?? 0));
  const rowProps = (id: number, row: number) => ({
    ...{ id, columns, width },
    isChosen: chosen.rows.has(id),
    chosenCells: chosenOf(chosen, id, rows.nodes.length),
    currentColumn: current.row === row ? current.column : undefined,
  });
  return (
    <div className={classes.around} ref={sizeRef}>
      <div
        ref={scroller}
        role="grid"
        tabIndex={0}
        aria-label={t`Files and steps`}
        aria-multiselectable
        aria-busy={reader.isReading}
        aria-rowcount={order.length + (hasOnce ? 2 : 1)}
        aria-colcount={rows.nodes.length + 1}
        aria-activedescendant={domId(idOfRow(current.row), current.column)}
        className={classes.frame}
        data-wide={horizontal.getTotalSize() > room - stripWidth || undefined}
        style={{ '--name-width': `${nameWidth}px` } as object}
        {...keys}
        onMouseMove={(event) => setPointed(pointedAt(event.target as HTMLElement, order))}
        onMouseLeave={() => setPointed(undefined)}
        onScroll={() => pointed && setPointed(undefined)}
      >
        <div role="rowgroup" className={classes.top}>
          <Head nodes={rows.nodes} {...{ titles, counts, columns, width, isUpright }} />
          {hasOnce && (
            <Row
              {...rowProps(onceRow, -1)}
              cells={rows.onceCells}
              name={t`Once for all files`}
              ariaRow={2}
              top={undefined}
            />
          )}
        </div>
        <div
          role="rowgroup"
          className={classes.body}
          style={{ height: vertical.getTotalSize(), width }}
        >
          {slots.show(near, vertical.isScrolling).map(({ key, row }) => {
            const id = order[row] ?? 0;
            const file = rows.row(id);
            return (
              <Row
                key={key}
                {...rowProps(id, row)}
                cells={file?.cells}
                name={file?.name}
                ariaRow={row + (hasOnce ? 3 : 2)}
                top={row * rowHeight}
              />
            );
          })}
        </div>
      </div>
      <Strip rows={rows} order={order} scroller={scroller} rowHeight={rowHeight} />
      <GridTooltip {...{ pointed, rows, order, titles }} reasonOf={props.reasonOf} />
    </div>
  );
}

/** The same array while the same columns are in view, so that no row is drawn again for it. */
function useColumns(items: readonly Column[]): readonly Column[] {
  const [first, last] = [items[0], items.at(-1)];
  const key = `${first?.index} ${first?.start} ${first?.size} ${last?.index}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the columns
  return useMemo(() => items.map(({ index, start, size }) => ({ index, start, size })), [key]);
}

/** The columns; short, and equal while nothing of the row changes. */
function chosenOf({ cells }: Chosen, id: number, count: number): string {
  if (cells.size === 0) return '';
  const columns = Array.from({ length: count }, (_, column) => column);
  return columns.filter((column) => cells.has(cellKey(id, column))).join(' ');
}

function pointedAt(target: HTMLElement, order: readonly number[]): Pointed | undefined {
  const cell = target.closest<HTMLElement>('[data-letter]');
  const row = cell?.closest<HTMLElement>('[data-id]');
  if (!cell || !row) return undefined;
  const id = Number(row.dataset.id);
  return { id, row: order.indexOf(id), column: Number(cell.dataset.column), cell };
}
