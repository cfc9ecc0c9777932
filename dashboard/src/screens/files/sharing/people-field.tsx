/** Finds people of the tenant as one types, by name or address; several can be chosen. */

import type { User } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { MultiSelect } from '@mantine/core';
import { useState } from 'react';
import { useFoundPeople } from '../../../found-people.ts';
import { fullName, useMe } from '../../../people.ts';
import { PersonLine } from '../../../person-line.tsx';

type Props = { chosen: readonly User[]; onChoose: (users: readonly User[]) => void };

export function PeopleField({ chosen, onChoose }: Props) {
  const [text, setText] = useState('');
  const { people: found, nothingFound } = useFoundPeople(text);
  const { data: me } = useMe();
  const others = found.filter(({ id, status }) => status === 'active' && id !== me?.id);
  const people = new Map([...chosen, ...others].map((user) => [String(user.id), user]));
  return (
    <MultiSelect
      label={t`People`}
      placeholder={chosen.length === 0 ? t`Name or e-mail address` : ''}
      data={[...people].map(([value, user]) => ({ value, label: fullName(user) }))}
      value={chosen.map(({ id }) => String(id))}
      onChange={(values) => onChoose(values.flatMap((value) => people.get(value) ?? []))}
      searchable
      searchValue={text}
      onSearchChange={setText}
      // Otherwise it would cover the level as soon as somebody is chosen.
      dropdownOpened={text.trim() !== ''}
      // The service has found them, by more than the name that is shown.
      filter={({ options }) => options}
      hidePickedOptions
      // The list itself scrolls: its options are reached from the field, without a tab stop.
      withScrollArea={false}
      styles={{ options: { maxHeight: 220, overflowY: 'auto' }, pill: { maxWidth: '100%' } }}
      nothingFoundMessage={nothingFound ?? t`Nobody else is called like that`}
      comboboxProps={{ withinPortal: false }}
      renderOption={({ option }) => {
        const user = people.get(option.value);
        return user && <PersonLine user={user} />;
      }}
      data-autofocus
    />
  );
}
