// biome-ignore-all lint/a11y/useSemanticElements: a table has no rows and columns that are left out
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names its cell
/** A row of a grid: the file, and a cell for each step in view. */
import { t } from '@lingui/core/macro';
import { memo } from 'react';
import { cutName } from '../../../ui/cut-name.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { wordsOfLetter } from './cells.ts';
import classes from './grid.module.css';

/** A column in view. */
export type Column = { index: number; start: number; size: number };

export const domId = (id: number, column: number): string => `cell-${id}-${column}`;

type CellsProps = {
  /** Undefined while they are being read. */
  cells: string | undefined;
  columns: readonly Column[];
  /** Columns of those that are chosen, as a text, so that equal ones are equal. */
  chosenCells: string;
  currentColumn: number | undefined;
  /** Of the current cell. */
  currentId: string | undefined;
};

type Props = Omit<CellsProps, 'currentId'> & {
  id: number;
  name: string | undefined;
  /** From 1, the heads included. */
  ariaRow: number;
  top: number | undefined;
  width: number;
  isChosen: boolean;
};

export const Row = memo(function Row(props: Props) {
  const { id, cells, name, ariaRow, top, columns, width, isChosen } = props;
  const { chosenCells, currentColumn } = props;
  const currentId = currentColumn === undefined ? undefined : domId(id, currentColumn);
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
        id={currentColumn === -1 ? currentId : undefined}
        aria-colindex={1}
        className={classes.name}
        data-column={-1}
        data-current={currentColumn === -1 || undefined}
      >
        {top !== undefined && (
          <input
            type="checkbox"
            tabIndex={-1}
            readOnly
            checked={isChosen}
            className={classes.box}
            aria-label={name === undefined ? t`Choose this file` : t`Choose ${name}`}
          />
        )}
        <Name name={name} isRead={cells !== undefined} />
      </div>
      <Cells {...{ cells, columns, chosenCells, currentColumn, currentId }} />
    </div>
  );
});

/** Apart from the row: most rows have the same cells, so an element that shows another draws none. */
const Cells = memo(function Cells(props: CellsProps) {
  const { cells, columns, chosenCells, currentColumn, currentId } = props;
  const chosen = new Set(chosenCells.split(' '));
  return columns.map(({ index, start, size }) => {
    const letter = cells?.[index];
    return (
      <div
        key={index}
        role="gridcell"
        id={currentColumn === index ? currentId : undefined}
        aria-colindex={index + 2}
        aria-label={letter === undefined ? t`Loading` : wordsOfLetter(letter)}
        aria-selected={chosen.has(`${index}`) || undefined}
        className={classes.cell}
        data-letter={letter}
        data-column={index}
        data-current={currentColumn === index || undefined}
        style={{ left: start, width: size }}
      />
    );
  });
});

/** Cut before its last characters. Plain elements: rows come and go while one scrolls. */
function Name({ name, isRead }: { name: string | undefined; isRead: boolean }) {
  if (name === undefined)
    return <span className={classes.unknown}>{isRead ? t`No file` : '…'}</span>;
  const [start, end] = cutName(visibleText(name));
  return (
    <span className={classes.words} title={visibleText(name)}>
      <span className={classes.start}>{start}</span>
      {end}
    </span>
  );
}
