/** What is looked for in a grid: a state, a name; and how many there are. */
import { SegmentedControl, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { FindField } from '../../../ui/find-field.tsx';
import { formatCount, plural } from '../../../ui/format.ts';
import { type StateFilter, stateFilters } from './cells.ts';
import classes from './grid.module.css';
import type { GridView } from './grid-order.ts';
import type { GridReader } from './grid-reader.ts';

type Props = {
  reader: GridReader;
  view: GridView;
  found: number;
  onState: (state: StateFilter | undefined) => void;
  onSearch: (text: string) => void;
  onOrder: (isByFile: boolean) => void;
};

const states = Object.entries(stateFilters) as [StateFilter, { label: string }][];

export function GridTools({ reader, view, found, onState, onSearch, onOrder }: Props) {
  const [text, setText] = useState(view.q ?? '');
  const type = (value: string) => {
    setText(value);
    onSearch(value);
  };
  return (
    <div className={classes.tools}>
      <div className={classes.states}>
        <SegmentedControl
          size="xs"
          withItemsBorders={false}
          aria-label="State"
          value={view.state ?? ''}
          onChange={(value) => onState(states.find(([state]) => state === value)?.[0])}
          data={[
            { value: '', label: 'All' },
            ...states.map(([value, { label }]) => ({ value, label })),
          ]}
        />
      </div>
      <FindField
        className={classes.search}
        placeholder="Find a file"
        label="Find a file by its name"
        clearLabel="Look for nothing"
        value={text}
        onChange={type}
      />
      <Switch
        size="xs"
        label="Failed first"
        checked={!view.isByFile}
        onChange={(event) => onOrder(!event.currentTarget.checked)}
      />
      <Text size="xs" c="var(--faint)" className={`figures ${classes.found}`} role="status">
        {wordsOf(reader, view, found)}
      </Text>
    </div>
  );
}

function wordsOf({ rows, isComplete, isReading }: GridReader, view: GridView, found: number) {
  const all = plural(rows.total, 'file');
  if (view.state === undefined && !view.q) return all;
  const of = `${formatCount(found)} of ${all}`;
  return isComplete || !isReading ? of : `${of}, ${formatCount(rows.countRead)} looked at`;
}
