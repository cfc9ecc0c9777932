/** Rows that are added, edited and removed. */
import { t } from '@lingui/core/macro';
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { Keyed } from './definition-form.ts';
import classes from './form.module.css';

type Props<Row> = {
  rows: readonly Keyed<Row>[];
  /** What the buttons say; rows are counted from 1. */
  words: { add: string; remove: (number: number) => string };
  /** What is said of none. */
  none?: string;
  least?: number;
  onChange: (rows: Keyed<Row>[]) => void;
  onNew: () => Keyed<Row>;
  children: (row: Keyed<Row>, index: number, change: (changes: Partial<Row>) => void) => ReactNode;
};

export function RowList<Row extends object>(props: Props<Row>) {
  const { rows, words, none, least = 0, onChange, onNew, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const add = () => {
    flushSync(() => onChange([...rows, onNew()]));
    lastField(box.current)?.focus();
  };
  return (
    <div ref={box}>
      {rows.length === 0 && none && <p className={classes.none}>{none}</p>}
      {rows.map((row, index) => (
        <div key={row.key} className={classes.row} data-row>
          <div className={classes.rowFields}>
            {children(row, index, (changes) =>
              onChange(rows.map((one) => (one.key === row.key ? { ...one, ...changes } : one))),
            )}
          </div>
          <Tooltip label={t`Remove`}>
            <ActionIcon
              className={classes.remove}
              aria-label={words.remove(index + 1)}
              disabled={rows.length <= least}
              onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
            >
              <IconTrash size={17} />
            </ActionIcon>
          </Tooltip>
        </div>
      ))}
      <Button variant="subtle" size="compact-sm" leftSection={<IconPlus size={15} />} onClick={add}>
        {words.add}
      </Button>
    </div>
  );
}

const lastField = (box: HTMLElement | null) =>
  [...(box?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    .at(-1)
    ?.querySelector<HTMLElement>('input, textarea');
