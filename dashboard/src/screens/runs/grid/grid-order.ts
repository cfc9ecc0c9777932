/** Which rows of a grid are shown, and in which order. Pure. */
import { matches, type StateFilter } from './cells.ts';
import type { GridRows } from './grid-rows.ts';

export type GridView = {
  state?: StateFilter | undefined;
  q?: string | undefined;
  /** In the order of the files; without it those with a failure come first. */
  isByFile: boolean;
};

/**
 * The ids of the rows to show. Rows that were not read yet are shown where nothing is looked for,
 * after those that are known to have failed.
 */
export function orderOf(rows: GridRows, { state, q, isByFile }: GridView): number[] {
  const part = q?.trim().toLocaleLowerCase();
  const isFiltered = state !== undefined || Boolean(part);
  const first: number[] = [];
  const rest: number[] = [];
  for (const id of rows.ids()) {
    const row = rows.row(id);
    if (isFiltered) {
      if (!row) continue;
      if (state !== undefined && !matches(row.cells, state)) continue;
      if (part && !row.name?.toLocaleLowerCase().includes(part)) continue;
    }
    (!isByFile && row?.cells.includes('f') ? first : rest).push(id);
  }
  return first.length === 0 ? rest : [...first, ...rest];
}

/** How many rows with a failure stand behind one without. */
export function countBehind(rows: GridRows, order: readonly number[]): number {
  let isBehind = false;
  let count = 0;
  for (const id of order) {
    const hasFailed = rows.row(id)?.cells.includes('f') ?? false;
    if (!hasFailed) isBehind = true;
    else if (isBehind) count += 1;
  }
  return count;
}

export type At = { row: number; column: number };

/** The nearest failed cell in a direction, row by row; undefined if there is no other. */
export function nextFailure(
  rows: GridRows,
  order: readonly number[],
  from: At,
  step: 1 | -1,
): At | undefined {
  for (let row = from.row; row >= 0 && row < order.length; row += step) {
    const cells = rows.row(order[row] ?? -1)?.cells ?? '';
    const isFirst = row === from.row;
    const start = step === 1 ? (isFirst ? from.column + 1 : 0) : isFirst ? from.column - 1 : -1;
    if (step === -1 && isFirst && start < 0) continue;
    const column =
      step === 1
        ? cells.indexOf('f', start)
        : cells.lastIndexOf('f', isFirst ? start : cells.length);
    if (column >= 0) return { row, column };
  }
  return undefined;
}
