/** The samples by name. */
import { plural, t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import type { useChosenCogs } from '../../run-inputs/chosen-files.tsx';
import { isGone } from '../../run-inputs/sample.ts';
import { LongName } from '../../ui/long-name.tsx';
import classes from './proof.module.css';

/** The others are counted. */
const named = 3;

type Props = { ids: readonly number[]; cogs: ReturnType<typeof useChosenCogs> };

export function SampleLine({ ids, cogs }: Props) {
  if (ids.length === 0) return null;
  if (cogs.some(({ error }) => isGone(error))) {
    return (
      <Text size="sm" c="var(--mantine-color-error)">
        {goneWords}
      </Text>
    );
  }
  const more = ids.length - named;
  return (
    <ul className={classes.samples} aria-label={t`Samples`}>
      {cogs.slice(0, named).map(({ data }, at) => (
        <li key={ids[at]}>
          <LongName name={data?.name ?? '…'} />
        </li>
      ))}
      {more > 0 && <li>{plural(more, { one: 'and # more', other: 'and # more' })}</li>}
    </ul>
  );
}

export const goneWords = t`A sample was deleted, or is not yours to see. Choose other samples.`;
