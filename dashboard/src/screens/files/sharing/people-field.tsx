/** Finds people of the tenant as one types, by name or address; several can be chosen. */

import type { User } from '@cogworks/sdk/contract.gen';
import { Avatar, Group, MultiSelect, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api.ts';
import { fullName, useMe } from '../../../people.ts';

type Props = { chosen: readonly User[]; onChoose: (users: readonly User[]) => void };

export function PeopleField({ chosen, onChoose }: Props) {
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), 200);
  const found = useQuery({
    queryKey: ['users', 'found', q],
    queryFn: () => api.listUsers({ query: { q, limit: 20 } }),
    placeholderData: keepPreviousData,
  });
  const { data: me } = useMe();
  const others = (found.data ?? []).filter(
    ({ id, status }) => status === 'active' && id !== me?.id,
  );
  const people = new Map([...chosen, ...others].map((user) => [String(user.id), user]));
  const isWaiting = q !== text.trim() || found.isFetching;
  return (
    <MultiSelect
      label="People"
      placeholder={chosen.length === 0 ? 'Name or e-mail address' : ''}
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
      nothingFoundMessage={isWaiting ? 'Searching …' : 'Nobody else is called like that'}
      comboboxProps={{ withinPortal: false }}
      renderOption={({ option }) => <Person user={people.get(option.value)} />}
      data-autofocus
    />
  );
}

function Person({ user }: { user: User | undefined }) {
  if (!user) return null;
  const name = fullName(user);
  return (
    <Group gap="sm" wrap="nowrap" miw={0}>
      <Avatar name={name} color="petrol" size={28} radius="xl" aria-hidden />
      <div style={{ minWidth: 0 }}>
        <Text size="sm" truncate>
          {name}
        </Text>
        {name !== user.email && (
          <Text size="xs" c="var(--faint)" truncate>
            {user.email}
          </Text>
        )}
      </div>
    </Group>
  );
}
