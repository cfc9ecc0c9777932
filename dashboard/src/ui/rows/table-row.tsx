/** One row of a table: its box to choose it, its cells, and the dots of its menu. */
import { Checkbox } from '@mantine/core';
import { type MouseEvent, memo } from 'react';
import table from '../table.module.css';
import type { Column } from './column.ts';
import { MenuButton } from './menu-button.tsx';

type Props<Row> = {
  row: Row;
  index: number;
  columns: readonly Column<Row>[];
  isSelected: boolean;
  /** The one that the Tab key leads to. */
  isCurrent: boolean;
  /** Something is dragged over it that it takes. */
  isOver: boolean;
  /** It is shown beside the list. */
  isShown: boolean;
  isDraggable: boolean;
  onToggle: (index: number, isRange: boolean) => void;
  onOpen: (row: Row) => void;
};

function Line<Row extends { name: string }>(props: Props<Row>) {
  const { row, index, columns, isSelected, onToggle, onOpen } = props;
  return (
    <tr
      data-index={index}
      tabIndex={props.isCurrent ? 0 : -1}
      draggable={props.isDraggable}
      data-over={props.isOver || undefined}
      aria-current={props.isShown || undefined}
      // The header is the first.
      aria-rowindex={index + 2}
      aria-selected={isSelected}
    >
      <td>
        <Checkbox
          size="xs"
          tabIndex={-1}
          aria-label={`Choose ${row.name}`}
          checked={isSelected}
          onChange={(event) =>
            onToggle(index, (event.nativeEvent as unknown as MouseEvent).shiftKey)
          }
        />
      </td>
      {columns.map(({ field, isRight, isNarrow, cell }, nth) => (
        <td
          key={field}
          className={`${nth === 0 ? '' : table.quiet} ${isRight ? table.right : ''} ${isNarrow ? '' : table.wide}`}
        >
          {cell(row, () => onOpen(row))}
        </td>
      ))}
      <td>
        <MenuButton name={row.name} />
      </td>
    </tr>
  );
}

/** Its type parameter is lost by `memo`. */
export const TableRow = memo(Line) as typeof Line;
