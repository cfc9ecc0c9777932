/** What an admin can do with a person: change the role, disable, hand over, enable, remove. */
import type { User } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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

type Action = 'role' | 'disable' | 'succeed' | 'remove';

export function MemberActions({ user, isMe }: { user: User; isMe: boolean }) {
  const [action, setAction] = useState<Action>();
  const enable = useEnable(user);
  const close = () => setAction(undefined);
  const isActive = user.status === 'active';
  const name = fullName(user);
  return (
    <>
      <Menu width={230}>
        <Menu.Target>
          <ActionIcon aria-label={t`Actions for ${name}`}>
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
              {user.role === 'admin' ? t`Make a member…` : t`Make an administrator…`}
            </Menu.Item>
          )}
          {isActive && !isMe && (
            <Menu.Item
              c="var(--mantine-color-error)"
              leftSection={<IconUserOff size={16} />}
              onClick={() => setAction('disable')}
            >
              <Trans>Disable…</Trans>
            </Menu.Item>
          )}
          {!isActive && (
            <>
              <Menu.Item leftSection={<IconUserCheck size={16} />} onClick={() => enable.mutate()}>
                <Trans>Enable</Trans>
              </Menu.Item>
              <Menu.Item
                leftSection={<IconArrowsExchange size={16} />}
                onClick={() => setAction('succeed')}
              >
                <Trans>Hand over what is theirs…</Trans>
              </Menu.Item>
              <Menu.Item
                c="var(--mantine-color-error)"
                leftSection={<IconUserX size={16} />}
                onClick={() => setAction('remove')}
              >
                <Trans>Remove…</Trans>
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {action === 'role' && <RoleDialog user={user} isMe={isMe} onClose={close} />}
      {action === 'disable' && <DisableDialog user={user} onClose={close} />}
      {action === 'remove' && <RemoveDialog user={user} onClose={close} />}
      {action === 'succeed' && <HandOverDialog user={user} onClose={close} />}
    </>
  );
}

function useEnable(user: User) {
  const change = useChangeMember();
  const name = fullName(user);
  const mutate = () =>
    change.mutate(
      { id: user.id, changes: { status: 'active' } },
      {
        onSuccess: () =>
          notifications.show({ message: t`${name} is enabled and can sign in again.` }),
        onError: (error) =>
          notifications.show({
            color: 'red',
            title: t`${name} could not be enabled`,
            message: wordsOf(error).message,
            autoClose: 10_000,
          }),
      },
    );
  return { mutate };
}
