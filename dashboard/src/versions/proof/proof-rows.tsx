/** What the two runs of a proof made: what differs first, with both files side by side. */
import { plural, t } from '@lingui/core/macro';
import { Button, Text, UnstyledButton } from '@mantine/core';
import {
  IconChevronDown,
  IconChevronRight,
  IconEqual,
  IconMinus,
  IconPencil,
  IconPlus,
  IconX,
} from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { formatCount } from '../../ui/format.ts';
import marks from '../change-list.module.css';
import type { Comparison, Failure, Made, Row } from './compare.ts';
import { FileSide } from './file-side.tsx';
import classes from './proof.module.css';
import type { Half } from './prove.ts';
import { difference, failureWords } from './words.ts';

type Sides = { before: Half; now: Half; version: number };
type Props = Sides & { comparison: Comparison };

/** As many as one looks at; the others on demand. */
const most = 50;

export function ProofRows({ comparison: { rows, failures }, ...sides }: Props) {
  const [showsSame, setShowsSame] = useState(false);
  const drawn = (row: Row) => <FileRow key={row.id} row={row} {...sides} />;
  const different = rows.filter(({ kind }) => kind !== 'same');
  const same = rows.filter(({ kind }) => kind === 'same');
  return (
    <div className={classes.rows}>
      <CutList label={t`What differs`}>
        {[
          ...failures.map((failure) => <FailureRow key={failure.id} failure={failure} />),
          ...different.map(drawn),
        ]}
      </CutList>
      {same.length > 0 && (
        <Button
          size="compact-sm"
          variant="subtle"
          aria-expanded={showsSame}
          leftSection={<Chevron isOpen={showsSame} />}
          onClick={() => setShowsSame(!showsSame)}
        >
          {plural(same.length, {
            one: '# file is the same',
            other: '# files are the same',
          })}
        </Button>
      )}
      {showsSame && <CutList label={t`What is the same`}>{same.map(drawn)}</CutList>}
    </div>
  );
}

function CutList({ label, children }: { label: string; children: readonly ReactElement[] }) {
  const [isWhole, setWhole] = useState(false);
  if (children.length === 0) return null;
  const shown = isWhole ? children : children.slice(0, most);
  return (
    <>
      <ul className={marks.changes} aria-label={label}>
        {shown}
      </ul>
      {shown.length < children.length && (
        <Button size="compact-sm" variant="subtle" onClick={() => setWhole(true)}>
          {t`Show all ${formatCount(children.length)}`}
        </Button>
      )}
    </>
  );
}

const Chevron = ({ isOpen }: { isOpen: boolean }) =>
  isOpen ? <IconChevronDown size={15} aria-hidden /> : <IconChevronRight size={15} aria-hidden />;

const failureMarks = { new: 'removed', both: 'drawn', mended: 'added' };

const FailureRow = ({ failure }: { failure: Failure }) => (
  <li className={marks.change} data-mark={failureMarks[failure.kind]}>
    <IconX size={16} aria-hidden />
    <Text component="span" size="sm" className={marks.words}>
      {failureWords(failure)}
    </Text>
  </li>
);

const looks = {
  differs: { mark: 'changed', icon: IconPencil },
  only_before: { mark: 'removed', icon: IconMinus },
  only_now: { mark: 'added', icon: IconPlus },
  same: { mark: 'drawn', icon: IconEqual },
};

function FileRow({ row, before, now, version }: Sides & { row: Row }) {
  const [isOpen, setOpen] = useState(false);
  const { mark, icon: Icon } = looks[row.kind];
  const { name } = (row.now ?? row.before) as Made;
  const from = row.lane === undefined ? row.step : t`${row.step}, ${row.lane}`;
  return (
    <li>
      <UnstyledButton
        className={marks.change}
        data-mark={mark}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon size={16} aria-hidden />
        <Text component="span" size="sm" className={marks.words}>
          <b>{name}</b> {difference(row)}
          <span className={classes.from}>{from}</span>
        </Text>
        <span className={classes.chevron}>
          <Chevron isOpen={isOpen} />
        </span>
      </UnstyledButton>
      {isOpen && (
        <div className={classes.sides}>
          <FileSide
            label={t`Version ${version}`}
            made={row.before}
            folder={before.ended?.output_folder_id}
          />
          <FileSide label={t`This draft`} made={row.now} folder={now.ended?.output_folder_id} />
        </div>
      )}
    </li>
  );
}
