/**
 * A list as a table: sorted by its headers, navigated and chosen by keys, with a menu for each row
 * and for a right click. It may have a hundred thousand rows; see virtual-rows.ts.
 */
import { Checkbox, Loader, Menu, VisuallyHidden } from '@mantine/core';
import { useCallbackRef, useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { Fragment, type MouseEvent, useMemo, useRef, useState } from 'react';
import table from '../table.module.css';
import { ActionItems } from './action-items.tsx';
import type { Column } from './column.ts';
import { type RowDrag, useRowDrag } from './row-drag.ts';
import { indexOf, type Keyed, useRowKeys } from './row-keys.ts';
import classes from './row-table.module.css';
import { TableRow } from './table-row.tsx';
import { type More, useVirtualRows } from './virtual-rows.ts';

export type TableProps<Row, Kind extends string> = Keyed<Row, Kind> &
  More & {
    columns: readonly Column<Row>[];
    /** The field, with `-` in front for descending; undefined if users cannot sort. */
    sort?: string | undefined;
    onSort?: (sort: string) => void;
    drag?: RowDrag<Row>;
  };

export function RowTable<Row extends { id: number; name: string }, Kind extends string>(
  props: TableProps<Row, Kind>,
) {
  const { rows, columns, selected, actions, onAction, onOpen, drag, hasMore } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const isPhone = useMediaQuery('(max-width: 48em)') ?? false;
  const keys = useRowKeys(props);
  const { current } = keys;
  // The same functions each time, so that only rows that change are rendered again.
  const toggle = useCallbackRef(keys.toggle);
  const open = useCallbackRef(onOpen);
  const height = isPhone ? 55 : 49;
  const shown = useVirtualRows({ place: body, count: rows.length, current, height }, props);
  const { over, ...dragProps } = useRowDrag(rows, keys.chosenWith, drag);
  const [forMenu, setForMenu] = useState<readonly Row[]>([]);
  const chooseForMenu = ({ target }: MouseEvent) => {
    const row = rows[indexOf(target)];
    if (row) setForMenu(keys.chosenWith(row));
  };
  return (
    <>
      <Menu position="bottom-start">
        <table
          className={`${table.table} ${classes.table}`}
          // Unknown as long as there is more.
          aria-rowcount={hasMore ? -1 : rows.length + 1}
        >
          <Head {...props} />
          <Menu.ContextMenu>
            <tbody
              ref={body}
              onContextMenu={chooseForMenu}
              onClick={keys.onClick}
              onKeyDown={keys.onKeyDown}
              onFocus={keys.onFocus}
              {...dragProps}
            >
              {shown.items.map(({ index, gap }) => {
                const row = rows[index];
                return (
                  row && (
                    <Fragment key={row.id}>
                      <Gap height={gap} />
                      <TableRow
                        row={row}
                        index={index}
                        columns={columns}
                        isSelected={selected.has(row.id)}
                        isCurrent={index === Math.min(current, rows.length - 1)}
                        isOver={over === row.id}
                        isDraggable={drag !== undefined}
                        onToggle={toggle}
                        onOpen={open}
                      />
                    </Fragment>
                  )
                );
              })}
              <Gap height={shown.rest} />
            </tbody>
          </Menu.ContextMenu>
        </table>
        <Menu.Dropdown>
          <ActionItems actions={actions} rows={forMenu} onAction={onAction} />
        </Menu.Dropdown>
      </Menu>
      <div className={classes.more}>
        {props.isLoadingMore && <Loader size="xs" aria-label="Loading more" />}
      </div>
    </>
  );
}

/** In the place of rows that are not rendered. */
const Gap = ({ height }: { height: number }) =>
  height > 0 && (
    <tr aria-hidden className={classes.gap}>
      <td style={{ height }} />
    </tr>
  );

function Head<Row extends { id: number }, Kind extends string>(props: TableProps<Row, Kind>) {
  const { rows, columns, selected, onSelect, sort, onSort } = props;
  const chosen = useMemo(
    () => (selected.size === 0 ? 0 : rows.filter(({ id }) => selected.has(id)).length),
    [rows, selected],
  );
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th className={classes.box}>
          <Checkbox
            size="xs"
            aria-label="Choose all"
            checked={chosen === rows.length}
            indeterminate={chosen > 0 && chosen < rows.length}
            onChange={() =>
              onSelect(new Set(chosen === rows.length ? [] : rows.map((row) => row.id)))
            }
          />
        </th>
        {columns.map(({ field, label, isSortable, width, isRight, isNarrow }) => (
          <th
            key={field}
            className={`${isRight ? table.right : ''} ${isNarrow ? '' : table.wide}`}
            style={{ width }}
            aria-sort={
              sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : undefined
            }
          >
            {sort === undefined || !isSortable ? (
              label
            ) : (
              <button
                type="button"
                className={table.sort}
                onClick={() => onSort?.(sort === field ? `-${field}` : field)}
              >
                {label}
                {sort === field && <IconArrowUp size={13} aria-hidden />}
                {sort === `-${field}` && <IconArrowDown size={13} aria-hidden />}
              </button>
            )}
          </th>
        ))}
        <th className={classes.dots}>
          <VisuallyHidden>Actions</VisuallyHidden>
        </th>
      </tr>
    </thead>
  );
}
