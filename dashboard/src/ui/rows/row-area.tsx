/**
 * What a table and a grid of rows have in common: keys, mouse, dragging, one menu for all rows, and
 * more rows as the end comes near.
 */
import { t } from '@lingui/core/macro';
import { Loader, Menu } from '@mantine/core';
import { type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { Problem } from '../await.tsx';
import { ActionItems } from './action-items.tsx';
import classes from './row-area.module.css';
import type { RowState } from './row-box.tsx';
import { type RowDrag, useRowDrag } from './row-drag.ts';
import { indexOf, type Keyed, useRowKeys } from './row-keys.ts';
import { type More, useVirtualRows } from './virtual-rows.ts';

export type RowAreaProps<Row, Kind extends string> = Keyed<Row, Kind> &
  More & {
    drag?: RowDrag<Row>;
    /** The id of the row that is shown beside the list. */
    shownId?: number | undefined;
  };

/** @param columns how many rows are beside each other in a line. */
export function useRowArea<Row extends { id: number }, Kind extends string>(
  props: RowAreaProps<Row, Kind>,
  { columns = 1, height }: { columns?: number; height: number },
) {
  const { rows, drag } = props;
  const place = useRef<HTMLElement>(null);
  const keys = useRowKeys(props, place, columns);
  const current = Math.min(keys.current, rows.length - 1);
  const count = Math.ceil(rows.length / columns);
  const shown = useVirtualRows(
    { place, count, current: Math.floor(current / columns), height },
    props,
  );
  const { over, ...dragProps } = useRowDrag(rows, keys.chosenWith, drag);
  const [forMenu, setForMenu] = useState<readonly Row[]>([]);
  return {
    place,
    shown,
    toggle: keys.toggle,
    forMenu,
    /** What a row has to know about itself. */
    stateOf: (row: Row, index: number): RowState<Row> => ({
      row,
      index,
      isSelected: props.selection.selected.has(row.id),
      isCurrent: index === current,
      isOver: over === row.id,
      isShown: props.shownId === row.id,
      isDraggable: drag !== undefined,
    }),
    /** For the element that holds the rows. */
    handlers: {
      onContextMenu: ({ target }: MouseEvent) => {
        const row = rows[indexOf(target)];
        if (row) setForMenu(keys.chosenWith(row));
      },
      onClick: keys.onClick,
      onDoubleClick: keys.onDoubleClick,
      onKeyDown: keys.onKeyDown,
      onFocus: keys.onFocus,
      ...dragProps,
    },
  };
}

type AreaProps<Row, Kind extends string> = RowAreaProps<Row, Kind> & {
  forMenu: readonly Row[];
  /** With a `Menu.ContextMenu` around the element that holds the rows. */
  children: ReactNode;
};

export function RowArea<Row, Kind extends string>(props: AreaProps<Row, Kind>) {
  const { forMenu, actions, onAction, children, isLoadingMore, moreError, onMore } = props;
  return (
    <>
      <Menu position="bottom-start">
        {children}
        <Menu.Dropdown>
          <ActionItems actions={actions} rows={forMenu} onAction={onAction} />
        </Menu.Dropdown>
      </Menu>
      <div className={classes.more}>
        {isLoadingMore && <Loader size="xs" role="status" aria-label={t`Loading more`} />}
        {moreError != null && !isLoadingMore && (
          <Problem title={t`The rest could not be loaded`} error={moreError} onRetry={onMore} />
        )}
      </div>
    </>
  );
}
