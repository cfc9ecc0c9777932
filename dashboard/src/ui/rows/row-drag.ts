/** Rows that can be dragged onto other rows of the list. */
import { type DragEvent, useState } from 'react';
import { indexOf } from './row-keys.ts';

/** What a drag does; it may begin and end elsewhere. */
export type RowDrag<Row> = {
  onStart: (transfer: DataTransfer, rows: readonly Row[]) => void;
  onEnd: () => void;
  accepts: (target: Row) => boolean;
  onDrop: (target: Row) => void;
};

/** Handlers for the element that holds the rows, and `over`, the id of the target. */
export function useRowDrag<Row extends { id: number }>(
  rows: readonly Row[],
  chosenWith: (row: Row) => readonly Row[],
  drag: RowDrag<Row> | undefined,
) {
  const [over, setOver] = useState<number>();
  if (!drag) return { over: undefined };
  const targetOf = ({ target }: DragEvent) => {
    const row = rows[indexOf(target)];
    return row && drag.accepts(row) ? row : undefined;
  };
  const onDragOver = (event: DragEvent) => {
    const target = targetOf(event);
    setOver(target?.id);
    if (!target) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'move';
  };
  return {
    over,
    onDragStart: (event: DragEvent) => {
      const row = rows[indexOf(event.target)];
      if (row) drag.onStart(event.dataTransfer, chosenWith(row));
    },
    onDragEnd: drag.onEnd,
    onDragEnter: onDragOver,
    onDragOver,
    onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
      if (!currentTarget.contains(relatedTarget as Node | null)) setOver(undefined);
    },
    onDrop: (event: DragEvent) => {
      const target = targetOf(event);
      setOver(undefined);
      if (!target) return;
      event.preventDefault();
      drag.onDrop(target);
    },
  };
}
