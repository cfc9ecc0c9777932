// biome-ignore-all lint/a11y/useSemanticElements: a table has no rows and columns that are left out
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names its cell
/** A row of a grid: the file, and a cell for each step in view. */
import { Checkbox } from '@mantine/core';
import { memo } from 'react';
import { LongName } from '../../../ui/long-name.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { wordsOfLetter } from './cells.ts';
import { cellKey } from './chosen.ts';
import classes from './grid.module.css';

/** A column in view. */
export type Column = { index: number; start: number; size: number };

export const domId = (id: number, column: number): string => `cell-${id}-${column}`;

type Props = {
  id: number;
  /** Undefined while it is being read. */
  cells: string | undefined;
  name: string | undefined;
  /** From 1, the heads included. */
  ariaRow: number;
  top: number | undefined;
  columns: readonly Column[];
  width: number;
  isChosen: boolean;
  /** Those of its cells that are chosen, as a text, so that equal ones are equal. */
  chosenCells: string;
  currentColumn: number | undefined;
};

export const Row = memo(function Row(props: Props) {
  const { id, cells, name, ariaRow, top, columns, width, isChosen } = props;
  const { chosenCells, currentColumn } = props;
  const chosen = new Set(chosenCells.split(' '));
  return (
    <div
      role="row"
      aria-rowindex={ariaRow}
      aria-selected={isChosen}
      className={classes.row}
      data-id={id}
      style={{ width, ...(top === undefined ? {} : { transform: `translateY(${top}px)` }) }}
    >
      <div
        role="rowheader"
        id={domId(id, -1)}
        aria-colindex={1}
        className={classes.name}
        data-column={-1}
        data-current={currentColumn === -1 || undefined}
      >
        {top !== undefined && (
          <Checkbox
            size="xs"
            tabIndex={-1}
            readOnly
            checked={isChosen}
            aria-label={`Choose ${name ?? 'this file'}`}
          />
        )}
        {name === undefined ? (
          <span className={classes.unknown}>{cells === undefined ? '…' : 'No file'}</span>
        ) : (
          <span className={classes.words}>
            <LongName name={visibleText(name)} />
          </span>
        )}
      </div>
      {columns.map(({ index, start, size }) => {
        const letter = cells?.[index];
        return (
          <div
            key={index}
            role="gridcell"
            id={domId(id, index)}
            aria-colindex={index + 2}
            aria-label={letter === undefined ? 'Loading' : wordsOfLetter(letter)}
            aria-selected={chosen.has(cellKey(id, index)) || undefined}
            className={classes.cell}
            data-letter={letter}
            data-column={index}
            data-current={currentColumn === index || undefined}
            style={{ left: start, width: size }}
          />
        );
      })}
    </div>
  );
});
