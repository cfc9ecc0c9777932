/** What is looked for in a grid: a state, a name; and how many there are. */
import { plural, t } from '@lingui/core/macro';
import { SegmentedControl, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { FindField } from '../../../ui/find-field.tsx';
import { formatCount } from '../../../ui/format.ts';
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
          aria-label={t`State`}
          value={view.state ?? ''}
          onChange={(value) => onState(states.find(([state]) => state === value)?.[0])}
          data={[
            { value: '', label: t`All` },
            ...states.map(([value, { label }]) => ({ value, label })),
          ]}
        />
      </div>
      <FindField
        className={classes.search}
        placeholder={t`Find a file`}
        label={t`Find a file by its name`}
        clearLabel={t`Look for nothing`}
        value={text}
        onChange={type}
      />
      <Switch
        size="xs"
        label={t`Failed first`}
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
  const { total, countRead } = rows;
  if (view.state === undefined && !view.q)
    return plural(total, { one: '# file', other: '# files' });
  const count = formatCount(found);
  if (isComplete || !isReading)
    return plural(total, { one: `${count} of # file`, other: `${count} of # files` });
  const looked = formatCount(countRead);
  return plural(total, {
    one: `${count} of # file, ${looked} looked at`,
    other: `${count} of # files, ${looked} looked at`,
  });
}
