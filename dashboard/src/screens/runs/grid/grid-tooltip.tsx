/** One tooltip for all cells: the step, the file, the state and its reason. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { reasonOf } from '@cogworks/sdk/reasons';
import { Portal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { visibleText } from '../../../ui/visible-text.ts';
import { wordsOfLetter } from './cells.ts';
import { onceRow } from './chosen.ts';
import classes from './grid.module.css';
import { type GridRows, placeOf } from './grid-rows.ts';

/** @param row the place of the file in the order. */
export type Pointed = { id: number; row: number; column: number; cell: HTMLElement };

type Props = {
  pointed: Pointed | undefined;
  rows: GridRows;
  order: readonly number[];
  titles: ReadonlyMap<string, string>;
  reasonOf: (key: string, shard_index: number | undefined) => NodeRun | undefined;
};

const delay_ms = 250;

export function GridTooltip({ pointed, rows, order, titles, reasonOf: find }: Props) {
  const key = pointed && `${pointed.id}:${pointed.column}`;
  const [settled] = useDebouncedValue(key, delay_ms);
  if (!pointed || settled !== key) return null;
  const { id, row, column, cell } = pointed;
  // In another order the cell is one of another file.
  if (id !== onceRow && order[row] !== id) return null;
  const letter = (id === onceRow ? rows.onceCells : rows.row(id)?.cells)?.[column] ?? '-';
  if (letter === '-') return null;
  const node = rows.nodes[column]?.node_key ?? '';
  const shard_index = id === onceRow ? undefined : placeOf(id).shard_index;
  const found = find(node, shard_index);
  const why = found && letter !== 's' ? reasonOf(found) : undefined;
  const { left, top, width } = cell.getBoundingClientRect();
  return (
    <Portal>
      <div
        role="tooltip"
        className={classes.tooltip}
        style={{ left: Math.min(left + width / 2, window.innerWidth - 150), top }}
      >
        <b>{titles.get(node) ?? node}</b> · {wordsOfLetter(letter)}
        {id !== onceRow && (
          <div className={classes.file}>{visibleText(rows.row(id)?.name ?? '')}</div>
        )}
        {why && <div className={classes.why}>{visibleText(why.slice(0, 300))}</div>}
      </div>
    </Portal>
  );
}
