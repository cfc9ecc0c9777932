/** Finds one person of the tenant as one types, by name or address. */
import type { User } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Select, type SelectProps } from '@mantine/core';
import { useState } from 'react';
import { useFoundPeople } from './found-people.ts';
import { fullName } from './people.ts';
import { PersonLine } from './person-line.tsx';

type Props = Omit<SelectProps, 'data' | 'value' | 'onChange'> & {
  chosen: User | undefined;
  onChoose: (user: User | undefined) => void;
  /** Who may be chosen; everybody otherwise. */
  isOffered?: (user: User) => boolean;
};

export function PersonField({ chosen, onChoose, isOffered = () => true, ...props }: Props) {
  const [text, setText] = useState(chosen ? fullName(chosen) : '');
  // The name of who is chosen stands in the field, and would find that person alone.
  const isName = chosen !== undefined && text === fullName(chosen);
  const { people: found, nothingFound } = useFoundPeople(isName ? '' : text);
  const people = new Map(
    [...(chosen ? [chosen] : []), ...found.filter(isOffered)].map((user) => [
      String(user.id),
      user,
    ]),
  );
  return (
    <Select
      placeholder={t`Name or e-mail address`}
      searchable
      clearable
      {...props}
      data={[...people].map(([value, user]) => ({ value, label: fullName(user) }))}
      value={chosen ? String(chosen.id) : null}
      onChange={(value) => onChoose(people.get(value ?? ''))}
      searchValue={text}
      onSearchChange={setText}
      // The service has found them, by more than the name that is shown.
      filter={({ options }) => options}
      // The list itself scrolls: its options are reached from the field, without a tab stop.
      withScrollArea={false}
      styles={{ options: { maxHeight: 220, overflowY: 'auto' } }}
      nothingFoundMessage={nothingFound ?? t`Nobody is called like that`}
      renderOption={({ option }) => {
        const user = people.get(option.value);
        return user && <PersonLine user={user} />;
      }}
    />
  );
}
