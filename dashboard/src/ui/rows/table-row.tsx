/** One row of a table: its box to choose it, its cells, and the dots of its menu. */
import { memo } from 'react';
import table from '../table.module.css';
import type { Column } from './column.ts';
import { MenuButton } from './menu-button.tsx';
import { RowBox, type RowState } from './row-box.tsx';

type Props<Row> = RowState<Row> & {
  columns: readonly Column<Row>[];
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
        <RowBox row={row} index={index} isSelected={isSelected} onToggle={onToggle} />
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
