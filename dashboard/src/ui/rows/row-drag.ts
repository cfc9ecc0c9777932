/** What can be dragged onto rows of the list: its other rows, and what comes from elsewhere. */
import { type DragEvent, useState } from 'react';
import { indexOf } from './row-keys.ts';

/** What a drag does; it may begin and end elsewhere. */
export type RowDrag<Row> = {
  onStart: (transfer: DataTransfer, rows: readonly Row[]) => void;
  onEnd: () => void;
  /** What a drop there would do; undefined if the row does not take what is dragged. */
  effectOn: (target: Row, transfer: DataTransfer) => 'move' | 'copy' | undefined;
  onDrop: (target: Row, transfer: DataTransfer) => void;
};

/** Handlers for the element that holds the rows, and `over`, the id of the target. */
export function useRowDrag<Row extends { id: number }>(
  rows: readonly Row[],
  chosenWith: (row: Row) => readonly Row[],
  drag: RowDrag<Row> | undefined,
) {
  const [over, setOver] = useState<number>();
  if (!drag) return { over: undefined };
  const targetOf = ({ target, dataTransfer }: DragEvent) => {
    const row = rows[indexOf(target)];
    const effect = row && drag.effectOn(row, dataTransfer);
    return effect ? { row, effect } : undefined;
  };
  const onDragOver = (event: DragEvent) => {
    const target = targetOf(event);
    setOver(target?.row.id);
    if (!target) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = target.effect;
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
      drag.onDrop(target.row, event.dataTransfer);
    },
  };
}
