/**
 * A list as a table: sorted by its headers, navigated and chosen by keys, with a menu for each row
 * and for a right click. It may have a hundred thousand rows; see virtual-rows.ts.
 */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Checkbox, Menu, VisuallyHidden } from '@mantine/core';
import { useCallbackRef, useMediaQuery, useMergedRef } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { Fragment } from 'react';
import table from '../table.module.css';
import type { Column } from './column.ts';
import { RowArea, type RowAreaProps, useRowArea } from './row-area.tsx';
import classes from './row-table.module.css';
import { TableRow } from './table-row.tsx';

export type TableProps<Row, Kind extends string> = RowAreaProps<Row, Kind> & {
  columns: readonly Column<Row>[];
  /** The field, with `-` in front for descending; undefined if users cannot sort. */
  sort?: string | undefined;
  onSort?: (sort: string) => void;
};

export function RowTable<Row extends { id: number; name: string }, Kind extends string>(
  props: TableProps<Row, Kind>,
) {
  const { rows, columns, onOpen, hasMore } = props;
  const isPhone = useMediaQuery('(max-width: 48em)') ?? false;
  const area = useRowArea(props, { height: isPhone ? 55 : 49 });
  // The same functions each time, so that only rows that change are rendered again.
  const toggle = useCallbackRef(area.toggle);
  const open = useCallbackRef(onOpen);
  return (
    <RowArea {...props} forMenu={area.forMenu}>
      <table
        className={`${table.table} ${classes.table}`}
        // Unknown as long as there is more.
        aria-rowcount={hasMore ? -1 : rows.length + 1}
      >
        <Head {...props} />
        <Menu.ContextMenu>
          <tbody ref={useMergedRef(area.place)} {...area.handlers}>
            {area.shown.items.map(({ index, gap }) => {
              const row = rows[index];
              return (
                row && (
                  <Fragment key={row.id}>
                    <Gap height={gap} />
                    <TableRow
                      {...area.stateOf(row, index)}
                      columns={columns}
                      onToggle={toggle}
                      onOpen={open}
                    />
                  </Fragment>
                )
              );
            })}
            <Gap height={area.shown.rest} />
          </tbody>
        </Menu.ContextMenu>
      </table>
    </RowArea>
  );
}

/** In the place of rows that are not rendered. */
const Gap = ({ height }: { height: number }) =>
  height > 0 && (
    <tr aria-hidden className={classes.gap}>
      <td style={{ height }} />
    </tr>
  );

function Head<Row, Kind extends string>(props: TableProps<Row, Kind>) {
  const { rows, columns, hasMore, selection, sort, onSort } = props;
  const { chosen, rest, onSelect, onSelectAll } = selection;
  const isAll = !hasMore && chosen.length === rows.length;
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th className={classes.box}>
          <Checkbox
            size="xs"
            aria-label={t`Choose all`}
            checked={isAll}
            indeterminate={chosen.length > 0 && !isAll}
            onChange={() => (isAll || rest ? onSelect(new Set()) : onSelectAll())}
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
          <VisuallyHidden>
            <Trans>Actions</Trans>
          </VisuallyHidden>
        </th>
      </tr>
    </thead>
  );
}
