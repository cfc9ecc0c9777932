/** A column of a table: its header, and its cell in each row. */
import type { ReactNode } from 'react';

export type Column<Row> = {
  field: string;
  label: string;
  /** Users can sort by it. */
  isSortable?: boolean;
  /** The first column takes the remaining width. */
  width?: number | string;
  isRight?: boolean;
  /** Also on a phone. */
  isNarrow?: boolean;
  cell: (row: Row, onOpen: () => void) => ReactNode;
};
