/** One row of a table: its box to choose it, its cells, and the menu of its actions. */
import { ActionIcon, Checkbox, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { type MouseEvent, memo } from 'react';
import table from '../table.module.css';
import { ActionItems } from './action-items.tsx';
import type { Actions, OnAction } from './actions.ts';
import type { Column } from './column.ts';

type Props<Row, Kind extends string> = {
  row: Row;
  index: number;
  columns: readonly Column<Row>[];
  actions: Actions<Row, Kind>;
  isSelected: boolean;
  /** The one that the Tab key leads to. */
  isCurrent: boolean;
  /** Something is dragged over it that it takes. */
  isOver: boolean;
  isDraggable: boolean;
  onAction: OnAction<Row, Kind>;
  onToggle: (index: number, isRange: boolean) => void;
  onOpen: (row: Row) => void;
};

function Line<Row extends { name: string }, Kind extends string>(props: Props<Row, Kind>) {
  const { row, index, columns, actions, isSelected, onAction, onToggle, onOpen } = props;
  return (
    <tr
      data-index={index}
      tabIndex={props.isCurrent ? 0 : -1}
      draggable={props.isDraggable}
      data-over={props.isOver || undefined}
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
        <Menu>
          <Menu.Target>
            <ActionIcon aria-label={`Actions for ${row.name}`} tabIndex={-1}>
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <ActionItems actions={actions} rows={[row]} onAction={onAction} />
          </Menu.Dropdown>
        </Menu>
      </td>
    </tr>
  );
}

/** Its type parameters are lost by `memo`. */
export const TableRow = memo(Line) as typeof Line;
