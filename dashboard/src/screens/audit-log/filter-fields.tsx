/** Who, what, with which outcome, and when. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Select, TextInput } from '@mantine/core';
import { useUsers } from '../../people.ts';
import { PersonField } from '../../person-field.tsx';
import { actionGroups } from './action-groups.ts';
import classes from './audit-log.module.css';
import type { Filters } from './queries.ts';

type Props = { filters: Filters; onChange: (changes: Filters) => void };

const outcomes: { value: NonNullable<Filters['outcome']>; label: string }[] = [
  { value: 'done', label: t`Done` },
  { value: 'failed', label: t`Failed or refused` },
];

const all: Filters = {
  user: undefined,
  action: undefined,
  outcome: undefined,
  from: undefined,
  to: undefined,
};

const known = new Set<string>(actionGroups.flatMap(({ items }) => items.map(({ value }) => value)));

export function FilterFields({ filters, onChange }: Props) {
  const { user, action, outcome, from, to } = filters;
  const userOf = useUsers();
  const person = user === undefined ? undefined : userOf(user);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  // A link may name an action that has no group.
  const more = action !== undefined && !known.has(action) ? [{ value: action, label: action }] : [];
  return (
    <search className={classes.filters} aria-label={t`Events`}>
      <PersonField
        label={t`Who`}
        placeholder={t`Anybody`}
        chosen={person}
        onChoose={(chosen) => onChange({ user: chosen?.id })}
      />
      <Select
        label={t`What`}
        placeholder={t`Anything`}
        clearable
        data={[...actionGroups, ...(more.length > 0 ? [{ group: t`Action`, items: more }] : [])]}
        value={action ?? null}
        onChange={(value) => onChange({ action: value ?? undefined })}
        maxDropdownHeight={320}
      />
      <Select
        label={t`Outcome`}
        placeholder={t`Any`}
        clearable
        data={outcomes}
        value={outcome ?? null}
        onChange={(value) => onChange({ outcome: value ?? undefined })}
      />
      <Day
        label={t({ message: 'From', context: 'day' })}
        value={from}
        max={to}
        onChange={(day) => onChange({ from: day })}
      />
      <Day
        label={t({ message: 'To', context: 'day' })}
        value={to}
        min={from}
        onChange={(day) => onChange({ to: day })}
      />
      {isFiltered && (
        <Button variant="subtle" className={classes.clear} onClick={() => onChange(all)}>
          <Trans>Show all</Trans>
        </Button>
      )}
    </search>
  );
}

type DayProps = {
  label: string;
  value: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onChange: (day: string | undefined) => void;
};

const Day = ({ value, onChange, ...field }: DayProps) => (
  <TextInput
    type="date"
    {...field}
    value={value ?? ''}
    onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
  />
);
