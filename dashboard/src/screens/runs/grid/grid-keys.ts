/** Keys and clicks of a grid. Handlers for its frame. */
import type { KeyboardEvent, MouseEvent } from 'react';
import { type Chosen, cellKey, onceRow } from './chosen.ts';
import { type At, nextFailure } from './grid-order.ts';
import type { GridRows } from './grid-rows.ts';

type Options = {
  rows: GridRows;
  order: readonly number[];
  chosen: Chosen;
  current: At;
  /** Whether there is a row of nodes that run once, above the first. */
  hasOnce: boolean;
  pageRows: number;
  onChoose: (chosen: Chosen) => void;
  onMove: (to: At) => void;
  onOpen: (id: number, column: number) => void;
};

export function gridKeys(options: Options) {
  const { rows, order, current, chosen, onChoose, onMove, onOpen } = options;
  const idOf = (row: number) => (row < 0 ? onceRow : (order[row] ?? onceRow));
  const toggle = ({ row, column }: At) => onChoose(toggled(chosen, idOf(row), column));
  const open = ({ row, column }: At) => {
    const id = idOf(row);
    const cells = id === onceRow ? rows.onceCells : (rows.row(id)?.cells ?? '');
    const at = column >= 0 ? column : mostTelling(cells);
    if (at >= 0 && cells[at] !== undefined && cells[at] !== '-') onOpen(id, at);
  };
  return {
    onKeyDown: (event: KeyboardEvent) => {
      if (event.altKey || event.metaKey) return;
      const to = moved(event, options);
      if (to) {
        event.preventDefault();
        if (event.shiftKey && to.row !== current.row && to.row >= 0) {
          onChoose(stretched(chosen, idOf(current.row), idOf(to.row), to.column));
        }
        onMove(to);
      } else if (event.key === 'Enter') {
        event.preventDefault();
        open(current);
      } else if (event.key === ' ') {
        event.preventDefault();
        toggle(current);
      }
    },
    onClick: (event: MouseEvent) => {
      const at = placeOfEvent(event, order);
      if (!at) return;
      onMove(at);
      const isBox = (event.target as HTMLElement).closest('input') !== null;
      if (event.shiftKey) onChoose(between(chosen, order, current.row, at));
      else if ((isBox && at.row >= 0) || event.ctrlKey || event.metaKey) toggle(at);
      else open(at);
    },
  };
}

function moved(event: KeyboardEvent, { rows, order, current, hasOnce, pageRows }: Options) {
  const first = hasOnce ? -1 : 0;
  const { row, column } = current;
  const inside = (at: At): At => ({
    row: Math.min(order.length - 1, Math.max(first, at.row)),
    column: Math.min(rows.nodes.length - 1, Math.max(-1, at.column)),
  });
  const far = event.ctrlKey;
  switch (event.key) {
    case 'ArrowDown':
      return inside({ row: row + 1, column });
    case 'ArrowUp':
      return inside({ row: row - 1, column });
    case 'ArrowRight':
      return inside({ row, column: column + 1 });
    case 'ArrowLeft':
      return inside({ row, column: column - 1 });
    case 'PageDown':
      return inside({ row: row + pageRows, column });
    case 'PageUp':
      return inside({ row: row - pageRows, column });
    case 'Home':
      return inside({ row: far ? first : row, column: -1 });
    case 'End':
      return inside({ row: far ? order.length - 1 : row, column: rows.nodes.length - 1 });
    case 'n':
      return far ? undefined : nextFailure(rows, order, { row: Math.max(0, row), column }, 1);
    case 'p':
      return far ? undefined : nextFailure(rows, order, current, -1);
    default:
      return undefined;
  }
}

/** Of a row that is opened as a whole: its failure, else its last step that has something to tell. */
function mostTelling(cells: string): number {
  const failed = cells.indexOf('f');
  if (failed >= 0) return failed;
  const at = [...cells].findLastIndex((letter) => /[srucqb]/.test(letter));
  return at >= 0 ? at : [...cells].findIndex((letter) => letter !== '-');
}

function toggled({ rows, cells }: Chosen, id: number, column: number): Chosen {
  if (column < 0) return id === onceRow ? { rows, cells } : { rows: flipped(rows, id), cells };
  return { rows, cells: flipped(cells, cellKey(id, column)) };
}

function flipped<Key>(all: ReadonlySet<Key>, key: Key): ReadonlySet<Key> {
  const next = new Set(all);
  if (!next.delete(key)) next.add(key);
  return next;
}

const stretched = ({ rows, cells }: Chosen, from: number, to: number, column: number): Chosen =>
  column < 0
    ? { rows: new Set([...rows, from, to]), cells }
    : { rows, cells: new Set([...cells, cellKey(from, column), cellKey(to, column)]) };

function between(chosen: Chosen, order: readonly number[], row: number, to: At): Chosen {
  const [first, last] = [Math.max(0, Math.min(row, to.row)), Math.max(row, to.row)];
  const ids = order.slice(first, last + 1);
  if (to.column < 0) return { ...chosen, rows: new Set([...chosen.rows, ...ids]) };
  const keys = ids.map((id) => cellKey(id, to.column));
  return { ...chosen, cells: new Set([...chosen.cells, ...keys]) };
}

function placeOfEvent({ target }: MouseEvent, order: readonly number[]): At | undefined {
  const cell = (target as HTMLElement).closest<HTMLElement>('[data-column]');
  const row = cell?.closest<HTMLElement>('[data-id]');
  if (!cell || !row) return undefined;
  const id = Number(row.dataset.id);
  return { row: id === onceRow ? -1 : order.indexOf(id), column: Number(cell.dataset.column) };
}
