/** What a row knows of itself, in a table or a grid, and its box to choose it. */
import { t } from '@lingui/core/macro';
import { Checkbox } from '@mantine/core';

export type RowState<Row> = {
  row: Row;
  index: number;
  isSelected: boolean;
  /** The one that the Tab key leads to. */
  isCurrent: boolean;
  /** Something is dragged over it that it takes. */
  isOver: boolean;
  /** It is shown beside the list. */
  isShown: boolean;
  isDraggable: boolean;
};

type Props = Pick<RowState<{ name: string }>, 'row' | 'index' | 'isSelected'> & {
  className?: string | undefined;
  onToggle: (index: number, isRange: boolean) => void;
};

/** With Shift it chooses a range. */
export const RowBox = ({ row, index, isSelected, className, onToggle }: Props) => (
  <Checkbox
    {...(className && { className })}
    size="xs"
    tabIndex={-1}
    aria-label={t`Choose ${row.name}`}
    checked={isSelected}
    onChange={({ nativeEvent }) => onToggle(index, (nativeEvent as unknown as MouseEvent).shiftKey)}
  />
);
