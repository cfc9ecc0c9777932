/** A person in two lines: the name, and the address if the name is another text. */
import type { User } from '@cogworks/sdk/contract.gen';
import { Avatar, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { fullName } from './people.ts';

type Named = Pick<User, 'email' | 'first_name' | 'last_name'>;

/** @param after beside the name, for example a status. */
export function PersonLine({ user, after }: { user: Named; after?: ReactNode }) {
  const name = fullName(user);
  return (
    <Group gap="sm" wrap="nowrap" miw={0}>
      <Avatar name={name} color="petrol" size={28} radius="xl" aria-hidden />
      <div style={{ minWidth: 0 }}>
        <Group gap={8} wrap="nowrap" miw={0} h={20}>
          <Text component="span" size="sm" truncate title={name}>
            {name}
          </Text>
          {after}
        </Group>
        {name !== user.email && (
          <Text size="xs" c="var(--faint)" truncate title={user.email}>
            {user.email}
          </Text>
        )}
      </div>
    </Group>
  );
}
