/** What an admin can do with a person: change the role, disable, hand over, enable, remove. */
import type { User } from '@cogworks/sdk/contract.gen';
import { ActionIcon, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  IconArrowsExchange,
  IconDots,
  IconShield,
  IconUser,
  IconUserCheck,
  IconUserOff,
  IconUserX,
} from '@tabler/icons-react';
import { useState } from 'react';
import { fullName } from '../../people.ts';
import { wordsOf } from '../../ui/await.tsx';
import { DisableDialog } from './disable-dialog.tsx';
import { HandOverDialog } from './hand-over-dialog.tsx';
import { useChangeMember } from './queries.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';

type Action = 'role' | 'disable' | 'hand over' | 'remove';

export function MemberActions({ user, isMe }: { user: User; isMe: boolean }) {
  const [action, setAction] = useState<Action>();
  const enable = useEnable(user);
  const close = () => setAction(undefined);
  const isActive = user.status === 'active';
  return (
    <>
      <Menu width={230}>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${fullName(user)}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isActive && (
            <Menu.Item
              leftSection={
                user.role === 'admin' ? <IconUser size={16} /> : <IconShield size={16} />
              }
              onClick={() => setAction('role')}
            >
              {user.role === 'admin' ? 'Make a member…' : 'Make an administrator…'}
            </Menu.Item>
          )}
          {isActive && !isMe && (
            <Menu.Item
              c="var(--mantine-color-error)"
              leftSection={<IconUserOff size={16} />}
              onClick={() => setAction('disable')}
            >
              Disable…
            </Menu.Item>
          )}
          {!isActive && (
            <>
              <Menu.Item leftSection={<IconUserCheck size={16} />} onClick={() => enable.mutate()}>
                Enable
              </Menu.Item>
              <Menu.Item
                leftSection={<IconArrowsExchange size={16} />}
                onClick={() => setAction('hand over')}
              >
                Hand over what is theirs…
              </Menu.Item>
              <Menu.Item
                c="var(--mantine-color-error)"
                leftSection={<IconUserX size={16} />}
                onClick={() => setAction('remove')}
              >
                Remove…
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {action === 'role' && <RoleDialog user={user} isMe={isMe} onClose={close} />}
      {action === 'disable' && <DisableDialog user={user} onClose={close} />}
      {action === 'remove' && <RemoveDialog user={user} onClose={close} />}
      {action === 'hand over' && <HandOverDialog user={user} onClose={close} />}
    </>
  );
}

function useEnable(user: User) {
  const change = useChangeMember();
  const mutate = () =>
    change.mutate(
      { id: user.id, changes: { status: 'active' } },
      {
        onSuccess: () =>
          notifications.show({ message: `${fullName(user)} is enabled and can sign in again.` }),
        onError: (error) =>
          notifications.show({
            color: 'red',
            title: `${fullName(user)} could not be enabled`,
            message: wordsOf(error).message,
            autoClose: 10_000,
          }),
      },
    );
  return { mutate };
}
